/** The sentences that explain verdicts. */
import type { Bytes } from '../model/units.js';
import { byteText } from '../text/byteText.js';
import { countText } from '../text/numberText.js';
import { t, tCount } from '../text/translate.js';
import type { Decision } from './decide.js';
import type { BoundLimit, Chance, FullSize, KnownBound, LineFeatures, Place, Seen } from './features.js';

/** A device's capacity and headroom. */
interface Room {
  readonly capacityBytes: Bytes;
  readonly roomBytes: Bytes;
}

/** Maximum of chances in an explanation. */
const MOST_CHANCES = 3;

/**
 * The reasons for a line's verdict, as sentences.
 * @param gaps between the joined traces
 * @param room null if no capacity is known
 */
export function explain(
  decision: Decision,
  features: LineFeatures,
  seen: Seen,
  gaps: number,
  room: Room | null,
): string {
  const { rule, verdict } = decision;
  return [
    ...(rule === 'bounded' || rule === 'full' ? boundTexts(features.bound, room) : []),
    ...(seen.from === 'lifetimes' ? [allocatedText(seen), freedText(seen)] : [roseText(seen)]),
    fellText(seen),
    ...(gaps > 0 && seen.from === 'lifetimes'
      ? [
          tCount(
            gaps,
            'The traces have 1 gap: across it, blocks are matched by address, size and stack.',
            'The traces have {0} gaps: across them, blocks are matched by address, size and stack.',
          ),
        ]
      : []),
    ...(rule === null
      ? verdict === 'growing'
        ? [t('Too few steps: a buffer and a leak still look the same.')]
        : []
      : ruleTexts(rule, features)),
  ].join(' ');
}

function ruleTexts(rule: string, { chances }: LineFeatures): string[] {
  switch (rule) {
    case 'provedBefore':
      return [t('Proved by the source that ran, which was edited since.')];
    case 'stateOfParameters':
      return [t('An optimizer adds state for each parameter that trains for the first time.')];
    case 'longerInputs':
      return [t('Inputs that become longer look the same.')];
    case 'network':
      return [t('Layers added to a network on purpose look the same.')];
    case 'pending':
      return chances
        .filter(({ state }) => state === 'pending')
        .slice(0, MOST_CHANCES)
        .map(pendingText);
    case 'passed':
      return chances.slice(0, MOST_CHANCES).map(passedText);
    case 'endless':
      return [t('Nothing releases it.')];
    case 'noHolder':
      return [t('The source does not show what holds it.')];
    case 'nothingKnown':
      return [t('To find out whether it is a leak, record with Leakline or open the source.')];
    default:
      return [];
  }
}

function pendingText({ kind, place, times }: Chance): string {
  const at = placeText(place);
  switch (kind) {
    case 'loop':
      return t('Released when the loop at {0} repeats? Not reached since recording began.', at);
    case 'nextLoop':
      return t('Training goes on in another loop afterwards ({0}).', at);
    case 'release':
      return times !== null && times > 0
        ? t('Released by {0}? Not reached since this memory was allocated.', at)
        : t('Released by {0}? Not reached since recording began.', at);
    case 'bound':
      return t('Bounded at {0}? Not full yet.', at);
    case 'keys':
      return t('It may be full when all keys of {0} have occurred.', at);
    case 'count':
      return t('{0} may stop adding to it when a count is reached.', at);
  }
}

function passedText({ kind, place, times }: Chance): string {
  const at = placeText(place);
  const count = times ?? 0;
  switch (kind) {
    case 'loop':
      return tCount(count, 'The loop at {1} repeated 1 time.', 'The loop at {1} repeated {0} times.', at);
    case 'bound':
      return t('It has outgrown the bound at {0}.', at);
    default:
      return count === 0
        ? t('{0} runs in each step, and does not free it.', at)
        : tCount(count, '{1} ran 1 time, and did not free it.', '{1} ran {0} times, and did not free it.', at);
  }
}

function boundTexts(bound: KnownBound | null, room: Room | null): string[] {
  if (bound === null) return [];
  return [
    t('Held by `{0}` ({1}).', bound.name, placeText(bound.place)),
    limitText(bound.limit),
    room !== null && fitsIn(bound, room) === false ? tooMuchText(bound.full, room) : fullText(bound),
  ];
}

/** True if the remaining growth fits on the device; null if unknown. */
export function fitsIn({ isFull, full }: KnownBound, room: Room | null): boolean | null {
  if (isFull) return true;
  return full === null || room === null ? null : full.moreBytes <= room.roomBytes;
}

function limitText(limit: BoundLimit): string {
  switch (limit.kind) {
    case 'container':
      return t('It is a {0} of at most {1}.', limit.type, countText(limit.items));
    case 'loop':
      return t('A loop around it clears or replaces it.');
    case 'graph':
      return t('A backward pass frees its graph every {0} steps.', itemsText(limit));
    case 'items':
      return t('It holds at most {0}.', itemsText(limit));
  }
}

/** A number with its name in the source. */
function itemsText({ text, items }: { readonly text: string; readonly items: number | null }): string {
  if (items === null) return text;
  return String(items) === text.replaceAll('_', '') ? countText(items) : `${countText(items)} (${text})`;
}

function fullText({ isFull, full }: KnownBound): string {
  if (isFull) return t('It is full now.');
  if (full === null) return t('It is not full yet.');
  return full.isExact
    ? t('It is still growing: full, it holds about {0}.', byteText(full.bytes))
    : t('It is still growing: full, it holds {0} or more.', byteText(full.bytes));
}

function tooMuchText(full: FullSize | null, { capacityBytes, roomBytes }: Room): string {
  return t(
    'Full, it would hold {0}. It does not fit: of {1} on the device, {2} are left.',
    byteText(full?.bytes ?? 0),
    byteText(capacityBytes),
    byteText(roomBytes),
  );
}

/** `train.py:88` */
function placeText({ file, line }: Place): string {
  return `${file.slice(file.lastIndexOf('/') + 1)}:${line}`;
}

function allocatedText({ birthSteps, steps, survivors }: Seen): string {
  if (survivors === 0) return t('No allocation is still live.');
  if (birthSteps === 0) {
    return tCount(
      survivors,
      '1 allocation from before the first step is still live.',
      '{0} allocations from before the first step are still live.',
    );
  }
  return tCount(
    steps,
    'Allocations from the only step are still live.',
    'Allocations from {1} of {0} steps are still live.',
    countText(birthSteps),
  );
}

function freedText({ usualFreedAge, oldestFreedAge }: Seen): string {
  if (usualFreedAge === null || oldestFreedAge === null) return t('No block that outlived its step was freed.');
  if (usualFreedAge === oldestFreedAge) {
    return tCount(
      oldestFreedAge,
      'The oldest block that was freed lived 1 step.',
      'The oldest block that was freed lived {0} steps.',
    );
  }
  return tCount(
    usualFreedAge,
    'Of the freed blocks, 95 % lived at most 1 step, the oldest {1}.',
    'Of the freed blocks, 95 % lived at most {0} steps, the oldest {1}.',
    countText(oldestFreedAge),
  );
}

function roseText({ birthSteps, steps }: Seen): string {
  if (birthSteps === 0) {
    return tCount(
      steps,
      'Live bytes did not rise between the two snapshots.',
      'Live bytes rose in none of the {0} intervals between snapshots.',
    );
  }
  return tCount(
    steps,
    'Live bytes rose between the two snapshots.',
    'Live bytes rose in {1} of {0} intervals between snapshots.',
    countText(birthSteps),
  );
}

function fellText({ floors, drops, from }: Seen): string {
  const [first] = floors;
  const last = floors[floors.length - 1];
  if (floors.every((bytes) => bytes === first)) return t('Live bytes stayed at {0}.', byteText(first));
  const falls = floors.some((bytes, i) => i > 0 && bytes < floors[i - 1]);
  const span = [byteText(first), byteText(last)];
  if (!falls) return t('Live bytes never fell: {0} at first, {1} at last.', ...span);
  if (from === 'snapshots') {
    return tCount(
      drops,
      'They fell in 1 interval: {1} at first, {2} at last.',
      'They fell in {0} intervals: {1} at first, {2} at last.',
      ...span,
    );
  }
  return drops > 0
    ? tCount(drops, 'Half or more was freed at once, 1 time.', 'Half or more was freed at once, {0} times.')
    : t('Live bytes went from {0} to {1} in total.', ...span);
}
