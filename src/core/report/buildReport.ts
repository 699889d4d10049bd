import type { SnapshotDigest } from '../analysis/digest.js';
import { groupRuns } from '../analysis/runs.js';
import type { UnmappedFiles } from '../source/pathMapping.js';
import { REPORT_SCHEMA, type Report } from './report.js';
import { mapDigests, type ReportWorkspace } from './reportWorkspace.js';
import { runReport } from './runReport.js';

/** The report over any number of snapshots, and what its paths left open. */
export function buildReport(
  digests: readonly SnapshotDigest[],
  workspace: ReportWorkspace,
): { report: Report; paths: UnmappedFiles } {
  const mapping = mapDigests(digests, workspace);
  const runs = groupRuns(digests).map((run) => runReport(run, workspace, (file) => mapping.lookup(file)));
  return {
    report: { schema: REPORT_SCHEMA, runs },
    paths: { unmapped: mapping.unmapped, ambiguous: mapping.ambiguous, learned: mapping.learned },
  };
}
