/** Whether a fix made a leak go away. */
import { t } from '../text/translate.js';
import { byteText, countText, signedByteText } from '../text/numberText.js';
import type { CompareReport, FixAnswer, FixLine, FixVerdict, Verdict } from '../report/report.js';
import { otherLinesText, snapshotsText, verdictCell } from './words.js';
import { perStep } from '../report/reportText.js';
import { fileAndLine, placeText } from '../text/pathText.js';
import { liveBytes } from '../report/snapshotReport.js';
import { asItIs, named } from '../text/names.js';
import { left, list, right, table, type Block } from './document.js';

/** Below this share of the earlier run's steps, the later one may have failed. */
const SHORT = 0.5;

/**
 * The beginning of a comparison on every surface: its subject, if that is not a run, and the answer.
 * @param code marks names of a snapshot as such
 */
export function compareSentences({ configurations, fix, a, b, lines }: CompareReport, code = asItIs): string[] {
  const notice = configurations === null ? [] : [configurationsText(configurations, code)];
  if (fix !== null) return [...notice, fixSentence(fix)];
  const [before, after] = [liveBytes(a), liveBytes(b)];
  const live = t('{0} live: {1} before, {2} after.', signedByteText(after - before), byteText(before), byteText(after));
  const most = lines.find(({ growthBytes }) => growthBytes > 0);
  if (most === undefined) return [...notice, live];
  return [...notice, live, t('Most at {0} ({1}).', code(fileAndLine(most)), signedByteText(most.growthBytes))];
}

/** The first sentence of a comparison of two configurations. */
export function configurationsText({ a, b }: NonNullable<CompareReport['configurations']>, code = asItIs): string {
  return t('This compares two configurations, {0} and {1}, not two moments of one run.', code(a), code(b));
}

/** The answer, and what limits it. */
export function fixSentence(fix: FixVerdict): string {
  const [was, is] = [fix.before.lastStep, fix.after.lastStep];
  const isShort = was !== null && is !== null && is < SHORT * was && fix.answer !== 'cannotTell';
  const answer = answerSentence(fix);
  return isShort
    ? `${answer} ${t('The later run ended at step {0}, the earlier one at step {1}.', countText(is), countText(was))}`
    : answer;
}

/** Both rates where they are known, else why the answer is given. */
function answerSentence({ answer, why, before, after, lines }: FixVerdict): string {
  const rates = [before.leakBytesPerStep, after.leakBytesPerStep].map((rate) =>
    rate === null ? null : byteText(Math.round(rate)),
  );
  const [was, is] = rates;
  const known = was != null && is != null ? ([was, is] as const) : null;
  switch (answer) {
    case 'gone':
      if (was != null && lines.every(({ verdictBefore }) => verdictBefore === 'growing'))
        return t('The growth is gone: {0} per step before, 0 now.', was);
      return was == null ? t('The leak is gone: {0}', why) : t('The leak is gone: {0} per step before, 0 now.', was);
    case 'smaller':
      return known === null
        ? t('The leak is smaller: {0}', why)
        : t('The leak is smaller: {0} per step before, {1} now.', ...known);
    case 'same':
      return t('No change: {0}', why);
    case 'worse':
      return known === null ? t('Worse: {0}', why) : t('Worse: {0} per step before, {1} now.', ...known);
    case 'cannotTell':
      return t('Cannot tell: {0}', why);
  }
}

/** The two runs, and a table of the lines that leak in one of them. */
export function fixBlocks({ before, after, lines, otherLines }: FixVerdict): Block[] {
  const rates = [otherLines?.bytesPerStepBefore ?? null, otherLines?.bytesPerStepAfter ?? null].map((bytes) =>
    bytes === null ? '' : perStep(byteText(Math.round(bytes)), 'annotations'),
  );
  return [
    ...list(t('before: {0}; after: {1}', sideText(before), sideText(after))),
    ...table(
      [left(t('answer')), right(t('before')), right(t('after')), left(t('line'))],
      [...lines.map(fixCells), ...(otherLines === undefined ? [] : [['', ...rates, otherLinesText(otherLines.lines)]])],
    ),
  ];
}

function sideText({ run, rank, snapshots }: FixVerdict['before']): string {
  const count = snapshotsText(snapshots);
  return rank === null ? `${named(run)} (${count})` : t('{0}, rank {1} ({2})', named(run), rank, count);
}

/** Answer, rates and place of one line. */
function fixCells(line: FixLine): string[] {
  const { lineBefore, lineAfter } = line;
  const place = named(placeText({ ...line, line: lineAfter ?? lineBefore ?? 0 }));
  const moved = lineBefore !== null && lineAfter !== null && lineBefore !== lineAfter;
  return [
    answerText(line.answer),
    rate(line.verdictBefore, line.bytesPerStepBefore),
    rate(line.verdictAfter, line.bytesPerStepAfter),
    moved ? t('{0}, was line {1}', place, lineBefore) : place,
  ];
}

function answerText(answer: FixAnswer): string {
  return {
    gone: t('gone'),
    smaller: t('smaller'),
    same: t('same'),
    worse: t('worse'),
    cannotTell: t('cannot tell'),
  }[answer];
}

function rate(verdict: Verdict | null, bytes: number | null): string {
  if (verdict === null) return t('not there');
  const text = verdictCell(verdict);
  return bytes === null ? text : `${text}, ${perStep(byteText(Math.round(bytes)), 'annotations')}`;
}
