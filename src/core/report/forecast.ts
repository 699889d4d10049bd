import type { SnapshotDigest } from '../analysis/digest.js';
import type { Bytes } from '../model/units.js';
import { theilSen } from '../analysis/rate.js';
import type { SampledUse } from './process/sampledUse.js';
import type { RunReport } from './report.js';

/**
 * Steps until a leaking run's memory reaches its device's capacity, for the device that gets there first.
 * @param at the step of each snapshot
 * @param sampledOf what samples of a device say, where no recorder read it
 * @param told capacity of a device where neither tells it, null if that is not known either
 * @returns null where the capacity is not known or nothing grows
 */
export function forecastOf(
  snapshots: readonly SnapshotDigest[],
  at: readonly number[],
  sampledOf: (device: number) => readonly SampledUse[],
  told: Bytes | null,
): RunReport['forecast'] {
  const last = snapshots[snapshots.length - 1];
  let soonest: RunReport['forecast'] = null;
  for (const { device } of last.devices) {
    const recorded = last.recording?.devices.find((one) => one.device === device);
    const sampled = recorded === undefined ? sampledOf(device) : [];
    const capacityBytes = recorded?.capacityBytes ?? sampled.at(0)?.capacityBytes ?? told;
    if (capacityBytes === null) continue;
    // Of several readings of the samples' clock the one that leaves least room.
    const outsideBytes = recorded?.outsideBytes ?? Math.max(0, ...sampled.map((use) => use.outsideBytes.at(-1) ?? 0));
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
