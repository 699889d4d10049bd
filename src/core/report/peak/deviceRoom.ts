import type { SnapshotDigest } from '../../digest/digest.js';
import { privatePools } from '../../digest/digestFacts.js';
import { PINNED_HOST, type Bytes } from '../../model/units.js';
import { rateOfRun } from '../../verdict/rate.js';
import { sum } from '../lineSelection.js';
import type { RunReport } from '../report.js';

/** Capacity and live bytes of a device, and its use outside PyTorch. */
export interface DeviceRoom {
  readonly device: number;
  readonly capacityBytes: Bytes;
  readonly roomBytes: Bytes;
  /** Live bytes, with what private pools keep from all others, one per snapshot. */
  readonly usedBytes: readonly Bytes[];
}

/**
 * The devices of known capacity at the run's last snapshot.
 * @param configured capacity for devices that the recorder did not measure, or null
 */
export function deviceRooms(snapshots: readonly SnapshotDigest[], configured: Bytes | null): DeviceRoom[] {
  const last = snapshots[snapshots.length - 1];
  return last.devices.flatMap(({ device }) => {
    const recorded = last.recording?.devices.find((one) => one.device === device);
    const capacityBytes = recorded?.capacityBytes ?? (device === PINNED_HOST ? null : configured);
    if (capacityBytes === null) return [];
    const usedBytes = snapshots.map((digest) => usedOf(digest, device));
    const roomBytes = capacityBytes - (recorded?.outsideBytes ?? 0) - usedBytes[usedBytes.length - 1];
    return { device, capacityBytes, roomBytes: Math.max(0, roomBytes), usedBytes };
  });
}

function usedOf(digest: SnapshotDigest, device: number): Bytes {
  const live = digest.devices.find((one) => one.device === device)?.liveBytes ?? 0;
  const pools = privatePools(digest).filter((pool) => pool.device === device);
  return live + sum(pools, ({ reservedBytes, liveBytes }) => reservedBytes - liveBytes);
}

/** The device with the largest capacity. Null if no capacity is known. */
export function widest(rooms: readonly DeviceRoom[]): DeviceRoom | null {
  return rooms.reduce<DeviceRoom | null>(
    (most, room) => (most === null || room.roomBytes > most.roomBytes ? room : most),
    null,
  );
}

/**
 * Steps until the memory of a growing run reaches the capacity of the first device.
 * @param at the step of each snapshot
 * @param rooms of the devices of known capacity
 * @returns null without capacity or growth
 */
export function forecastOf(at: readonly number[], rooms: readonly DeviceRoom[]): RunReport['forecast'] {
  let soonest: RunReport['forecast'] = null;
  for (const { capacityBytes, roomBytes, usedBytes } of rooms) {
    const rate = rateOfRun(at, usedBytes);
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
