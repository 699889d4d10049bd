/** The report on one run: the answer, its findings, the numbers. */
import { bucketParts } from '../report/bucketParts.js';
import { findingsOf, type Finding } from '../report/findings.js';
import { isSuspect, selectLines, sum } from '../report/lineSelection.js';
import type { LineReport, RunReport } from '../report/report.js';
import { endParts } from './peakText.js';
import { spanText, verdictSentence } from './runText.js';
import { differentVersionTexts, warningTexts } from './warningTexts.js';
import {
  bucketText,
  categoryText,
  deviceTexts,
  holderSourceText,
  liveCategoriesText,
  otherLinesText,
  rateText,
  verdictText,
} from './words.js';
import { fileAndLine, placeText } from '../text/pathText.js';
import { isLoneSnapshot, liveBytes } from '../report/snapshotReport.js';
import { named } from '../text/names.js';
import { byteText, countText, estimate, signedByteText } from '../text/numberText.js';
import { sparkline } from '../text/sparkline.js';
import { withoutRepetition } from '../text/runId.js';
import { trendScale } from './trendScale.js';
import { t, tCount } from '../text/translate.js';
import { answer, item, left, list, right, table, text, type Block, type Document } from './document.js';
import { failedBlocks } from './failedBlocks.js';
import { adviceBlocks, peakBlocks } from './peakBlocks.js';
import { allocatedText, presentFinding } from './presented.js';
import { shortNames, type ShortNames } from './shortNames.js';
import { scopeTable } from './scopeTable.js';

export const SPARKLINE_WIDTH = 12;
/** Maximum number of lines of a finding that are named. */
const MAX_LINES = 8;

/** Findings of a run that a person has to look at. */
export function suspectFindings(run: RunReport): Finding[] {
  return findingsOf(run.lines.filter(isSuspect));
}

/** @param maxLines rows of a table at most, leaks apart; Infinity shows steady lines below 1 % as well */
export function runDocument(run: RunReport, maxLines: number): Document {
  const names = shortNames(run);
  const { folder, name } = names;
  const isLone = isLoneSnapshot(run);
  const peaks = peakBlocks(run, maxLines, names);
  const advice = adviceBlocks(run, names);
  const findings = suspectFindings(run);
  const isBelowPeak = isLone && peaks.length > 0 && maxLines !== Infinity;
  return {
    ...titleOf(run),
    blocks: [
      ...failedBlocks(run, maxLines, names),
      ...(isCalmBefore(run) ? [] : [answer(verdictSentence(run, name))]),
      ...text(forecastText(run)),
      ...findings.flatMap((finding) => findingBlock(finding, run, names)),
      ...(findings.length === 0 ? advice : []),
      ...(isLone ? peaks : []),
      ...scopeTable(run),
      ...list(
        listedEvents(run),
        growthText(run),
        ...deviceTexts(run.snapshots[run.snapshots.length - 1]),
        isBelowPeak ? endText(run, name) : liveCategoriesText(run),
      ),
      ...(isBelowPeak || (isLone && endParts(run, name).total === 0) ? [] : linesTable(run, maxLines, name)),
      ...list(...run.process.map(({ message }) => name(message))),
      ...(findings.length === 0 ? [] : advice),
      ...(isLone ? [] : peaks),
      ...warnings([...warningTexts(run.snapshots), ...differentVersionTexts(run)]),
      ...(folder === '' ? [] : text(t('The files are in {0}.', named(folder)))),
    ],
  };
}

/** True if nothing grew before memory ran out: that memory was steady is no answer then. */
function isCalmBefore({ verdict, outOfMemory }: RunReport): boolean {
  return outOfMemory.length > 0 && (verdict === 'steady' || verdict === 'plateau' || verdict === 'periodic');
}

/** The memory of a run at its peak or at out of memory. */
export function peakDocument(run: RunReport, maxLines: number): Document {
  const names = shortNames(run);
  const held = [
    ...failedBlocks(run, maxLines, names),
    ...adviceBlocks(run, names),
    ...peakBlocks(run, maxLines, names),
  ];
  return {
    ...titleOf(run),
    blocks: [
      ...(held.length === 0 ? text(t('No snapshot has a trace, so the peak is not known.')) : held),
      ...warnings(warningTexts(run.snapshots)),
    ],
  };
}

export function warnings(texts: readonly string[]): Block[] {
  return list(...texts.map((warning) => t('Warning: {0}', named(warning))));
}

function titleOf({ id, rank, worldSize }: RunReport): Omit<Document, 'blocks'> {
  const name = named(withoutRepetition(rank === null ? id : id.replace(new RegExp(` rank${rank}$`), '')));
  return rank === null || worldSize === 1
    ? { heading: t('GPU memory of {0}', name), name }
    : { heading: t('GPU memory of {0}, rank {1}', name, rank), name: t('{0}, rank {1}', name, rank) };
}

/** A forecast whose interval is at most this share of it has no interval in words. */
const PRECISE = 0.01;

function forecastText({ forecast, steps }: RunReport): string {
  if (forecast === null) return '';
  const { stepsToOom, low, high, capacityBytes } = forecast;
  const device = byteText(capacityBytes);
  const [about, least, most] = [stepsToOom, low, high].map(estimate);
  if (steps === 'snapshots')
    return t(
      'Out of memory in about {0} snapshots ({1} to {2}) on a device of {3}.',
      ...[about, least, most].map(countText),
      device,
    );
  return stepsToOom === 1 || high - low <= PRECISE * stepsToOom
    ? tCount(
        about,
        'Out of memory in about 1 step on a device of {1}.',
        'Out of memory in about {0} steps on a device of {1}.',
        device,
      )
    : t(
        'Out of memory in about {0} steps ({1} to {2}) on a device of {3}.',
        ...[about, least, most].map(countText),
        device,
      );
}

function findingBlock(finding: Finding, run: RunReport, names: ShortNames): Block[] {
  const [answered, ...below] = findingTexts(finding, run, names);
  return list({ ...item(answered, ...below), isAnswer: true });
}

/** A finding in lines: its place and sentence, then fix, evidence, and the lines that allocate. */
export function findingTexts(
  finding: Finding,
  run: RunReport,
  { name, text: short }: Pick<ShortNames, 'name' | 'text'>,
): string[] {
  const { holder, lines } = finding;
  const { sentence, fix, evidence } = presentFinding({ finding, run }, name);
  const isElsewhere = lines.length > 1 || lines[0].line !== finding.line || lines[0].file !== finding.file;
  const source = holder === null ? '' : ` (${holderSourceText(holder.source)})`;
  return [
    `${name(fileAndLine(finding))}: ${sentence}${source}.`,
    fix,
    evidence === null ? null : t('Evidence: {0}', short(evidence)),
    isElsewhere
      ? allocatedText(
          lines.map((line) => name(placeText(line))),
          MAX_LINES,
        )
      : null,
  ].filter((line) => line !== null);
}

function listedEvents(run: RunReport): string {
  const events = sum(run.snapshots, (snapshot) => snapshot.events);
  return `${spanText(run)}, ${tCount(events, '1 event', '{0} events')}`;
}

function growthText(run: RunReport): string {
  const { snapshots } = run;
  if (snapshots.length < 2) return '';
  const series = snapshots.map(liveBytes);
  const growth = series[series.length - 1] - series[0];
  return t(
    'live {0} {1} at first, {2} since',
    sparkline(series, SPARKLINE_WIDTH, trendScale(run)),
    byteText(series[0]),
    signedByteText(growth),
  );
}

/** What is left of the peak at the end of a trace. */
function endText(run: RunReport, name: (text: string) => string): string {
  const { total, largest } = endParts(run, name);
  return total === 0 || run.peaks.every(({ isState }) => isState) ? '' : t('At the end: {0}.', largest);
}

function linesTable(run: RunReport, maxLines: number, name: (text: string) => string): Block[] {
  const { shown, rest } = selectLines(run, maxLines);
  const row = (bytes: number, growth: string, blocks: string, place: string): string[] => [
    ...['', byteText(bytes), countText(bytes), growth, '', blocks, '', '', place],
  ];
  const buckets = run.buckets.library + run.buckets.beforeRecording;
  const columns = [
    left(t('verdict')),
    ...[t('live'), t('bytes'), t('growth'), t('rate'), t('blocks')].map(right),
    ...[t('series'), t('for'), t('line')].map(left),
  ];
  return table(columns, [
    ...shown.map((line) => lineRow(line, run, name)),
    ...(rest.lines === 0
      ? []
      : [row(rest.liveBytes, signedByteText(rest.growthBytes), countText(rest.blocks), otherLinesText(rest.lines))]),
    ...bucketParts(run).map(([bucket, bytes]) => row(bytes, '', '', `(${bucketText(bucket)})`)),
    row(sum([...run.lines, run.otherLines], (line) => line.liveBytes) + buckets, '', '', t('total')),
  ]);
}

function lineRow(line: LineReport, run: RunReport, name: (text: string) => string): string[] {
  return [
    verdictText(line),
    byteText(line.liveBytes),
    countText(line.liveBytes),
    signedByteText(line.growthBytes),
    rateText(line, run.steps),
    countText(line.blocks),
    sparkline(line.series, SPARKLINE_WIDTH, trendScale(run)),
    line.liveBytes > 0 ? categoryText(line.category) : '',
    name(placeText(line)),
  ];
}
