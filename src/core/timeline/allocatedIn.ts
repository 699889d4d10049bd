import type { Snapshot } from '../model/snapshot.js';
import type { Bytes } from '../model/units.js';
import type { DeviceHistory } from '../model/history.js';
import { HistoryAxis, type Axis, type Stretch } from '../model/historyAxis.js';
import { eachBucket, type OwnerSearch } from '../attribution/owner.js';
import { tallyOwners, type OwnerTally, type TallyBy } from '../attribution/ownerTally.js';

/** Memory that was allocated in a stretch of a history, both still live and freed at its end. */
export interface AllocatedIn extends OwnerTally {
  /** First and last event of the stretch; `last` is below `first` where there is none. */
  first: number;
  last: number;
  /** Sum of the live memory: of its lines and buckets. */
  aliveBytes: Bytes;
  aliveBlocks: number;
  /** Sum of all allocations in the stretch, with freed ones. */
  allocatedBytes: Bytes;
  allocatedBlocks: number;
}

/** The answer for an input with sums only. */
export const NOTHING_ALLOCATED: AllocatedIn = {
  first: 0,
  last: -1,
  aliveBytes: 0,
  aliveBlocks: 0,
  allocatedBytes: 0,
  allocatedBlocks: 0,
  lines: [],
  buckets: eachBucket(() => ({ bytes: 0, blocks: 0 })),
};

/** @param window in units of the axis; null for the whole history */
export function allocatedIn(
  snapshot: Snapshot,
  history: DeviceHistory,
  request: { axis: Axis; window: Stretch | null },
  search: OwnerSearch,
  by: TallyBy,
): AllocatedIn {
  const { allocations, trace } = history;
  const { birth, death, bytes } = allocations;
  const axis = new HistoryAxis(history, request.axis);
  const { first, end } = axis.eventsIn(axis.window(request.window));
  const sums = { aliveBytes: 0, aliveBlocks: 0, allocatedBytes: 0, allocatedBlocks: 0 };
  const isAlive = (row: number): boolean => {
    if (birth[row] < first || birth[row] >= end) return false;
    sums.allocatedBytes += bytes[row];
    sums.allocatedBlocks++;
    if (death[row] < trace.count) return false;
    sums.aliveBytes += bytes[row];
    sums.aliveBlocks++;
    return true;
  };
  const tally = tallyOwners(snapshot, history, isAlive, search, by);
  return { first, last: end - 1, ...sums, ...tally };
}
