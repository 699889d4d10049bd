import type { SnapshotDigest } from '../digest/digest.js';
import { unusedPrivate } from '../digest/digestFacts.js';
import { PINNED_HOST, type Bytes } from '../model/units.js';
import { rateOfRun } from '../verdict/rate.js';
import { sum } from './lineSelection.js';
import type { RunReport } from './report.js';

/** Capacity and live bytes of a device, and its use outside PyTorch. */
export interface DeviceRoom {
  readonly device: number;
  readonly capacityBytes: Bytes;
  readonly roomBytes: Bytes;
}

/**
 * The devices of known capacity at the run's last snapshot.
 * @param configured capacity for devices that the recorder did not measure, or null
 */
export function deviceRooms(snapshots: readonly SnapshotDigest[], configured: Bytes | null): DeviceRoom[] {
  const last = snapshots[snapshots.length - 1];
  return last.devices.flatMap(({ device, liveBytes }) => {
    const recorded = last.recording?.devices.find((one) => one.device === device);
    const capacityBytes = recorded?.capacityBytes ?? (device === PINNED_HOST ? null : configured);
    if (capacityBytes === null) return [];
    const outsideBytes = recorded?.outsideBytes ?? 0;
    const usedBytes = outsideBytes + liveBytes + unusedPrivateBytes(last, device);
    return { device, capacityBytes, roomBytes: Math.max(0, capacityBytes - usedBytes) };
  });
}

function unusedPrivateBytes(digest: SnapshotDigest, device: number): Bytes {
  return sum(
    unusedPrivate(digest).filter((pool) => pool.device === device),
    ({ bytes }) => bytes,
  );
}

/** Live bytes of a device, with what its private pools keep from all others, by snapshot. */
export function usedBytes(snapshots: readonly SnapshotDigest[], device: number): Bytes[] {
  return snapshots.map((digest) => {
    const totals = digest.devices.find((one) => one.device === device);
    return (totals?.liveBytes ?? 0) + unusedPrivateBytes(digest, device);
  });
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
 * @param used bytes of a device that nothing else can use, by snapshot
 * @param at the step of each snapshot
 * @param rooms of the devices of known capacity
 * @returns null without capacity or growth
 */
export function forecastOf(
  used: (device: number) => readonly Bytes[],
  at: readonly number[],
  rooms: readonly DeviceRoom[],
): RunReport['forecast'] {
  let soonest: RunReport['forecast'] = null;
  for (const { device, capacityBytes, roomBytes } of rooms) {
    const rate = rateOfRun(at, used(device));
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
