/** What a recording's requests need under other settings, on another device, or without some allocations. */
import type { Bytes } from '../model/units.js';
import type { DeviceHistory } from '../model/history.js';
import type { Snapshot } from '../model/snapshot.js';
import { lowestHighWord, withLayout, type SnapshotAt } from '../model/snapshotAt.js';
import { ChangedReplay, type Change, type Outcome } from './changedReplay.js';
import type { Requests } from './requests.js';
import { SMALL_SEGMENT } from './settings.js';

/**
 * Replays recorded requests with a change. With a capacity it ends at the first recorded failure: the program would have
 * gone on otherwise if there were none.
 */
export function whatIf(requests: Requests, change: Change): Outcome {
  const run = new ChangedReplay(requests, change);
  run.pass();
  return run.outcome();
}

/**
 * The reserved bytes over a replay with a change: at `i + 1` those after event `i` of the device's trace. It ends where
 * {@link whatIf} does.
 */
export function reservedWith(requests: Requests, change: Change): Float64Array {
  const reserved = new Float64Array(requests.count + 1);
  return reserved.subarray(0, new ChangedReplay(requests, change, reserved).pass() + 1);
}

/** The recording with the layout after an event of a replay with a change, or where {@link whatIf} ends. */
export function snapshotWith(
  snapshot: Snapshot,
  history: DeviceHistory,
  requests: Requests,
  change: Change,
  event: number,
): SnapshotAt {
  const replay = new ChangedReplay(requests, change);
  replay.pass(event + 1);
  const { segments, live } = replay.layout(history.allocations);
  return withLayout(snapshot, history.trace.device, lowestHighWord(snapshot, history), segments, live);
}

/** Smallest difference between two capacities. */
export const CAPACITY_STEP: Bytes = SMALL_SEGMENT;

/**
 * A capacity that fits, in units of 2 MiB, where one unit less does not. Fragmentation can make a smaller one fit again.
 * @param tooSmall a capacity that is known not to fit
 */
export function smallestCapacity(requests: Requests, change: Change, tooSmall: Bytes = 0): Bytes {
  const fits = (units: number): boolean =>
    whatIf(requests, { ...change, capacity: units * CAPACITY_STEP }).fits === true;
  const { reservedPeakBytes } = whatIf(requests, { ...change, capacity: Infinity });
  let low = Math.floor(tooSmall / CAPACITY_STEP);
  let high = Math.max(low + 1, Math.ceil(reservedPeakBytes / CAPACITY_STEP));
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (fits(middle)) high = middle;
    else low = middle;
  }
  return high * CAPACITY_STEP;
}
