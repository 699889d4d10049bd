import { deepDrops } from '../verdict/lifetimeVerdict.js';
import { countText } from '../text/numberText.js';
import { say, sayCount } from '../text/say.js';
import { byteText } from '../text/byteText.js';
import { sum } from './lineSelection.js';
import type { Evidence, Verdict } from './report.js';
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
  return [
    ...(seen.from === 'lifetimes' ? [bornText(seen), freedText(seen)] : [roseText(seen)]),
    fellText(seen),
    ...(verdict === 'growing' ? [say('Too early to tell a buffer that fills up from a leak.')] : []),
    ...(gaps > 0 && seen.from === 'lifetimes'
      ? [
          sayCount(
            gaps,
            'The traces have 1 gap: across it a block is told by its address, size and stack.',
            'The traces have {0} gaps: across them a block is told by its address, size and stack.',
          ),
        ]
      : []),
  ].join(' ');
}

function bornText({ birthSteps, steps, survivors }: Seen): string {
  if (survivors === 0) return say('Nothing that was allocated is still alive.');
  if (birthSteps === 0) {
    return sayCount(
      survivors,
      '1 block from before the first step is still alive.',
      '{0} blocks from before the first step are still alive.',
    );
  }
  return sayCount(
    steps,
    'Blocks born on the only step are still alive.',
    'Blocks born on {1} of {0} steps are still alive.',
    countText(birthSteps),
  );
}

function freedText({ usualFreedAge, oldestFreedAge }: Seen): string {
  if (usualFreedAge === null || oldestFreedAge === null) return say('No block that outlived its step was ever freed.');
  if (usualFreedAge === oldestFreedAge) {
    return sayCount(
      oldestFreedAge,
      'The oldest block that was freed lived 1 step.',
      'The oldest block that was freed lived {0} steps.',
    );
  }
  return sayCount(
    usualFreedAge,
    'Of the freed blocks, 95 % lived at most 1 step, the oldest {1}.',
    'Of the freed blocks, 95 % lived at most {0} steps, the oldest {1}.',
    countText(oldestFreedAge),
  );
}

function roseText({ birthSteps, steps }: Seen): string {
  if (birthSteps === 0) {
    return sayCount(
      steps,
      'Live bytes did not rise between the two snapshots.',
      'Live bytes rose in none of the {0} intervals between snapshots.',
    );
  }
  return sayCount(
    steps,
    'Live bytes rose between the two snapshots.',
    'Live bytes rose in {1} of {0} intervals between snapshots.',
    countText(birthSteps),
  );
}

function fellText({ floors, drops, from }: Seen): string {
  const [first] = floors;
  const last = floors[floors.length - 1];
  if (floors.every((bytes) => bytes === first)) return say('Live bytes stayed at {0}.', byteText(first));
  const falls = floors.some((bytes, i) => i > 0 && bytes < floors[i - 1]);
  const span = [byteText(first), byteText(last)];
  if (!falls) return say('Live bytes never fell: {0} at first, {1} at last.', ...span);
  if (from === 'snapshots') {
    return sayCount(
      drops,
      'They fell in 1 interval: {1} at first, {2} at last.',
      'They fell in {0} intervals: {1} at first, {2} at last.',
      ...span,
    );
  }
  return drops > 0
    ? sayCount(drops, 'Half or more was let go at once, 1 time.', 'Half or more was let go at once, {0} times.')
    : say('Live bytes went from {0} to {1} in all.', ...span);
}
