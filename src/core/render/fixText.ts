/** The answer on a fix in words, for a terminal and for Markdown. */
import { t } from '../text/translate.js';
import { byteText, signedByteText } from '../text/byteText.js';
import type { CompareReport, FixAnswer, FixLine, FixVerdict, Verdict } from '../report/report.js';
import {
  VERDICT_TEXT,
  fileAndLine,
  liveBytes,
  otherLinesText,
  perStep,
  placeText,
  snapshotsText,
} from '../report/reportText.js';
import { tableLines, type Column } from '../text/textTable.js';

const COLUMNS: readonly Column[] = [
  { title: 'ANSWER', align: '<' },
  { title: 'BEFORE', align: '>' },
  { title: 'AFTER', align: '>' },
  { title: 'LINE', align: '<' },
];

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

function asItIs(text: string): string {
  return text;
}

/** The answer: both rates where they are known, else why it is given. */
export function fixSentence({ answer, why, before, after }: FixVerdict): string {
  const rates = [before.leakBytesPerStep, after.leakBytesPerStep].map((rate) =>
    rate === null ? null : byteText(Math.round(rate)),
  );
  const [was, is] = rates;
  const known = was != null && is != null ? ([was, is] as const) : null;
  switch (answer) {
    case 'gone':
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

/** The subject of a comparison. */
export function fixSides({ before, after }: FixVerdict): string {
  return t('before: {0}; after: {1}', sideText(before), sideText(after));
}

function sideText({ run, rank, snapshots }: FixVerdict['before']): string {
  const count = snapshotsText(snapshots);
  return rank === null ? `${run} (${count})` : t('{0}, rank {1} ({2})', run, rank, count);
}

/** Lines of a terminal below the answer: the lines that leak in one of the runs. */
export function fixLines(fix: FixVerdict | null): string[] {
  if (fix === null) return [];
  const rows = fixRows(fix);
  const table = rows.length === 0 ? [] : ['', ...tableLines(COLUMNS, rows)];
  return [`  ${fixSides(fix)}`, ...table.map((text) => (text === '' ? '' : `  ${text}`)), ''];
}

/** Cells of a table: the lines, and the sum of the others. */
export function fixRows({ lines, otherLines }: FixVerdict): string[][] {
  const rows = lines.map(fixCells);
  if (otherLines === undefined) return rows;
  const rates = [otherLines.bytesPerStepBefore, otherLines.bytesPerStepAfter].map((bytes) =>
    bytes === null ? '' : perStep(byteText(Math.round(bytes)), 'annotations'),
  );
  return [...rows, ['', ...rates, otherLinesText(otherLines.lines)]];
}

/** Answer, rates and place of one line. */
function fixCells(line: FixLine): string[] {
  const { lineBefore, lineAfter } = line;
  const place = placeText({ ...line, line: lineAfter ?? lineBefore ?? 0 });
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
  const text = VERDICT_TEXT[verdict];
  return bytes === null ? text : `${text}, ${perStep(byteText(Math.round(bytes)), 'annotations')}`;
}
