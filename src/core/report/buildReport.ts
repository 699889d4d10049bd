import type { FileLookup } from '../attribution/owner.js';
import type { PathMapping, UnmappedFiles } from '../attribution/paths/pathMapping.js';
import type { SnapshotDigest } from '../digest/digest.js';
import { evenly } from '../model/evenly.js';
import type { Trend, TrendSeries } from '../model/trend.js';
import type { Bytes } from '../model/units.js';
import { jobNames, type JobNames, jobsOf } from '../runs/jobs.js';
import { groupRuns } from '../runs/runs.js';
import { rateOfRun } from '../verdict/rate.js';
import { boundRuns } from './boundReport.js';
import { cycleReport } from './lines/cycleReport.js';
import { type ObservedRun, observeRun } from './lines/observedRun.js';
import { NO_OTHERS, type OtherInputs } from './otherInputs.js';
import { rankDifferences } from './ranks/rankDifference.js';
import { missingRanks, ranksBehind } from './ranks/ranks.js';
import { type Report, REPORT_SCHEMA, type RunReport, type TrendReport, type TrendSeriesReport } from './report.js';
import { mapDigests, type ReportWorkspace } from './reportWorkspace.js';
import { runReport, type SourceEvidence } from './runReport.js';

/** Observations of snapshots, before any verdict. */
export interface Observed {
  readonly runs: readonly ObservedRun[];
  /** Names of the job of each run, null if its rank is unknown. */
  readonly jobs: readonly (JobNames | null)[];
  /** The workspace files that recorded files are. */
  readonly lookup: FileLookup;
  readonly paths: UnmappedFiles;
}

/** Everything that is seen in any number of snapshots. */
export function observe(
  digests: readonly SnapshotDigest[],
  workspace: ReportWorkspace,
  others: OtherInputs,
  mapping: PathMapping,
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

/** The report on observations. */
export function reportOf(
  { runs: observed, jobs: names, lookup }: Observed,
  workspace: ReportWorkspace,
  others: OtherInputs,
  source: SourceEvidence,
): Report {
  const jobs = jobsOf(names);
  const runs = observed.map((run, i) => runReport(run, jobs[i], workspace, lookup, source));
  const trends = others.trends.map(({ path, trend }) => trendReport(path, trend));
  const cycles = others.cycles.map(({ path, cycles: graph }) => cycleReport(path, graph, lookup));
  return overRuns({ runs, trends, cycles }, workspace.expectRanks ?? null);
}

/** The report over runs: differences of ranks, within the size limit. */
function overRuns(parts: Pick<Report, 'runs' | 'trends' | 'cycles'>, expected: number | null): Report {
  const { runs } = parts;
  boundRuns(runs);
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

/** A run's report, with names of its job. */
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

/** The report without sources, and the recorded files without a workspace file. */
export function buildReport(
  digests: readonly SnapshotDigest[],
  workspace: ReportWorkspace,
  others: OtherInputs = NO_OTHERS,
): { report: Report; paths: UnmappedFiles } {
  const observed = observe(digests, workspace, others, mapDigests(digests, workspace, others));
  const source = { findings: new Map(), proved: new Map() };
  return { report: reportOf(observed, workspace, others, source), paths: observed.paths };
}

/** Maximum number of rows per series in a report. */
const MAX_ROWS = 64;

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
    series: series.map((one) => seriesReport(one, trend.isSum === true)),
    peak: trend.isSum === true && count > 0 ? peakOfSum(trend) : null,
    warnings: warnings.map((warning) => ({ ...warning })),
  };
}

function peakOfSum({ series, count, timeUs }: Trend): TrendReport['peak'] {
  const sumAt = (row: number): Bytes => series.reduce((sum, { bytes }) => sum + bytes[row], 0);
  let peak = 0;
  for (let row = 1; row < count; row++) if (sumAt(row) > sumAt(peak)) peak = row;
  return {
    bytes: sumAt(peak),
    timeUs: timeUs?.[peak] ?? null,
    parts: series.map(({ name, bytes }) => ({ name, bytes: bytes[peak] })),
  };
}

/** Rows without a value are left out. */
function seriesReport({ name, device, bytes, peakBytes }: TrendSeries, isPart: boolean): TrendSeriesReport {
  const rows = Array.from(bytes, (_, row) => row).filter((row) => !Number.isNaN(bytes[row]));
  const at = evenly(rows.length, MAX_ROWS).map((place) => rows[place]);
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
    bytesPerRow: isPart ? null : (rateOfRun(at, values)?.median ?? null),
    series: values,
  };
}
