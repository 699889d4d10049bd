/** The requests of a trace: what a program asks of the allocator, whatever its settings are. */
import { AddressTable } from '../model/addressTable.js';
import type { DeviceHistory } from '../model/history.js';
import { freeingAction } from '../model/replay.js';
import { Action, type Snapshot } from '../model/snapshot.js';
import type { Bytes } from '../model/units.js';
import type { WholeNumbers } from '../model/wholeNumbers.js';
import { NONE } from './blocks.js';
import type { AllocatorSettings } from './settings.js';
import type { Lanes, StartState } from './startState.js';

/** What an event does to the allocator. */
export const enum Step {
  None = 0,
  Allocate = 1,
  Free = 2,
  /** The memory is released, but another stream still uses it. */
  Await = 3,
  /** A free that takes effect after the next allocation, or when that allocation finds no memory. */
  FreeLate = 4,
  /** The program calls `empty_cache()`. */
  Release = 5,
  /** The allocator has no memory left. */
  Fail = 6,
}

/** A recorded failure to allocate. */
export interface Failure {
  /** Index into the device's trace. */
  readonly ordinal: number;
  /** Rounded. */
  readonly size: Bytes;
  readonly pool: number;
  /** Memory that the device would have had for the process in total. */
  readonly capacity: Bytes;
}

/** The requests of a trace, which a change of the allocator's settings does not change. Columns are by event. */
export interface Requests {
  /** The first event of the trace. */
  readonly first: number;
  readonly count: number;
  /** Requested bytes. */
  readonly size: WholeNumbers;
  readonly step: Uint8Array;
  readonly row: Int32Array;
  readonly lane: Uint16Array;
  readonly lanes: Lanes;
  /** Where the driver placed segments that cannot expand, by the event of the allocation. */
  readonly segmentAt: ReadonlyMap<number, number>;
  readonly rows: number;
  readonly start: StartState;
  readonly settings: AllocatorSettings;
  readonly firstFailure: Failure | null;
  readonly reservedPeakBytes: Bytes;
  readonly reservedEndBytes: Bytes;
  /** Memory that the device has at least: known where the allocator ran into its limit; else null. */
  readonly limit: Bytes | null;
}

/** The row of the allocations that each event allocates, releases or frees, {@link NONE} without one. */
export function rowsByEvent({ events }: Snapshot, { trace, allocations }: DeviceHistory): Int32Array {
  const { action, addrLow, addrHigh } = events;
  const { first, count } = trace;
  const { birth, death } = allocations;
  const freeing = freeingAction(events, trace);
  const rows = new Int32Array(count).fill(NONE);
  for (let row = 0; row < allocations.count; row++) {
    if (birth[row] >= 0) rows[birth[row]] = row;
    if (death[row] < count && action[first + death[row]] === freeing) rows[death[row]] = row;
  }
  if (freeing !== Action.FreeCompleted) return rows;
  // Backwards, so that each request finds the row that its completion has.
  const waiting = new AddressTable();
  for (let ordinal = count - 1; ordinal >= 0; ordinal--) {
    const event = first + ordinal;
    if (action[event] === Action.FreeCompleted) {
      const isNext =
        ordinal > 0 &&
        action[event - 1] === Action.FreeRequested &&
        addrLow[event - 1] === addrLow[event] &&
        addrHigh[event - 1] === addrHigh[event];
      if (isNext) rows[ordinal - 1] = rows[ordinal];
      else if (rows[ordinal] !== NONE) waiting.set(addrLow[event], addrHigh[event], rows[ordinal]);
    } else if (action[event] === Action.FreeRequested && rows[ordinal] === NONE && waiting.size > 0)
      rows[ordinal] = waiting.delete(addrLow[event], addrHigh[event]);
  }
  return rows;
}
