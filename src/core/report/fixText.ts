/** The answer on a fix in words, for a terminal and for Markdown. */
import { byteText } from './byteText.js';
import type { FixAnswer, FixLine, FixVerdict } from './report.js';
import { plural } from './reportWords.js';
import { tableLines, type Column } from './textTable.js';

const ANSWER: Readonly<Record<FixAnswer, string>> = {
  gone: 'The leak is gone',
  smaller: 'The leak is smaller',
  same: 'No change',
  worse: 'Worse',
  cannotTell: 'Cannot tell',
};

const WORD: Readonly<Record<FixAnswer, string>> = {
  gone: 'gone',
  smaller: 'smaller',
  same: 'same',
  worse: 'worse',
  cannotTell: 'cannot tell',
};

const COLUMNS: readonly Column[] = [
  { title: 'ANSWER', align: '<' },
  { title: 'BEFORE', align: '>' },
  { title: 'AFTER', align: '>' },
  { title: 'LINE', align: '<' },
];

/** The answer in one or two sentences. */
export function fixSentence({ answer, why }: FixVerdict): string {
  return `${ANSWER[answer]}: ${why}`;
}

/** What was compared. */
export function fixSides({ before, after }: FixVerdict): string {
  const side = ({ run, rank, snapshots }: FixVerdict['before']): string =>
    `${run}${rank === null ? '' : `, rank ${rank}`} (${plural(snapshots, 'snapshot')})`;
  return `before: ${side(before)}; after: ${side(after)}`;
}

/** Lines of a terminal: the answer first, then the lines that leak in one of the runs. */
export function fixLines(fix: FixVerdict | null): string[] {
  if (fix === null) return [];
  const table = fix.lines.length === 0 ? [] : ['', ...tableLines(COLUMNS, fix.lines.map(fixCells))];
  return [fixSentence(fix), `  ${fixSides(fix)}`, ...table.map((text) => (text === '' ? '' : `  ${text}`)), ''];
}

/** Answer, rates and place of one line. */
export function fixCells(line: FixLine): string[] {
  const { file, function: name, lineBefore, lineAfter } = line;
  const moved = lineBefore !== null && lineAfter !== null && lineBefore !== lineAfter;
  const number = lineAfter ?? lineBefore ?? 0;
  return [
    WORD[line.answer],
    rate(line.verdictBefore, line.bytesPerStepBefore),
    rate(line.verdictAfter, line.bytesPerStepAfter),
    `${file}:${number} (${name})${moved ? `, was line ${lineBefore}` : ''}`,
  ];
}

function rate(verdict: string | null, bytes: number | null): string {
  if (verdict === null) return 'not there';
  const figure = bytes === null ? '' : `, ${byteText(Math.round(bytes))}/step`;
  return verdict + figure;
}
