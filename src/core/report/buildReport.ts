import type { SnapshotDigest } from '../digest/digest.js';
import type { FileLookup } from '../attribution/owner.js';
import { groupRuns } from '../runs/runs.js';
import type { UnmappedFiles } from '../attribution/pathMapping.js';
import { cycleReport } from './cycleReport.js';
import { NO_OTHERS, type OtherInputs } from './otherInputs.js';
import { rankDifferences } from './rankDifference.js';
import { REPORT_SCHEMA, type Report } from './report.js';
import { mapDigests, type ReportWorkspace } from './reportWorkspace.js';
import { sampleWarnings } from './process/sampleWarnings.js';
import { boundStacks } from './stackBudget.js';
import { trendReport } from './trendReport.js';
import { runReport } from './runReport.js';

/** The report over any number of snapshots and other inputs, and what its paths left open. */
export function buildReport(
  digests: readonly SnapshotDigest[],
  workspace: ReportWorkspace,
  others: OtherInputs = NO_OTHERS,
): { report: Report; paths: UnmappedFiles } {
  const { report, paths } = mappedReport(digests, workspace, others);
  return { report, paths };
}

/** Like {@link buildReport}, with the workspace files that recorded files are. */
export function mappedReport(
  digests: readonly SnapshotDigest[],
  workspace: ReportWorkspace,
  others: OtherInputs = NO_OTHERS,
): { report: Report; paths: UnmappedFiles; lookup: FileLookup } {
  const mapping = mapDigests(digests, workspace, others);
  const lookup: FileLookup = (file) => mapping.lookup(file);
  const processes = groupRuns(digests);
  const runs = processes.map((run) => runReport(run, workspace, lookup, others));
  boundStacks(runs);
  const trends = others.trends.map(({ path, trend }) =>
    trendReport(path, { ...trend, warnings: [...trend.warnings, ...sampleWarnings(path, trend, processes)] }),
  );
  const cycles = others.cycles.map(({ path, cycles: graph }) => cycleReport(path, graph, lookup));
  return {
    report: { schema: REPORT_SCHEMA, runs, ranks: rankDifferences(runs), trends, cycles },
    paths: { unmapped: mapping.unmapped, ambiguous: mapping.ambiguous, learned: mapping.learned },
    lookup,
  };
}
