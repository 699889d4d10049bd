import { deepDrops } from '../analysis/lifetimeVerdict.js';
import { byteText, countText } from './byteText.js';
import { sum } from './lineSelection.js';
import type { Evidence, Verdict } from './report.js';
import { plural } from './reportWords.js';
import type { StackSeries } from './stackSeries.js';

/** Steps that a report names, the newest. */
const MOST_BIRTHS = 32;
const MOST_FLOORS = 64;

/**
 * What a line's verdict was read from: the stacks that decide it, taken together.
 * @param stacks those that were given the verdict
 * @param gaps between the traces that were joined
 * @returns null where there is nothing to see: one snapshot, and no lifetimes
 */
export function evidenceOf(verdict: Verdict, stacks: readonly StackSeries[], gaps: number): Evidence | null {
  const evidence = fromLifetimes(stacks) ?? fromSeries(stacks);
  return evidence === null
    ? null
    : { ...evidence, floors: thinned(evidence.floors), reason: reasonOf(verdict, evidence, gaps) };
}

type Seen = Omit<Evidence, 'reason'>;

function fromLifetimes(stacks: readonly StackSeries[]): Seen | null {
  const lived = stacks.flatMap(({ lifetimes, judgement }) =>
    lifetimes !== null && judgement.from === 'lifetimes' ? [lifetimes] : [],
  );
  if (lived.length === 0) return null;
  // Births before the first step are set-up, on no step.
  const births = [...new Set(lived.flatMap(({ survivorBirths }) => [...survivorBirths]))]
    .filter((step) => step > 0)
    .sort((a, b) => a - b);
  return {
    from: 'lifetimes',
    steps: Math.max(...lived.map(({ steps }) => steps)),
    bornOnSteps: births.slice(-MOST_BIRTHS),
    birthSteps: births.length,
    survivors: sum(lived, ({ survivorBirths }) => survivorBirths.length),
    oldestFreedAge: oldest(lived.map(({ oldestFreedAge }) => oldestFreedAge)),
    usualFreedAge: oldest(lived.map(({ usualFreedAge }) => usualFreedAge)),
    floors: Array.from(lived[0].floors, (_, bin) => sum(lived, ({ floors }) => floors[bin] ?? 0)),
    drops: Math.max(...lived.map((one) => deepDrops(one).length)),
  };
}

function fromSeries(stacks: readonly StackSeries[]): Seen | null {
  const points = stacks[0]?.series.length ?? 0;
  if (points < 2) return null;
  const floors = Array.from({ length: points }, (_, at) => sum(stacks, ({ series }) => series[at]));
  const changes = floors.slice(1).map((bytes, i) => bytes - floors[i]);
  const rises = changes.flatMap((change, i) => (change > 0 ? [i + 1] : []));
  return {
    from: 'snapshots',
    steps: changes.length,
    bornOnSteps: rises.slice(-MOST_BIRTHS),
    birthSteps: rises.length,
    survivors: sum(stacks, ({ blocks }) => blocks[points - 1]),
    oldestFreedAge: null,
    usualFreedAge: null,
    floors,
    drops: changes.filter((change) => change < 0).length,
  };
}

function oldest(ages: readonly (number | null)[]): number | null {
  const known = ages.filter((age) => age !== null);
  return known.length === 0 ? null : Math.max(...known);
}

/** At most {@link MOST_FLOORS} values, first and last among them, evenly spaced. */
function thinned(floors: readonly number[]): number[] {
  if (floors.length <= MOST_FLOORS) return [...floors];
  return Array.from(
    { length: MOST_FLOORS },
    (_, i) => floors[Math.round((i * (floors.length - 1)) / (MOST_FLOORS - 1))],
  );
}

function reasonOf(verdict: Verdict, seen: Seen, gaps: number): string {
  const clauses = seen.from === 'lifetimes' ? [bornText(seen), freedText(seen)] : [roseText(seen)];
  const sentence = [...clauses, fellText(seen)].filter((clause) => clause !== '').join('; ');
  return [
    `${sentence[0].toUpperCase()}${sentence.slice(1)}.`,
    ...(verdict === 'filling' ? ['Too early to tell a buffer that fills up from a leak.'] : []),
    ...(gaps > 0 && seen.from === 'lifetimes'
      ? [`The traces have ${plural(gaps, 'gap')}: across them a block is told by its address, size and stack.`]
      : []),
  ].join(' ');
}

function bornText({ birthSteps, steps, survivors }: Seen): string {
  if (survivors === 0) return 'nothing that was allocated is still alive';
  if (birthSteps === 0) return `${plural(survivors, 'block')} from before the first step ${are(survivors)} alive`;
  return `blocks born on ${birthSteps} of ${plural(steps, 'step')} are still alive`;
}

function freedText({ usualFreedAge, oldestFreedAge }: Seen): string {
  if (usualFreedAge === null || oldestFreedAge === null) return 'no block that outlived its step was ever freed';
  const oldestText = `the oldest block that was freed lived ${plural(oldestFreedAge, 'step')}`;
  return usualFreedAge === oldestFreedAge
    ? oldestText
    : `of the freed blocks 95 % lived at most ${plural(usualFreedAge, 'step')}, the oldest ${countText(oldestFreedAge)}`;
}

function roseText({ birthSteps, steps }: Seen): string {
  if (birthSteps === 0) return `live bytes rose in none of ${plural(steps, 'interval')} between snapshots`;
  return `live bytes rose in ${birthSteps} of ${plural(steps, 'interval')} between snapshots`;
}

function fellText({ floors, drops, from }: Seen): string {
  const [first] = floors;
  const last = floors[floors.length - 1];
  if (floors.every((bytes) => bytes === first)) return `live bytes stayed at ${byteText(first)}`;
  const falls = floors.some((bytes, i) => i > 0 && bytes < floors[i - 1]);
  const span = `from ${byteText(first)} to ${byteText(last)}`;
  if (!falls) return `live bytes never fell: ${span}`;
  if (from === 'snapshots') return `fell in ${drops}, ${span}`;
  return drops > 0 ? `half or more was let go at once ${times(drops)}` : `live bytes went ${span} in all`;
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

function are(count: number): string {
  return count === 1 ? 'is' : 'are';
}
