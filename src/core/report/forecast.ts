import type { SnapshotDigest } from '../analysis/digest.js';
import type { Bytes } from '../model/units.js';
import { theilSen } from '../analysis/rate.js';
import type { RunReport } from './report.js';

/**
 * Steps until a leaking run's memory reaches its device's capacity, for the device that gets there first.
 * @param at the step of each snapshot
 * @param told capacity of a device where no recorder read it, null if that is not known either
 * @returns null where the capacity is not known or nothing grows
 */
export function forecastOf(
  snapshots: readonly SnapshotDigest[],
  at: readonly number[],
  told: Bytes | null,
): RunReport['forecast'] {
  const last = snapshots[snapshots.length - 1];
  let soonest: RunReport['forecast'] = null;
  for (const { device } of last.devices) {
    const recorded = last.recording?.devices.find((one) => one.device === device);
    const capacityBytes = recorded?.capacityBytes ?? told;
    if (capacityBytes === null) continue;
    const outsideBytes = recorded?.outsideBytes ?? 0;
    const live = snapshots.map((digest) => digest.devices.find((one) => one.device === device)?.liveBytes ?? 0);
    const rate = theilSen(at, live);
    // A rate whose lower quarter does not grow gives no interval, and a forecast without one is a guess.
    if (rate === null || rate.low <= 0) continue;
    const room = Math.max(0, capacityBytes - outsideBytes - live[live.length - 1]);
    const stepsToOom = Math.floor(room / rate.median);
    if (soonest !== null && soonest.stepsToOom <= stepsToOom) continue;
    soonest = {
      stepsToOom,
      low: Math.floor(room / rate.high),
      high: Math.ceil(room / rate.low),
      capacityBytes,
    };
  }
  return soonest;
}
