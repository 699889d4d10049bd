/** Texts of the overview of a run. */
import type { BeforePart, RunCurve, RunPart, RunStep } from '../../src/protocol/runData.js';
import { formatDuration } from '../text/duration.js';
import { byteText, countText } from '../../src/core/text/numberText.js';
import { basename } from '../../src/core/text/pathText.js';
import { t } from '../../src/core/text/translate.js';

/** `step 40`, or the file's name where no step is known. */
export function partName({ step, path }: RunPart): string {
  return step === null ? basename(path) : t('step {0}', countText(step));
}

/** `41`, or `~41` where steps are identified by their rhythm. */
export function stepName({ number, isGuess }: RunStep): string {
  return `${isGuess ? '~' : ''}${countText(number)}`;
}

/** The steps that are marked in a part: the first and the last of them. */
export function stepsText({ steps, parts }: RunCurve, index: number): string {
  const { from, to } = parts[index];
  const own = steps.filter(({ x }) => x >= from && x <= to);
  if (own.length === 0) return '\u2013';
  const [first, last] = [stepName(own[0]), stepName(own[own.length - 1])];
  return first === last ? first : `${first} \u2013 ${last}`;
}

const BEFORE: Record<BeforePart, string> = {
  start: t('recorded from its first event on'),
  joined: t('recorded without a gap'),
  gap: t('events before it were not recorded'),
  unrecorded: t('its history was not recorded'),
};

/** How a part continues the previous one. */
export function beforeText(run: RunCurve, index: number): string {
  const { before, from, events } = run.parts[index];
  if (before === 'start' && events === 0) return BEFORE.unrecorded;
  if (before === 'gap' && run.axis === 'time' && index > 0)
    return t('not recorded for {0} before it', formatDuration(from - run.parts[index - 1].to));
  return BEFORE[before];
}

/** A snapshot of the run in a sentence. */
export function partText(run: RunCurve, index: number): string {
  const part = run.parts[index];
  return t(
    'Snapshot {0} of {1}, {2}: {3} live, {4}',
    countText(index + 1),
    countText(run.parts.length),
    partName(part),
    byteText(part.liveBytes),
    beforeText(run, index),
  );
}

/** The heading of the overview. */
export function runSummary({ parts }: RunCurve): string {
  const gaps = parts.filter(({ before }) => before === 'gap').length;
  const bare = parts.filter(({ events }) => events === 0).length;
  const first = parts[0];
  const last = parts[parts.length - 1];
  return [
    t(
      '{0} snapshots, {1} live in the first, {2} in the last',
      countText(parts.length),
      byteText(first.liveBytes),
      byteText(last.liveBytes),
    ),
    ...(gaps === 0 ? [] : [t('gaps in the recording (hatched): {0}', countText(gaps))]),
    ...(bare === 0 ? [] : [t('without history: {0}', countText(bare))]),
  ].join('; ');
}

/** Why the recording of a snapshot cannot be right: more live than reserved memory. Null without a contradiction. */
export function contradiction({ parts, live, reserved }: RunCurve, path: string): string | null {
  const { first, end } = parts.find((part) => part.path === path) ?? { first: 0, end: 0 };
  let worst = -1;
  for (let at = first; reserved !== null && at < end; at++)
    if (live[at] > reserved[at] && (worst < 0 || live[at] - reserved[at] > live[worst] - reserved[worst])) worst = at;
  return worst < 0 || reserved === null
    ? null
    : t(
        'This recording cannot be trusted: its events add up to {0} live in {1} of reserved memory, so some are missing or wrong.',
        byteText(live[worst]),
        byteText(reserved[worst]),
      );
}
