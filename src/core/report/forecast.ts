import type { SnapshotDigest } from '../digest/digest.js';
import { rateOfRun } from '../verdict/rate.js';
import type { DeviceRoom } from './deviceRoom.js';
import type { RunReport } from './report.js';

/**
 * Steps until a growing run's memory reaches its device's capacity, for the device that gets there first.
 * @param at the step of each snapshot
 * @param rooms of the devices whose capacity is known
 * @returns null where the capacity is not known or nothing grows
 */
export function forecastOf(
  snapshots: readonly Pick<SnapshotDigest, 'devices'>[],
  at: readonly number[],
  rooms: readonly DeviceRoom[],
): RunReport['forecast'] {
  let soonest: RunReport['forecast'] = null;
  for (const { device, capacityBytes, roomBytes } of rooms) {
    const live = snapshots.map((digest) => digest.devices.find((one) => one.device === device)?.liveBytes ?? 0);
    const rate = rateOfRun(at, live);
    // A rate whose lower quarter does not grow gives no interval, and a forecast without one is a guess.
    if (rate === null || rate.low <= 0) continue;
    const stepsToOom = Math.floor(roomBytes / rate.median);
    if (soonest !== null && soonest.stepsToOom <= stepsToOom) continue;
    soonest = {
      stepsToOom,
      low: Math.floor(roomBytes / rate.high),
      high: Math.ceil(roomBytes / rate.low),
      capacityBytes,
    };
  }
  return soonest;
}
