/** What a recording's requests need under other settings, on another device, or without some allocations. */
import type { Bytes } from '../model/units.js';
import { NONE } from './blocks.js';
import { CachingAllocator, poolFor } from './cachingAllocator.js';
import { Step, type Requests } from './requests.js';
import { roundedSize, SMALL_SEGMENT, type AllocatorSettings } from './settings.js';
import { restore } from './startState.js';

/** A change to a recorded program. Without one, the replay is as recorded. */
export interface Change {
  readonly settings?: AllocatorSettings;
  /** Memory that the driver gives in total. By default that of the recorded failure, and no limit without one. */
  readonly capacity?: Bytes;
  /** 1 for each row of the history's allocations that is left out. */
  readonly without?: Uint8Array;
  /**
   * True to begin with an empty allocator, as a setting from the environment does: the blocks that are older than the
   * trace are requested again, in the order of their addresses. Their true order is not known.
   */
  readonly restarts?: boolean;
  /** Events, ascending, before which the program calls `empty_cache()`; indices into the device's trace. */
  readonly emptiedBefore?: ArrayLike<number>;
}

export interface Outcome {
  reservedPeakBytes: Bytes;
  /** The event after which it was reached; an index into the device's trace, -1 before the first. */
  peakEvent: number;
  reservedEndBytes: Bytes;
  /** The part of the peak that is allocated. */
  allocatedAtPeakBytes: Bytes;
  /** The part of the peak in segments that hold nothing and cannot expand. */
  idleAtPeakBytes: Bytes;
  /** Whether all requests fit the capacity; null if none is known. */
  fits: boolean | null;
  /** What the capacity lacks for the first request that fails; 0 if none fails. */
  shortBytes: Bytes;
  /** What the capacity has left at the peak; null if no capacity is known. */
  leftBytes: Bytes | null;
  /** The first event whose request fails, -1 for memory that is older than the trace; null if none does. */
  failedEvent: number | null;
}

/**
 * Replays recorded requests with a change. With a capacity it ends at the first recorded failure: the program would have
 * gone on otherwise if there were none.
 */
export function whatIf(requests: Requests, change: Change): Outcome {
  const run = new Run(requests, change);
  run.pass();
  return run.outcome();
}

/**
 * The reserved bytes over a replay with a change: at `i + 1` those after event `i` of the device's trace. It ends where
 * {@link whatIf} does.
 */
export function reservedWith(requests: Requests, change: Change): Float64Array {
  const reserved = new Float64Array(requests.count + 1);
  return reserved.subarray(0, new Run(requests, change, reserved).pass() + 1);
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

class Run {
  private readonly settings: AllocatorSettings;
  private readonly capacity: Bytes;
  private readonly allocator: CachingAllocator;
  private readonly blockOf: Int32Array;
  /** Rows whose free waits for another stream. */
  private waiting: number[] = [];
  /** Those whose free completes behind the next allocation. */
  private late: number[] = [];
  private ordinal = NONE;
  private peak: Bytes = 0;
  private peakEvent = -1;
  private allocatedAtPeak: Bytes = 0;
  private idleAtPeak: Bytes = 0;
  private failedEvent: number | null = null;
  private short: Bytes = 0;
  private readonly asksForCapacity: boolean;

  constructor(
    private readonly requests: Requests,
    private readonly change: Change,
    /** Takes the reserved bytes after each event. */
    private readonly reserved: Float64Array | null = null,
  ) {
    const { firstFailure, limit, lanes, start, rows } = requests;
    this.settings = change.settings ?? requests.settings;
    this.capacity = change.capacity ?? limit ?? Infinity;
    this.asksForCapacity = change.capacity !== undefined || firstFailure !== null;
    const allocator = new CachingAllocator(this.settings, {
      capacity: this.capacity,
      synchronize: () => {
        for (const row of this.waiting) this.release(row);
        this.waiting = [];
      },
      // Free blocks of equal size are chosen by address, so an unchanged program gets those that it had.
      recordedAddress: () => requests.segmentAt.get(this.ordinal),
    });
    for (const { owner, isPrivate } of lanes.owners) allocator.addPools(owner, isPrivate);
    this.allocator = allocator;
    const isLeftOut = (row: number): boolean => change.without?.[row] === 1;
    if (change.restarts === true) {
      this.blockOf = new Int32Array(rows).fill(NONE);
      this.requestAgain(isLeftOut);
    } else this.blockOf = restore(start, allocator, rows, isLeftOut);
    if (allocator.reserved > this.peak) this.notePeak(-1);
  }

  /** Requests the blocks that are older than the trace, in the order of their addresses. */
  private requestAgain(isLeftOut: (row: number) => boolean): void {
    for (const { pool, blocks } of this.requests.start.segments) {
      for (const { row, size } of blocks) {
        if (row === NONE || isLeftOut(row)) continue;
        this.blockOf[row] = this.allocate(-1, pool, size);
        if (this.failedEvent !== null) return;
      }
    }
  }

  /** @returns the number of events that it passes */
  pass(): number {
    const { allocator, settings, blockOf, asksForCapacity, reserved } = this;
    const { events, first, count, step, row, lane, firstFailure } = this.requests;
    const { without, emptiedBefore = [] } = this.change;
    const failure = asksForCapacity ? firstFailure : null;
    const end = failure === null ? count : failure.ordinal;
    if (reserved !== null) reserved[0] = allocator.reserved;
    if (this.failedEvent !== null) return 0;
    let nextEmptied = 0;
    for (let ordinal = 0; ordinal < end; ordinal++) {
      if (emptiedBefore[nextEmptied] === ordinal) {
        nextEmptied++;
        allocator.releaseCached();
      }
      const own = row[ordinal];
      switch (step[ordinal] as Step) {
        case Step.Allocate: {
          if (without?.[own] === 1) break;
          const size = roundedSize(events.size[first + ordinal], settings);
          const block = this.allocate(ordinal, poolFor(lane[ordinal], size), size);
          if (block === NONE) return ordinal;
          blockOf[own] = block;
          if (this.late.length > 0) this.releaseLate();
          break;
        }
        case Step.Free:
          this.release(own);
          break;
        case Step.FreeLate:
          this.waiting.push(own);
          this.late.push(own);
          break;
        case Step.Await:
          this.waiting.push(own);
          break;
        case Step.Release:
          allocator.releaseCached();
          break;
        case Step.Fail:
        case Step.None:
          break;
      }
      if (reserved !== null) reserved[ordinal + 1] = allocator.reserved;
    }
    if (failure !== null) this.allocate(failure.ordinal, failure.pool, roundedSize(failure.size, settings));
    return end;
  }

  private allocate(ordinal: number, pool: number, size: Bytes): number {
    const { allocator } = this;
    this.ordinal = ordinal;
    const block = allocator.malloc(pool, size);
    if (block === NONE) {
      this.failedEvent = ordinal;
      this.short = allocator.reserved + allocator.neededFor(pool, size) - this.capacity;
    } else if (allocator.reserved > this.peak) this.notePeak(ordinal);
    return block;
  }

  private notePeak(ordinal: number): void {
    const { reserved, allocated, idle } = this.allocator;
    this.peak = reserved;
    this.peakEvent = ordinal;
    this.allocatedAtPeak = allocated;
    this.idleAtPeak = idle;
  }

  private release(row: number): void {
    const block = this.blockOf[row];
    if (block === NONE) return;
    this.blockOf[row] = NONE;
    this.allocator.free(block);
  }

  private releaseLate(): void {
    for (const row of this.late) this.release(row);
    this.late = [];
  }

  outcome(): Outcome {
    const { failedEvent, peak, capacity, asksForCapacity } = this;
    return {
      reservedPeakBytes: peak,
      peakEvent: this.peakEvent,
      reservedEndBytes: this.allocator.reserved,
      allocatedAtPeakBytes: this.allocatedAtPeak,
      idleAtPeakBytes: this.idleAtPeak,
      fits: asksForCapacity ? failedEvent === null : null,
      shortBytes: this.short,
      leftBytes: asksForCapacity && capacity < Infinity ? capacity - peak : null,
      failedEvent,
    };
  }
}
