import { lastFailure } from '../../core/report/peak/outOfMemory.js';
import type { OutOfMemoryReport, PeakReport, RunReport } from '../../core/report/report.js';
import { isLoneSnapshot } from '../../core/report/snapshotReport.js';

/** Maximum number of runs whose peaks are shown. */
const MAX_PEAKS = 8;

/**
 * The order of runs in lists: latest snapshot first, then the higher name. The ranks of a job stay together, in order.
 */
export function newestFirst(runs: readonly RunReport[]): RunReport[] {
  const job = (run: RunReport): string => run.job ?? run.id;
  const newest = new Map<string, number>();
  for (const run of runs) newest.set(job(run), Math.max(newest.get(job(run)) ?? 0, lastDumpOf(run)));
  return [...runs].sort(
    (a, b) =>
      (newest.get(job(b)) ?? 0) - (newest.get(job(a)) ?? 0) ||
      job(b).localeCompare(job(a), undefined, { numeric: true }) ||
      (a.rank ?? 0) - (b.rank ?? 0),
  );
}

/** The memory of a run at its peak, or when it ran out. */
interface PeakToShow {
  readonly run: RunReport;
  readonly peak: PeakReport;
  /** Null for a peak. */
  readonly failure: OutOfMemoryReport | null;
}

/**
 * The latest runs that ran out of memory, have too few snapshots for a verdict, or grew after their last step, and the
 * newest run if there is advice on its peak. Those that ran out of memory come first, then the highest peak.
 */
export function peaksToShow(runs: readonly RunReport[]): PeakToShow[] {
  return newestFirst(runs)
    .flatMap((run, i): PeakToShow[] => {
      const failure = lastFailure(run.outOfMemory);
      if (failure?.held != null) return [{ run, peak: failure.held, failure }];
      const peak = run.peaks.find(({ liveBytes }) => liveBytes > 0);
      const isShown =
        !isJudged(run) || run.laterGrowth !== null || (i === 0 && peak?.isState === false && peak.advice.length > 0);
      return peak !== undefined && isShown ? [{ run, peak, failure: null }] : [];
    })
    .slice(0, MAX_PEAKS)
    .sort(
      (a, b) =>
        Number(a.failure === null) - Number(b.failure === null) ||
        (a.failure === null ? b.peak.liveBytes - a.peak.liveBytes : 0),
    );
}

/** True if a run has enough snapshots for a verdict. */
export function isJudged(run: RunReport): boolean {
  return !isLoneSnapshot(run) && run.verdict !== 'tooShort';
}

/** Names a run over time: its folder and rank may be used again, the time of its first snapshot may not. */
export function runKey({ id, snapshots }: RunReport): string {
  return `${id} ${snapshots.at(0)?.takenAtUs ?? 0}`;
}

/** Time of a run's last snapshot, in microseconds; 0 if unknown. */
function lastDumpOf({ snapshots }: RunReport): number {
  return snapshots.reduce((last, { takenAtUs }) => Math.max(last, takenAtUs ?? 0), 0);
}
