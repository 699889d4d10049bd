import type { SnapshotDigest } from '../digest/digest.js';
import type { TraceCurve } from '../digest/traceCurve.js';
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

/** Share of the live bytes by which they must grow after the last step, and of this growth that comes late. */
const LATER_GROWTH = 0.25;
interface Live {
  readonly devices: readonly Pick<SnapshotDigest['devices'][number], 'liveBytes'>[];
}

interface Traced {
  readonly curves: readonly Pick<TraceCurve, 'event' | 'live'>[];
}

/** Parts of the trace after the last step, whose lowest live bytes are compared: a validation takes memory at once. */
const [EARLY, LATE] = [
  [0.4, 0.6],
  [0.8, 1],
] as const;

/**
 * Growth after the last step that goes on until the end; null for none.
 * @param last the last snapshot of the steps @param exit the one at the end of the program
 */
export function laterGrowth(last: Live, exit: Live & Traced): { from: Bytes; to: Bytes } | null {
  const [from, to] = [last, exit].map(({ devices }) => sum(devices, (device) => device.liveBytes));
  const goesOn = sum(exit.curves, (curve) => lowest(curve, LATE) - lowest(curve, EARLY));
  return to > (1 + LATER_GROWTH) * from && goesOn > LATER_GROWTH * (to - from) ? { from, to } : null;
}

/** The lowest live bytes in a part of a trace, by its events. */
function lowest({ event, live }: Traced['curves'][number], [first, last]: readonly [number, number]): Bytes {
  const count = event.at(-1) ?? 0;
  const inside = (_: number, i: number): boolean => event[i] >= first * count && event[i] <= last * count;
  // The state after each event: the first one is that before the trace.
  return Math.min(...live.subarray(1).filter(inside));
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
