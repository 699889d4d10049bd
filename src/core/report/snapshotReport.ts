import type { SnapshotDigest } from '../digest/digest.js';
import { isPrivatePool } from '../model/privatePool.js';
import type { Bytes } from '../model/units.js';
import { GROWS } from '../verdict/shape.js';
import { sum } from './lineSelection.js';
import type { RunReport, SnapshotReport } from './report.js';

const known = new WeakMap<SnapshotDigest, SnapshotReport>();

/** One snapshot's own figures: one object for one answer. */
export function snapshotReport(digest: SnapshotDigest, step: number | null): SnapshotReport {
  let report = known.get(digest);
  if (report?.step !== step) {
    report = figuresOf(digest, step);
    known.set(digest, report);
  }
  return report;
}

/** One snapshot in which nothing grows: users need the holders of its memory. */
export function isLoneSnapshot({ verdict, snapshots }: RunReport): boolean {
  return snapshots.length === 1 && !GROWS.has(verdict) && verdict !== 'cycle';
}

/** Share of the live bytes by which they must grow after the last step. */
const LATER_GROWTH = 0.25;

/** Growth after the last step of a run that does not grow over its steps, as in a validation; null for none. */
export function laterGrowth(
  run: RunReport,
): { readonly step: number; readonly from: Bytes; readonly to: Bytes } | null {
  const [last, exit] = [run.snapshots.at(-1), run.atExit.at(-1)];
  if (last?.step == null || exit === undefined) return null;
  if (GROWS.has(run.verdict) || run.verdict === 'cycle' || run.verdict === 'tooShort') return null;
  const [from, to] = [liveBytes(last), liveBytes(exit)];
  return to > (1 + LATER_GROWTH) * from ? { step: last.step, from, to } : null;
}

/** Live bytes of all devices. */
export function liveBytes(snapshot: SnapshotReport): number {
  return sum(snapshot.devices, (device) => device.liveBytes);
}

/** All snapshots of a run, also those that are not judged. */
export function allSnapshots({ snapshots, atExit }: Pick<RunReport, 'snapshots' | 'atExit'>): SnapshotReport[] {
  return [...snapshots, ...atExit];
}

function privatePoolBytes({ segments }: SnapshotDigest, device: number): Bytes {
  const pools = segments.pools.filter((facts) => facts.device === device && isPrivatePool(facts.pool));
  return sum(pools, ({ reservedBytes }) => reservedBytes);
}

function figuresOf(digest: SnapshotDigest, step: number | null): SnapshotReport {
  return {
    path: digest.path,
    format: digest.format,
    bytes: digest.fileBytes,
    events: digest.eventCount,
    step,
    takenAtUs: digest.takenAtUs,
    devices: digest.devices.map((totals) => ({ ...totals, privatePoolBytes: privatePoolBytes(digest, totals.device) })),
    warnings: digest.warnings,
  };
}
