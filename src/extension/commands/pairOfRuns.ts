import type { RunReport } from '../../core/report/report.js';

/** The snapshots by which two runs are compared: those that both took at the same step, the latest such, else their last. */
export function pairOfRuns(runs: readonly Pick<RunReport, 'snapshots'>[]): string[] | null {
  if (runs.length !== 2) return null;
  const [a, b] = runs.map(({ snapshots }) => snapshots);
  const step = a.findLast((one) => one.step !== null && b.some((other) => other.step === one.step))?.step ?? null;
  return [a, b].flatMap((snapshots) => {
    const at = step === null ? snapshots.at(-1) : snapshots.findLast((one) => one.step === step);
    return at === undefined ? [] : [at.path];
  });
}
