/** Which runs are worth a notification. Pure, so that its rules can be tested without a window. */
import { stepsLeft } from '../../core/present/summary.js';
import type { RunReport } from '../../core/report/report.js';

/** `runningOut` follows an alert of a leak when memory is nearly full. */
export type AlertKind = 'leak' | 'runningOut';

/** Maximum number of steps until the device is full for a notification of its own. */
const FEW_STEPS = 500;

/** When to alert, as the user set it. */
export type AlertWhen = 'leak' | 'runningOut' | 'off';

/** Names one state of one snapshot file. */
function snapshotKeys(run: RunReport): string[] {
  return run.snapshots.map(({ path, bytes, takenAtUs }) => `${path} ${bytes} ${takenAtUs ?? 0}`);
}

/** Distinguishes training runs in progress from snapshots that existed at the start: only the former cause alerts. */
export class RunsInProgress {
  private readonly old = new Set<string>();
  private settled = false;

  /** @param openedAtUs when the workspace was opened, microseconds since the epoch */
  constructor(private readonly openedAtUs: number) {}

  /** @param isSettled everything that lay there has been read */
  observe(runs: readonly RunReport[], isSettled: boolean): void {
    if (this.settled) return;
    for (const run of runs) for (const key of snapshotKeys(run)) this.old.add(key);
    this.settled = isSettled;
  }

  goesOn(run: RunReport): boolean {
    const isRecent = run.snapshots.some(({ takenAtUs }) => takenAtUs !== null && takenAtUs > this.openedAtUs);
    return isRecent || (this.settled && snapshotKeys(run).some((key) => !this.old.has(key)));
  }
}

/** The alert for a run now, or null; `told` are the kinds of its earlier alerts. */
export function alertFor(run: RunReport, when: AlertWhen, alerted: readonly string[]): AlertKind | null {
  if (when === 'off' || run.verdict !== 'leak') return null;
  const left = stepsLeft(run);
  if (left !== null && left < FEW_STEPS) return alerted.includes('runningOut') ? null : 'runningOut';
  return when === 'runningOut' || alerted.length > 0 ? null : 'leak';
}
