/** The answer on a fix in words, for a terminal and for Markdown. */
import { say } from '../text/say.js';
import { byteText, signedByteText } from '../text/byteText.js';
import type { CompareReport, FixAnswer, FixLine, FixVerdict, Verdict } from '../report/report.js';
import { configurationsText } from '../report/buildCompare.js';
import { VERDICT_WORD, fileAndLine, liveBytes, perStep, placeText, snapshotsText } from '../report/reportWords.js';
import { tableLines, type Column } from '../text/textTable.js';

const COLUMNS: readonly Column[] = [
  { title: 'ANSWER', align: '<' },
  { title: 'BEFORE', align: '>' },
  { title: 'AFTER', align: '>' },
  { title: 'LINE', align: '<' },
];

/** What every surface says first of a comparison: what is compared if that is no run, and the answer. */
export function compareSentences({ configurations, fix, a, b, lines }: CompareReport): string[] {
  const notice = configurations === null ? [] : [configurationsText(configurations)];
  if (fix !== null) return [...notice, fixSentence(fix)];
  const [before, after] = [liveBytes(a), liveBytes(b)];
  const live = say(
    '{0} live: {1} before, {2} after.',
    signedByteText(after - before),
    byteText(before),
    byteText(after),
  );
  const most = lines.find(({ growthBytes }) => growthBytes > 0);
  if (most === undefined) return [...notice, live];
  return [...notice, live, say('Most at {0} ({1}).', fileAndLine(most), signedByteText(most.growthBytes))];
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
      return was == null
        ? say('The leak is gone: {0}', why)
        : say('The leak is gone: {0} per step before, 0 now.', was);
    case 'smaller':
      return known === null
        ? say('The leak is smaller: {0}', why)
        : say('The leak is smaller: {0} per step before, {1} now.', ...known);
    case 'same':
      return say('No change: {0}', why);
    case 'worse':
      return known === null ? say('Worse: {0}', why) : say('Worse: {0} per step before, {1} now.', ...known);
    case 'cannotTell':
      return say('Cannot tell: {0}', why);
  }
}

/** What was compared. */
export function fixSides({ before, after }: FixVerdict): string {
  return say('before: {0}; after: {1}', sideText(before), sideText(after));
}

function sideText({ run, rank, snapshots }: FixVerdict['before']): string {
  const count = snapshotsText(snapshots);
  return rank === null ? `${run} (${count})` : say('{0}, rank {1} ({2})', run, rank, count);
}

/** Lines of a terminal below the answer: the lines that leak in one of the runs. */
export function fixLines(fix: FixVerdict | null): string[] {
  if (fix === null) return [];
  const table = fix.lines.length === 0 ? [] : ['', ...tableLines(COLUMNS, fix.lines.map(fixCells))];
  return [`  ${fixSides(fix)}`, ...table.map((text) => (text === '' ? '' : `  ${text}`)), ''];
}

/** Answer, rates and place of one line. */
export function fixCells(line: FixLine): string[] {
  const { lineBefore, lineAfter } = line;
  const place = placeText({ ...line, line: lineAfter ?? lineBefore ?? 0 });
  const moved = lineBefore !== null && lineAfter !== null && lineBefore !== lineAfter;
  return [
    answerWord(line.answer),
    rate(line.verdictBefore, line.bytesPerStepBefore),
    rate(line.verdictAfter, line.bytesPerStepAfter),
    moved ? say('{0}, was line {1}', place, lineBefore) : place,
  ];
}

function answerWord(answer: FixAnswer): string {
  switch (answer) {
    case 'gone':
      return say('gone');
    case 'smaller':
      return say('smaller');
    case 'same':
      return say('same');
    case 'worse':
      return say('worse');
    case 'cannotTell':
      return say('cannot tell');
  }
}

function rate(verdict: Verdict | null, bytes: number | null): string {
  if (verdict === null) return say('not there');
  const word = VERDICT_WORD[verdict];
  return bytes === null ? word : `${word}, ${perStep(byteText(Math.round(bytes)), 'annotations')}`;
}
