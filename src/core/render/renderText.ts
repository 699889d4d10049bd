/** Reports as text for a terminal. Exact bytes are beside the short form, so that every column adds up. */
import type { UnmappedFiles } from '../attribution/pathMapping.js';
import { bucketParts, comparedBucketParts } from '../report/bucketParts.js';
import { addCells, emptyCell } from '../report/compareCells.js';
import { t } from '../text/translate.js';
import { countText } from '../text/numberText.js';
import { byteText, signedByteText } from '../text/byteText.js';
import { compareSentences, fixLines } from './fixText.js';
import { findingLines } from './findingText.js';
import { shownRuns } from './jobText.js';
import { recordedFolder } from './recordedFolder.js';
import { selectLines, sum } from '../report/lineSelection.js';
import { outOfMemoryLines } from './oomText.js';
import { peakLines } from './peakText.js';
import { scopeTable } from './scopeText.js';
import { visibleText } from '../text/plainText.js';
import { plural } from '../text/plural.js';
import { cycleSentence, cycleTexts, trendPeakTexts, trendSentence, trendSeriesText } from './trendAndCycleText.js';
import type {
  CompareCell,
  CompareReport,
  CycleReport,
  LineReport,
  Report,
  RunReport,
  TrendReport,
} from '../report/report.js';
import {
  bucketText,
  categoryText,
  deviceTexts,
  differentVersionTexts,
  endParts,
  isLoneSnapshot,
  liveBytes,
  liveCategoriesText,
  placeText,
  rateText,
  spanText,
  unknownFlowSentence,
  verdictText,
  verdictSentence,
  warningTexts,
} from '../report/reportText.js';
import { sparkline } from '../text/sparkline.js';
import { tableLines, type Column } from '../text/textTable.js';

interface TextOptions {
  /** Rows of a table at most, leaks apart; the rest is one row. Infinity shows steady lines below 1 % as well. */
  readonly mostLines: number;
}

/** Where traces do not meet. */
const REUSED_SENTENCE =
  'The traces do not overlap: survivors are matched by address, size and stack, and an address may have been reused.';
export const SPARKLINE_WIDTH = 12;
/** Paths that mapping left open, named at most. */
const MAX_PATHS = 5;

/** The report as text that ends with a newline. Control characters of recorded names show as escapes. */
export function renderText(report: Report, options: TextOptions): string {
  const { runs, jobs } = shownRuns(report.runs, options.mostLines);
  const texts = [
    ...runs.map((run) => runText(run, options)),
    ...jobs.map((text) => visibleText(text) + '\n'),
    ...[...report.missing, ...report.behind].map(({ job, message }) => visibleText(`${job}: ${message}`) + '\n'),
    ...report.ranks.map(({ job, message }) => visibleText(`${job}: ${message}`) + '\n'),
    ...report.trends.map(trendText),
    ...report.cycles.map((cycles) => cyclesText(cycles, options)),
  ];
  return texts.join('\n');
}

/** Two snapshots side by side, as text that ends with a newline. */
export function renderCompareText(report: CompareReport, options: TextOptions): string {
  const rows: CompareRow[] = [];
  const sumOf = (cells: readonly CompareCell[]): CompareCell =>
    cells.reduce((all, cell) => addCells(all, cell), emptyCell(true));
  const moved = report.lines.filter((line) => line.growthBytes !== 0 || line.blocksA !== line.blocksB);
  const shown = new Set(moved.slice(0, options.mostLines));
  const rest = report.lines.filter((line) => !shown.has(line));
  const others = rest.length + report.otherLines.lines;
  for (const line of shown) rows.push([line, placeText(line)]);
  if (others > 0)
    rows.push([sumOf([...rest, report.otherLines]), plural(others, shown.size > 0 ? 'other line' : 'line')]);
  rows.push(...comparedBucketParts(report).map(([bucket, cell]): CompareRow => [cell, `(${bucketText(bucket)})`]));
  rows.push([sumOf(rows.map(([cell]) => cell)), 'total']);

  const flow = report.buckets.library.flow !== null;
  const columns: Column[] = [
    { title: 'GROWTH', align: '>' },
    { title: 'BYTES', align: '>' },
    { title: 'IN A', align: '>' },
    { title: 'IN B', align: '>' },
    { title: 'BLOCKS A', align: '>' },
    { title: 'BLOCKS B', align: '>' },
    ...(flow ? (['SURVIVED', 'NEW', 'FREED'] as const).map((title): Column => ({ title, align: '>' })) : []),
    { title: 'LINE', align: '<' },
  ];
  const lines = [
    compareSentences(report).join(' '),
    ...(report.fix === null ? [''] : fixLines(report.fix)),
    `A: ${report.a.path}`,
    ...deviceTexts(report.a).map((text) => `   ${text}`),
    `B: ${report.b.path}`,
    ...deviceTexts(report.b).map((text) => `   ${text}`),
    '',
    ...tableLines(
      columns,
      rows.map(([cell, place]) => [
        signedByteText(cell.growthBytes),
        (cell.growthBytes > 0 ? '+' : '') + countText(cell.growthBytes),
        byteText(cell.bytesA),
        byteText(cell.bytesB),
        countText(cell.blocksA),
        countText(cell.blocksB),
        ...(flow ? flowTexts(cell) : []),
        visibleText(place),
      ]),
    ),
    ...(flow ? [] : ['', unknownFlowSentence(report)]),
    ...(report.reused ? ['', REUSED_SENTENCE] : []),
    ...notes(warningTexts([report.a, report.b])),
  ];
  return lines.map(visibleText).join('\n') + '\n';
}

/** Unmapped files, as lines without a newline at the end; none if all are mapped. @param isAny some files are mapped */
export function unmappedText(paths: UnmappedFiles, isAny: boolean): string[] {
  const texts: string[] = [];
  const files = paths.unmapped.length;
  if (files > 0) {
    texts.push(
      isAny
        ? `${plural(files, 'recorded file')} not found below the root: ${listed(paths.unmapped)}. Map them with --map FROM=TO.`
        : 'No source: the recorded files are not below the root. Run this in the project, or pass --root or --map FROM=TO.',
    );
  }
  for (const { recorded, candidates } of paths.ambiguous.slice(0, MAX_PATHS)) {
    texts.push(`${recorded} could be ${candidates.slice(0, MAX_PATHS).join(' or ')}. Choose with --map FROM=TO.`);
  }
  if (paths.ambiguous.length > MAX_PATHS) texts.push(`${paths.ambiguous.length - MAX_PATHS} more files are ambiguous.`);
  return texts.map(visibleText);
}

function trendText(trend: TrendReport): string {
  const lines = [
    `${trend.path}: ${trendSentence(trend)}`,
    ...trendPeakTexts(trend).map((text) => `  ${text}`),
    ...trend.series.map((series) => `  ${sparkline(series.series, SPARKLINE_WIDTH)} ${trendSeriesText(series)}`),
    ...notes(trend.warnings.map(({ message }) => message)),
  ];
  return lines.map(visibleText).join('\n') + '\n';
}

function cyclesText(cycles: CycleReport, { mostLines }: TextOptions): string {
  const texts = cycleTexts(cycles);
  const rest = texts.length - mostLines;
  const lines = [
    `${cycles.path}: ${cycleSentence(cycles)}`,
    ...texts.slice(0, mostLines).map((text) => `  ${text}`),
    ...(rest > 0 ? [`  and ${plural(rest, 'other')}`] : []),
  ];
  return lines.map(visibleText).join('\n') + '\n';
}

type CompareRow = readonly [cell: CompareCell, place: string];

function runText(run: RunReport, options: TextOptions): string {
  const last = run.snapshots[run.snapshots.length - 1];
  const { shown, rest } = selectLines(run, options.mostLines);
  const buckets = run.buckets.library + run.buckets.beforeRecording;
  const rows = [
    ...shown.map((line) => lineRow(line, run)),
    ...(rest.lines > 0
      ? [
          otherRow(
            rest.liveBytes,
            signedByteText(rest.growthBytes),
            countText(rest.blocks),
            plural(rest.lines, 'other line'),
          ),
        ]
      : []),
    ...bucketParts(run).map(([bucket, bytes]) => otherRow(bytes, '', '', `(${bucketText(bucket)})`)),
    otherRow(sum([...run.lines, run.otherLines], (line) => line.liveBytes) + buckets, '', '', 'total'),
  ];
  const peaks = peakLines(run, options.mostLines);
  const isLone = isLoneSnapshot(run);
  const table = ['', ...tableLines(COLUMNS, rows).map((row) => `  ${row}`)];
  const lines = [
    ...outOfMemoryLines(run, options.mostLines),
    `${titleOf(run)}: ${verdictSentence(run)}`,
    ...forecastLine(run),
    ...findingLines(run),
    ...(isLone ? peaks : []),
    ...scopeLines(run),
    '',
    `  ${spanText(run)}, ${plural(
      sum(run.snapshots, (snapshot) => snapshot.events),
      'event',
    )}`,
    ...growthLine(run),
    ...deviceTexts(last).map((text) => `  ${text}`),
    ...liveLines(run, peaks.length > 0 && options.mostLines !== Infinity, table),
    ...run.process.flatMap(({ message }) => ['', `  ${message}`]),
    ...(isLone ? [] : peaks),
    ...notes([...warningTexts(run.snapshots), ...differentVersionTexts(run)]),
  ];
  const folder = recordedFolder(run);
  // Out of memory names its line in full, and a run is named as it is.
  const title = titleOf(run);
  const short =
    folder === ''
      ? lines
      : lines.map((line, i) =>
          i === 0 && !line.startsWith(title)
            ? line
            : line.startsWith(title)
              ? title + line.slice(title.length).replaceAll(folder, '')
              : line.replaceAll(folder, ''),
        );
  return (
    [...short, ...(folder === '' ? [] : ['', `  ${t('The files are in {0}.', folder)}`])].map(visibleText).join('\n') +
    '\n'
  );
}

function titleOf({ id, rank }: RunReport): string {
  return rank === null ? id : `${id}, rank ${rank}`;
}

/** What is live at the end: a sentence below a lone snapshot's peak, else a table. Nothing of an empty snapshot. */
function liveLines(run: RunReport, isBelowPeak: boolean, table: readonly string[]): string[] {
  if (!isLoneSnapshot(run)) return [...indented(liveCategoriesText(run)), ...table];
  if (endParts(run, (text) => text).total === 0) return [];
  return isBelowPeak ? indented(endText(run)) : [...indented(liveCategoriesText(run)), ...table];
}

/** What is left of the peak at the end of a trace, in one sentence. */
function endText(run: RunReport): string {
  if (run.peaks.every(({ isState }) => isState)) return '';
  const { total, largest } = endParts(run, (text) => text);
  return total === 0 ? '' : t('At the end: {0}.', largest);
}

function scopeLines(run: RunReport): string[] {
  const table = scopeTable(run);
  if (table === null) return [];
  const columns = table.titles.map((title, i): Column => ({
    title: title.toUpperCase(),
    align: i === table.titles.length - 1 ? '<' : '>',
  }));
  return ['', ...tableLines(columns, table.rows).map((row) => `  ${row}`)];
}

const COLUMNS: readonly Column[] = [
  { title: 'VERDICT', align: '<' },
  { title: 'LIVE', align: '>' },
  { title: 'BYTES', align: '>' },
  { title: 'GROWTH', align: '>' },
  { title: 'RATE', align: '>' },
  { title: 'BLOCKS', align: '>' },
  { title: 'SERIES', align: '<' },
  { title: 'FOR', align: '<' },
  { title: 'LINE', align: '<' },
];

function lineRow(line: LineReport, run: RunReport): string[] {
  const [live, ...others] = lineCells(line, run);
  return [verdictText(line), live, countText(line.liveBytes), ...others, visibleText(placeText(line))];
}

/** The cells between verdict and place that the tables of all forms have: live bytes to category. */
export function lineCells(line: LineReport, run: RunReport): string[] {
  return [
    byteText(line.liveBytes),
    signedByteText(line.growthBytes),
    rateText(line, run.steps),
    countText(line.blocks),
    sparkline(line.series, SPARKLINE_WIDTH),
    line.liveBytes > 0 ? categoryText(line.category) : '',
  ];
}

function otherRow(bytes: number, growth: string, blocks: string, place: string): string[] {
  return ['', byteText(bytes), countText(bytes), growth, '', blocks, '', '', place];
}

function indented(text: string): string[] {
  return text === '' ? [] : [`  ${text}`];
}

function growthLine(run: RunReport): string[] {
  if (run.snapshots.length < 2) return [];
  const series = run.snapshots.map(liveBytes);
  const growth = series[series.length - 1] - series[0];
  return [
    `  live ${sparkline(series, SPARKLINE_WIDTH)} ${byteText(series[0])} at first, ${signedByteText(growth)} since`,
  ];
}

function forecastLine({ forecast }: RunReport): string[] {
  if (forecast === null) return [];
  const { stepsToOom, low, high, capacityBytes } = forecast;
  return [
    `  out of memory in about ${plural(stepsToOom, 'step')} (${countText(low)} to ${countText(high)}) of ${byteText(capacityBytes)}`,
  ];
}

function notes(texts: readonly string[]): string[] {
  return texts.length === 0 ? [] : ['', ...texts.map((text) => `  warning: ${text}`)];
}

function listed(paths: readonly string[]): string {
  const rest = paths.length - MAX_PATHS;
  return paths.slice(0, MAX_PATHS).join(', ') + (rest > 0 ? `, and ${rest} more` : '');
}

function flowTexts({ flow }: CompareCell): string[] {
  return flow === null
    ? ['', '', '']
    : [flow.survived, flow.allocated, flow.freed].map(({ blocks }) => countText(blocks));
}
