/** Reports as Markdown, to paste into an issue or a pull request. */
import { bucketParts, comparedBucketParts } from '../report/bucketParts.js';
import { countText } from '../text/numberText.js';
import { t, tCount } from '../text/translate.js';
import { byteText, signedByteText } from '../text/byteText.js';
import { findingMarkdown } from './findingText.js';
import { compareSentences, fixRows, fixSides } from './fixText.js';
import { scopeTable } from './scopeText.js';
import { recordedFolder } from './recordedFolder.js';
import { selectLines } from '../report/lineSelection.js';
import { shownRuns } from './jobText.js';
import { outOfMemoryMarkdown } from './oomText.js';
import { peakMarkdown } from './peakText.js';
import { lineCells, SPARKLINE_WIDTH } from './renderText.js';
import { visibleText } from '../text/plainText.js';
import { cycleSentence, cycleTexts, trendPeakTexts, trendSentence, trendSeriesText } from './trendAndCycleText.js';
import type { CompareReport, CycleReport, FixVerdict, Report, RunReport, TrendReport } from '../report/report.js';
import {
  bucketText,
  deviceTexts,
  differentVersionTexts,
  isLoneSnapshot,
  liveCategoriesText,
  otherLinesText,
  placeText,
  spanText,
  verdictSentence,
  verdictText,
  warningTexts,
} from '../report/reportText.js';
import { sparkline } from '../text/sparkline.js';

interface MarkdownOptions {
  /** Rows of a table at most, leaks apart; the rest is one row. */
  readonly mostLines: number;
}

/** The report as Markdown that ends with a newline. Recorded names are code, never markup, links or mentions. */
export function renderMarkdown(report: Report, options: MarkdownOptions): string {
  const { runs, jobs } = shownRuns(report.runs, options.mostLines);
  const texts = [
    ...overBudgetMarkdown(report.overBudget),
    ...runs.map((run) => runMarkdown(run, options)),
    ...ranksMarkdown([
      ...jobs,
      ...[...report.missing, ...report.behind, ...report.ranks].map(({ message }) => message),
    ]),
    ...report.trends.map(trendMarkdown),
    ...report.cycles.map((cycles) => cyclesMarkdown(cycles, options)),
  ];
  return texts.join('\n');
}

/** The memory of each run at its peak or at out of memory, as Markdown that ends with a newline. */
export function renderPeakMarkdown(runs: readonly RunReport[]): string {
  return runs
    .map((run) => {
      const folder = recordedFolder(run);
      const code = (text: string): string => codeSpan(folder === '' ? text : text.replaceAll(folder, ''));
      const held = [...outOfMemoryMarkdown(run, code, codeSpan), ...peakMarkdown(run, code)];
      return document([
        titleOf(run),
        '',
        ...(held.length === 0 ? [t('No snapshot has a trace, so the peak is not known.')] : held),
        ...warnings(warningTexts(run.snapshots)),
      ]);
    })
    .join('\n');
}

/** Two snapshots side by side, as Markdown that ends with a newline. */
export function renderCompareMarkdown(report: CompareReport, options: MarkdownOptions): string {
  const shown = report.lines.filter((line) => line.growthBytes !== 0).slice(0, options.mostLines);
  const rest = report.lines.length + report.otherLines.lines - shown.length;
  const answer = `**${compareSentences(report, codeSpan).join(' ')}**`;
  return document([
    ...(report.fix === null ? [] : fixMarkdown(report.fix, answer)),
    `## ${t('GPU memory growth')}`,
    '',
    ...(report.fix === null ? [answer, ''] : []),
    `- A: ${codeSpan(report.a.path)}: ${deviceTexts(report.a).join('; ')}`,
    `- B: ${codeSpan(report.b.path)}: ${deviceTexts(report.b).join('; ')}`,
    '',
    ...table(
      [t('growth'), 'A', 'B', t('blocks A'), t('blocks B'), t('line')],
      [
        ...shown.map((line) => [line, codeSpan(placeText(line))] as const),
        ...comparedBucketParts(report).map(([bucket, cell]) => [cell, bucketText(bucket)] as const),
      ].map(([cell, place]) => [
        signedByteText(cell.growthBytes),
        byteText(cell.bytesA),
        byteText(cell.bytesB),
        countText(cell.blocksA),
        countText(cell.blocksB),
        place,
      ]),
    ),
    ...(rest > 0 ? ['', tCount(rest, '1 other line not shown.', '{0} other lines not shown.')] : []),
    ...warnings(warningTexts([report.a, report.b])),
  ]);
}

function fixMarkdown(fix: FixVerdict, answer: string): string[] {
  const rows = fixRows(fix).map(([answer, before, after, place]) => [answer, before, after, codeSpan(place)]);
  return [
    `## ${t('Is the leak gone?')}`,
    '',
    answer,
    '',
    `- ${codeSpan(fixSides(fix))}`,
    '',
    ...(rows.length > 0 ? [...table([t('answer'), t('before'), t('after'), t('line')], rows), ''] : []),
  ];
}

function overBudgetMarkdown(over: Report['overBudget']): string[] {
  if (over.length === 0) return [];
  return [document([`## ${t('Over budget')}`, '', ...over.map(({ message }) => `- ${codeSpan(message)}`)])];
}

function ranksMarkdown(messages: readonly string[]): string[] {
  if (messages.length === 0) return [];
  return [document([`## ${t('Ranks that differ')}`, '', ...messages.map((message) => `- ${codeSpan(message)}`)])];
}

function scopeMarkdown(run: RunReport): string[] {
  const scopes = scopeTable(run);
  if (scopes === null) return [];
  return [
    '',
    ...table(
      scopes.titles,
      scopes.rows.map((row) => [...row.slice(0, -1), codeSpan(row[row.length - 1])]),
    ),
  ];
}

function runMarkdown(run: RunReport, options: MarkdownOptions): string {
  const { shown, rest } = selectLines(run, options.mostLines);
  const isLone = isLoneSnapshot(run);
  const folder = recordedFolder(run);
  const code = (text: string): string => codeSpan(folder === '' ? text : text.replaceAll(folder, ''));
  const peaks = peakMarkdown(run, code);
  return document([
    titleOf(run),
    '',
    ...outOfMemoryMarkdown(run, code, codeSpan),
    `**${verdictSentence(run, code)}** ${spanText(run)}.`,
    ...(isLone ? peaks : []),
    ...scopeMarkdown(run),
    '',
    ...findingMarkdown(run, code),
    ...deviceTexts(run.snapshots[run.snapshots.length - 1]).map((text) => `- ${text}`),
    ...listed(liveCategoriesText(run)),
    ...run.process.map(({ message }) => `- ${code(message)}`),
    '',
    ...table(
      [...[t('verdict'), t('live'), t('growth'), t('rate')], ...[t('blocks'), t('series'), t('for'), t('line')]],
      [
        ...shown.map((line) => [
          line.verdict === 'leak' ? `**${verdictText(line)}**` : verdictText(line),
          ...lineCells(line, run),
          code(placeText(line)),
        ]),
        ...(rest.lines > 0
          ? [
              [
                '',
                byteText(rest.liveBytes),
                signedByteText(rest.growthBytes),
                '',
                countText(rest.blocks),
                '',
                '',
                otherLinesText(rest.lines),
              ],
            ]
          : []),
        ...bucketParts(run).map(([bucket, bytes]) => ['', byteText(bytes), '', '', '', '', '', bucketText(bucket)]),
      ],
    ),
    ...(isLone ? [] : peaks),
    ...warnings([...warningTexts(run.snapshots), ...differentVersionTexts(run)]),
    ...(folder === '' ? [] : ['', t('The files are in {0}.', codeSpan(folder))]),
  ]);
}

function titleOf({ id, rank }: RunReport): string {
  const title =
    rank === null ? t('GPU memory of {0}', codeSpan(id)) : t('GPU memory of {0}, rank {1}', codeSpan(id), rank);
  return `## ${title}`;
}

function listed(text: string): string[] {
  return text === '' ? [] : [`- ${text}`];
}

function trendMarkdown(trend: TrendReport): string {
  return document([
    `## ${t('GPU memory over time in {0}', codeSpan(trend.path))}`,
    '',
    [`${trendSentence(trend)}.`, ...trendPeakTexts(trend)].join(' '),
    '',
    ...trend.series.map(
      (series) => `- ${codeSpan(trendSeriesText(series))} ${sparkline(series.series, SPARKLINE_WIDTH)}`,
    ),
    ...warnings(trend.warnings.map(({ message }) => message)),
  ]);
}

function cyclesMarkdown(cycles: CycleReport, { mostLines }: MarkdownOptions): string {
  const texts = cycleTexts(cycles);
  const rest = texts.length - mostLines;
  return document([
    `## ${t('Reference cycles in {0}', codeSpan(cycles.path))}`,
    '',
    `${cycleSentence(cycles)}.`,
    '',
    ...texts.slice(0, mostLines).map((text) => `- ${codeSpan(text)}`),
    ...(rest > 0 ? ['', tCount(rest, '1 other not shown.', '{0} others not shown.')] : []),
  ]);
}

function warnings(texts: readonly string[]): string[] {
  return texts.length === 0 ? [] : ['', ...texts.map((text) => `- ${t('Warning: {0}', codeSpan(text))}`)];
}

/** The last column holds places and starts at the left, as does the first; figures end at the right. */
function table(titles: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    line(titles),
    line(titles.map((_, i) => (i === 0 || i === titles.length - 1 ? ':--' : '--:'))),
    ...rows.map(line),
  ];
}

/** A code span, whatever the text: its fence is longer than any run of backticks inside, and pipes do not end a cell. */
function codeSpan(text: string): string {
  const shown = visibleText(text).replaceAll('|', '\\|');
  const longest = Math.max(0, ...(shown.match(/`+/g) ?? []).map((ticks) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  const padding = longest > 0 || shown === '' ? ' ' : '';
  return `${fence}${padding}${shown}${padding}${fence}`;
}

function document(lines: readonly string[]): string {
  return lines.join('\n') + '\n';
}
