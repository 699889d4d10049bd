/** The sentences on chances of release. */
import type { Chance, Place } from '../facts/evidence.js';
import { recordedKind } from '../model/recordedFile.js';
import { t, tCount } from '../text/translate.js';
import { nameAndLine } from '../text/pathText.js';
import type { LineFeatures } from './features.js';

/** Maximum number of chances in an explanation. */
const MAX_CHANCES = 3;

/** Releases that have not run. */
export function pendingTexts(chances: readonly Chance[]): string[] {
  return chances
    .filter(({ state }) => state === 'pending')
    .slice(0, MAX_CHANCES)
    .map(pendingText);
}

/** Releases that ran and freed nothing. */
export function passedTexts(chances: readonly Chance[]): string[] {
  return inProgram(chances).slice(0, MAX_CHANCES).map(passedText);
}

/** Leaves out places in libraries, if there are others: the reader knows the program. */
export function inProgram<Of extends { readonly place: Place }>(all: readonly Of[]): readonly Of[] {
  const own = all.filter(({ place }) => recordedKind(place.file) !== 'library');
  return own.length > 0 ? own : all;
}

/** For memory in a reference cycle. */
export function garbageText(): string {
  return t('It is garbage in a reference cycle, and waits for a full garbage collection.');
}

/** What most of growing memory is held through. */
export function throughTexts(through: LineFeatures['through']): string[] {
  switch (through) {
    case 'graph':
      return [t('Most of it is held through the graph of what is stored, which .detach() leaves out.')];
    case 'traceback':
      return [t('It is held through the traceback of an error, which keeps the variables of each function.')];
    case 'hook':
    case null:
      return [];
  }
}

function pendingText({ kind, place, times }: Chance): string {
  const at = nameAndLine(place);
  switch (kind) {
    case 'loop':
      return times !== null && times > 0
        ? t('The loop at {0} may release it, but has not repeated since this memory was allocated.', at)
        : t('The loop at {0} may release it, but has not repeated since recording began.', at);
    case 'nextLoop':
      return t('Training goes on in another loop afterwards ({0}).', at);
    case 'read':
      return t('{0} reads it after the loop, so it may be the result.', at);
    case 'use':
      return t('{0} uses it in each step, so the program may need it.', at);
    case 'release':
      // Before Python 3.12, no recorder can tell whether a statement ran.
      if (times === null) return t('{0} may release it, but has not freed it so far.', at);
      return times > 0
        ? t('{0} may release it, but has not run since this memory was allocated.', at)
        : t('{0} may release it, but has not run since recording began.', at);
    case 'bound':
      return t('It may be bounded at {0}, and is not full yet.', at);
    case 'keys':
      return t('It may be full when all keys of {0} have occurred.', at);
    case 'count':
      return t('{0} adds to it only under a condition, and may stop.', at);
  }
}

function passedText({ kind, place, times }: Chance): string {
  const at = nameAndLine(place);
  const count = times ?? 0;
  switch (kind) {
    case 'loop':
      return repeatedText(place, count);
    case 'bound':
      return t('It has outgrown the bound at {0}.', at);
    default:
      return count === 0
        ? t('{0} runs in each step, and does not free it.', at)
        : tCount(count, '{1} ran 1 time, and did not free it.', '{1} ran {0} times, and did not free it.', at);
  }
}

/** How often a loop repeated. */
export function repeatedText(place: Place, rounds: number): string {
  return tCount(rounds, 'The loop at {1} repeated 1 time.', 'The loop at {1} repeated {0} times.', nameAndLine(place));
}
