/** The sentences on what was observed of a line. */
import { byteText, countText } from '../text/numberText.js';
import { t, tCount } from '../text/translate.js';
import type { Seen } from './features.js';

/** @param gaps between the joined traces */
export function seenTexts(seen: Seen, gaps: number): string[] {
  return [
    ...(seen.from === 'lifetimes' ? [allocatedText(seen), freedText(seen)] : [roseText(seen)]),
    fellText(seen),
    ...(gaps > 0 && seen.from === 'lifetimes'
      ? [
          tCount(
            gaps,
            'The traces have 1 gap: blocks across it are matched by address, size and stack, and their steps are estimated.',
            'The traces have {0} gaps: blocks across them are matched by address, size and stack, and their steps are estimated.',
          ),
        ]
      : []),
  ];
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
