/** The sentences on what the recorder saw of a holder. */
import { byteText, countText } from '../text/numberText.js';
import { t, tCount } from '../text/translate.js';
import type { HolderRelease } from '../model/recording.js';
import { type Custody, isUncalled, type Missing } from './custody.js';
import type { LineObservations } from './features.js';
import { nameAndLine } from '../text/pathText.js';
import { inProgram, repeatedText } from './reasonTexts.js';

/** Maximum number of loops in an explanation. */
const MAX_LOOPS = 3;

/** Why the recorder alone proves the leak. */
export function retainedTexts(custody: Extract<Custody, { isRetained: true }>): string[] {
  const { searches, steps, heldBytes, also } = custody;
  const kept = t(
    'In {0} searches over {1} steps, the holder freed none of its {2}.',
    countText(searches),
    countText(steps),
    byteText(heldBytes),
  );
  const others = also.map(({ name, place }) =>
    place === null ? t('{0} holds it as well.', name) : t('{0} ({1}) holds it as well.', name, nameAndLine(place)),
  );
  return [kept, ...others, ...proofTexts(custody)];
}

function proofTexts({ by, loops, missed }: Extract<Custody, { isRetained: true }>): string[] {
  switch (by) {
    case 'pinned':
      return [t('C++ code refers to the holder, so the garbage collector cannot free it.')];
    case 'survived':
      return [t('It survived two full garbage collections.')];
    case 'stale':
      return [t('The optimizer has state for parameters that it no longer updates.')];
    case 'graph':
      return [t('Its graph goes back to earlier steps, whose parameters the optimizer has changed since.')];
    case 'chances':
      return [
        ...inProgram(loops)
          .slice(0, MAX_LOOPS)
          .map(({ place, rounds }) => repeatedText(place, rounds)),
        ...(missed === null ? [] : [missedText(missed)]),
      ];
  }
}

function missedText(release: HolderRelease): string {
  const of = [release.function, nameAndLine(release)] as const;
  return isUncalled(release)
    ? t('{0} ({1}) releases it, but was not called.', ...of)
    : t('{0} ({1}) releases it, but ran and freed nothing of it.', ...of);
}

/** What the recorder needs to prove a leak, or what it did not find; null if it proves one, or shows nothing. */
export function missingText({ custody, isUnheld }: Pick<LineObservations, 'custody' | 'isUnheld'>): string | null {
  if (custody?.isRetained === false) return textOf(custody.missing);
  return isUnheld
    ? t('The search in the running process found no Python object that holds it, so C++ code does.')
    : null;
}

function textOf(missing: Missing): string {
  switch (missing.kind) {
    case 'search':
      return t('The search for holders did not find what holds most of it.');
    case 'searches':
      return tCount(
        missing.more,
        'One more snapshot with a search for holders shows whether the holder releases it.',
        '{0} more snapshots with a search for holders show whether the holder releases it.',
      );
    case 'steps':
      return tCount(
        missing.more,
        'It is too early for a verdict: 1 more step is needed.',
        'It is too early for a verdict: {0} more steps are needed.',
      );
    case 'parts':
      return t('Parts of the holder are gone, so it may release the rest.');
    case 'freed':
      return t('The holder has released {0} so far, so it may release the rest.', byteText(missing.bytes));
    case 'loop':
      return missing.place === null
        ? t('The recorder could not count the loops around the steps, and one of them may release it.')
        : t(
            'The loop at {0} may release it, but has not repeated twice since recording began.',
            nameAndLine(missing.place),
          );
    case 'uncounted':
      return t('The loop at {0} may release it, but its repetitions cannot be counted.', nameAndLine(missing.place));
    case 'nextPart':
      return t('Training goes on at {0}, and may release it there.', nameAndLine(missing.place));
    case 'library':
      return t('Code of a library stores it, and may release it after a count.');
    case 'release':
      return t('{0} may release it, but has not freed it so far.', nameAndLine(missing.place));
    case 'bound':
      return missing.place === null
        ? t('The holder has a fixed number of items, and may not be full yet.')
        : t('Its length may be limited at {0}, and it may not be full yet.', nameAndLine(missing.place));
    case 'result':
      return t('It may be the result of the loop at {0}, which is still running.', nameAndLine(missing.place));
    case 'keys':
      return t('The holder stores items by key, and the keys may repeat.');
  }
}
