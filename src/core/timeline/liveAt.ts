import type { Snapshot } from '../model/snapshot.js';
import type { Bytes } from '../model/units.js';
import type { DeviceHistory } from '../model/history.js';
import { eachBucket, type OwnerSearch } from '../attribution/owner.js';
import { tallyOwners, type OwnerTally, type Tally, type TallyBy } from '../attribution/ownerTally.js';

export interface LiveByOwner extends OwnerTally {
  liveBytes: Bytes;
  /** Null if unknown. */
  reservedBytes: Bytes | null;
}

/**
 * The memory that is live after an event, by owner line. Lines and buckets add up to the curve.
 * @param ordinal of the event in its device's trace; -1 for the state before the first
 */
export function liveAt(
  snapshot: Snapshot,
  history: DeviceHistory,
  ordinal: number,
  search: OwnerSearch,
  by: TallyBy = 'line',
): LiveByOwner {
  const { birth, death } = history.allocations;
  const isLive = (row: number): boolean => birth[row] <= ordinal && death[row] > ordinal;
  return {
    liveBytes: history.live[ordinal + 1],
    reservedBytes: history.reservedAfter(ordinal),
    ...tallyOwners(snapshot, history, isLive, search, by),
  };
}

/** The live memory after a row of a trend, without stacks. */
export function liveWithoutLines(history: DeviceHistory, ordinal: number): LiveByOwner {
  const liveBytes = history.live[ordinal + 1];
  return {
    liveBytes,
    reservedBytes: history.reservedAfter(ordinal),
    lines: [],
    buckets: { ...eachBucket((): Tally => ({ bytes: 0, blocks: 0 })), noStack: { bytes: liveBytes, blocks: 0 } },
  };
}
