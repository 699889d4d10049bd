/** The verdict on a run. */
import { findingsOf } from '../report/findings.js';
import { sum } from '../report/lineSelection.js';
import type { RunReport } from '../report/report.js';
import { isLoneSnapshot } from '../report/snapshotReport.js';
import type { RunOrder } from '../runs/runs.js';
import { asItIs, named } from '../text/names.js';
import { nameAndLine } from '../text/pathText.js';
import { byteText, countText } from '../text/numberText.js';
import { t, tCount } from '../text/translate.js';
import { GROWS } from '../verdict/shape.js';
import { endParts, heightText, peakParts } from './peakText.js';
import { processTitle } from './processTitle.js';
import { snapshotsText } from './words.js';

/** A sentence on the run's verdict, and one on ignored lines. @param code makes a code span of a recorded name */
export function verdictSentence(run: RunReport, code = asItIs): string {
  const count = (baseline: boolean): number =>
    run.lines.filter(({ ignored, inBaseline }) => ignored && inBaseline === baseline).length;
  const [ignored, old] = [count(false), count(true)];
  return [
    isLoneSnapshot(run) ? holdersSentence(run, code) : judgedSentence(run),
    ...(ignored === 0 ? [] : [tCount(ignored, '1 line is ignored.', '{0} lines are ignored.')]),
    ...(old === 0 ? [] : [tCount(old, '1 line is in the baseline.', '{0} lines are in the baseline.')]),
  ].join(' ');
}

/** Whether the passes of a lone snapshot's trace leave memory behind. */
function passesText({ count, growthBytes }: NonNullable<RunReport['passes']>): string {
  const passes = countText(count);
  return growthBytes <= 0
    ? t('Nothing grows over {0} passes.', passes)
    : t(
        'Live memory grows by {0} over the last half of {1} passes: record more of them.',
        byteText(growthBytes),
        passes,
      );
}

/** The peak and what holds it, or, without a trace, the live memory. */
function holdersSentence(run: RunReport, code: (text: string) => string): string {
  const peak = run.peaks.find(({ liveBytes: bytes }) => bytes > 0);
  if (peak === undefined) {
    const { total, largest } = endParts(run, code);
    return total === 0 ? t('Nothing is live.') : t('{0} live. Largest: {1}.', byteText(total), largest);
  }
  return [
    heightText(peak),
    // Memory at out of memory is listed above.
    ...(run.outOfMemory.length > 0 ? [] : [t('Largest: {0}.', peakParts(peak, code))]),
    ...(run.passes === null ? [] : [passesText(run.passes)]),
  ].join(' ');
}

function judgedSentence(run: RunReport): string {
  const isNews = GROWS.has(run.verdict) || run.verdict === 'cycle' || run.verdict === 'tooShort';
  if (!isNews && run.lines.some((line) => line.ignored && GROWS.has(line.verdict))) return t('No new leak.');
  const later = run.laterGrowth;
  if (later !== null) {
    return t(
      'No line leaks up to step {0}. After it, live memory grows from {1} to {2}.',
      countText(later.step),
      byteText(later.from),
      byteText(later.to),
    );
  }
  if (!isNews && run.process.length > 0) {
    return [t('No line leaks'), ...run.process.map(processTitle)].map((title) => `${title}.`).join(' ');
  }
  const leaks = findingsOf(run.lines.filter((line) => line.verdict === 'leak' && !line.ignored));
  return {
    // A single one contains its amount.
    leak: tCount(
      leaks.length,
      '1 leak.',
      '{0} leaks: {1} so far.',
      byteText(sum(leaks, ({ bytes }) => bytes) + run.otherLines.leakedBytes),
    ),
    cycle: t('A reference cycle holds memory until the garbage collector runs.'),
    periodic: t('Memory rises and falls periodically; no leak.'),
    growing: t('Memory grows: a buffer and a leak still look the same.'),
    plateau: t('Memory rose and stays level.'),
    oneOff: t('Memory rose once and stays level.'),
    steady: t('Memory is steady.'),
    tooShort: t('Too short for a verdict: record at least 3 snapshots, or one with a trace of at least 15 steps.'),
  }[run.verdict];
}

/** The source of the order of a run's snapshots, without steps and times in the files. */
function orderText(order: RunOrder): string | null {
  switch (order) {
    case 'namedTimes':
      return t('in order of the times in their names');
    case 'savedTimes':
      return t('in order of when their files were written, which copying may have changed');
    case 'names':
      return t('in order of their names');
    default:
      return null;
  }
}

/** The number of a run's snapshots, and their steps or the source of their order. */
export function spanText(run: RunReport): string {
  const order = run.snapshots.length > 1 ? orderText(run.order) : null;
  const more = run.atExit.length === 0 ? [] : [tCount(run.atExit.length, '1 more at exit', '{0} more at exit')];
  if (order !== null) return [snapshotsText(run.snapshots.length), order, ...more].join(', ');
  const steps = run.snapshots.map((snapshot) => snapshot.step).filter((step) => step !== null);
  const [first] = steps;
  const last = steps[steps.length - 1];
  const span = steps.length === 0 ? [] : [first === last ? t('step {0}', first) : t('steps {0} to {1}', first, last)];
  const loop = run.stepLoop === null ? [] : [t('one per round of the loop at {0}', named(nameAndLine(run.stepLoop)))];
  return [snapshotsText(run.snapshots.length), ...span, ...loop, ...more].join(', ');
}
