import { largestOf } from '../attribution/equalBlocks.js';
import type { FileLookup } from '../attribution/owner.js';
import type { PathMapping, UnmappedFiles } from '../attribution/pathMapping.js';
import type { SnapshotDigest } from '../digest/digest.js';
import { evenly } from '../model/evenly.js';
import type { Trend, TrendSeries } from '../model/trend.js';
import { jobNames, type JobNames, jobsOf } from '../runs/jobs.js';
import { groupRuns } from '../runs/runs.js';
import { theilSen } from '../verdict/rate.js';
import { cycleReport } from './cycleReport.js';
import { type ObservedRun, observeRun } from './observedRun.js';
import { NO_OTHERS, type OtherInputs } from './otherInputs.js';
import { sampleWarnings } from './process/sampledUse.js';
import { rankDifferences } from './rankDifference.js';
import { missingRanks, ranksBehind } from './ranks.js';
import {
  type LineReport,
  type Report,
  REPORT_SCHEMA,
  type RunReport,
  type StackReport,
  type TrendReport,
  type TrendSeriesReport,
} from './report.js';
import { mapDigests, type ReportWorkspace } from './reportWorkspace.js';
import { runVerdict } from '../verdict/shape.js';
import { NO_SOURCE, runReport, type SourceEvidence } from './runReport.js';

/** What is seen in snapshots, before any verdict. */
export interface Observed {
  readonly runs: readonly ObservedRun[];
  /** Names of the job of each run, null where its rank is not known. */
  readonly jobs: readonly (JobNames | null)[];
  /** The workspace files that recorded files are. */
  readonly lookup: FileLookup;
  readonly paths: UnmappedFiles;
}

/** Everything that is seen in any number of snapshots. */
export function observe(
  digests: readonly SnapshotDigest[],
  workspace: ReportWorkspace,
  others: OtherInputs = NO_OTHERS,
  mapping: PathMapping = mapDigests(digests, workspace, others),
): Observed {
  const lookup: FileLookup = (file) => mapping.lookup(file);
  const runs = groupRuns(digests);
  return {
    jobs: runs.map(jobNames),
    runs: runs.map((run) => observeRun(run, workspace, lookup, others)),
    lookup,
    paths: { unmapped: mapping.unmapped, ambiguous: mapping.ambiguous, learned: mapping.learned },
  };
}

/** The report on what was seen. */
export function reportOf(
  { runs: observed, jobs: names, lookup }: Observed,
  workspace: ReportWorkspace,
  others: OtherInputs = NO_OTHERS,
  source: SourceEvidence = NO_SOURCE,
): Report {
  const jobs = jobsOf(names);
  const runs = observed.map((run, i) => runReport(run, jobs[i], workspace, lookup, others, source));
  const processes = observed.map(({ run }) => run);
  const trends = others.trends.map(({ path, trend }) =>
    trendReport(path, { ...trend, warnings: [...trend.warnings, ...sampleWarnings(path, trend, processes)] }),
  );
  const cycles = others.cycles.map(({ path, cycles: graph }) => cycleReport(path, graph, lookup));
  return overRuns({ runs, trends, cycles }, workspace.expectRanks);
}

/** The report over runs: what is said of their ranks together, in a size that its readers can hold. */
function overRuns(parts: Pick<Report, 'runs' | 'trends' | 'cycles'>, expected: number | null = null): Report {
  const { runs } = parts;
  boundStacks(runs);
  return {
    schema: REPORT_SCHEMA,
    ...parts,
    ranks: rankDifferences(runs),
    missing: missingRanks(runs, expected),
    behind: ranksBehind(runs),
    failed: [],
    overBudget: [],
  };
}

/** A run's report with what names its job among other runs. */
export interface RunPart {
  readonly run: RunReport;
  readonly names: JobNames | null;
}

/** The report over runs that were reported apart: as if all were reported at once. */
export function joinReports(
  parts: readonly RunPart[],
  others: Pick<Report, 'trends' | 'cycles'>,
  expected: number | null,
): Report {
  const sorted = [...parts].sort((a, b) => (a.run.id < b.run.id ? -1 : 1));
  const jobs = jobsOf(sorted.map(({ names }) => names));
  return overRuns({ ...others, runs: sorted.map(({ run }, i) => ({ ...run, job: jobs[i] })) }, expected);
}

/** The report over any number of snapshots and other inputs without sources, and what its paths left open. */
export function buildReport(
  digests: readonly SnapshotDigest[],
  workspace: ReportWorkspace,
  others: OtherInputs = NO_OTHERS,
): { report: Report; paths: UnmappedFiles } {
  const observed = observe(digests, workspace, others);
  return { report: reportOf(observed, workspace, others), paths: observed.paths };
}

/** Rows of a series that a report keeps. */
const MOST_ROWS = 64;

/** How much was held over time. */
export function trendReport(path: string, trend: Trend): TrendReport {
  const { format, fileBytes, count, timeUs, isWallClock, series, warnings } = trend;
  return {
    path,
    format,
    bytes: fileBytes,
    rows: count,
    startUs: timeUs?.at(0) ?? null,
    endUs: timeUs?.at(-1) ?? null,
    isWallClock,
    series: series.map(seriesReport),
    warnings: warnings.map((warning) => ({ ...warning })),
  };
}

/** Rows that do not say are left out. */
function seriesReport({ name, device, bytes, peakBytes }: TrendSeries): TrendSeriesReport {
  const rows = Array.from(bytes, (_, row) => row).filter((row) => !Number.isNaN(bytes[row]));
  const at = evenly(rows.length, MOST_ROWS).map((place) => rows[place]);
  const values = at.map((row) => bytes[row]);
  const first = values.at(0) ?? 0;
  const last = values.at(-1) ?? 0;
  return {
    name,
    device,
    firstBytes: first,
    lastBytes: last,
    peakBytes: rows.reduce((peak, row) => Math.max(peak, bytes[row]), peakBytes ?? 0),
    growthBytes: last - first,
    bytesPerRow: theilSen(at, values)?.median ?? null,
    series: values,
  };
}

/** Characters of the stacks of a report: what programs and people read of it is a thousandth. */
const MOST_CHARACTERS = 1 << 25;
/** What is around the names of a frame. */
const FRAME = 40;

/**
 * Keeps a report within a size that every reader of it can hold: behind the largest stacks of a line, the others are one
 * that consists of the line alone. Bytes and blocks add up as before.
 */
export function boundStacks(runs: readonly RunReport[], most = MOST_CHARACTERS): void {
  let left = most;
  for (const { lines, snapshots } of runs) {
    for (const line of lines) {
      const shared = line.stacks.findIndex((stack) => {
        left -= charactersOf(stack);
        return left < 0;
      });
      if (shared === -1) continue;
      line.stacks = [...line.stacks.slice(0, shared), othersOf(line, line.stacks.slice(shared), snapshots.length)];
    }
  }
}

function othersOf(line: LineReport, others: readonly StackReport[], snapshots: number): StackReport {
  return {
    frames: [{ file: line.file, line: line.line, function: line.function }],
    liveBytes: others.reduce((sum, { liveBytes }) => sum + liveBytes, 0),
    blocks: others.reduce((sum, { blocks }) => sum + blocks, 0),
    equal: largestOf(others.map(({ equal }) => equal)),
    verdict: runVerdict(
      others.map(({ verdict }) => verdict),
      snapshots,
    ),
  };
}

function charactersOf({ frames }: StackReport): number {
  return frames.reduce((sum, frame) => sum + frame.file.length + frame.function.length + FRAME, FRAME);
}
