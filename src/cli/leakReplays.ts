import { findSteps } from '../core/attribution/steps.js';
import { leakyFailures, withoutLeaks } from '../core/report/leakReplay.js';
import type { Report } from '../core/report/report.js';
import type { ReportWorkspace } from '../core/report/reportWorkspace.js';
import { lookupOf, readOne } from './whatIf.js';

/** Adds to a report what its failures would have been without its leaks. A file that is gone adds nothing. */
export async function addLeakReplays(report: Report, workspace: ReportWorkspace): Promise<void> {
  for (const leaky of leakyFailures(report)) {
    const { failure } = leaky;
    const read = await readOne(failure.path).catch(() => null);
    if (read === null) continue;
    const { snapshot, recording } = read;
    failure.withoutLeaks = withoutLeaks(snapshot, findSteps(snapshot, recording), leaky, lookupOf(snapshot, workspace));
  }
}
