/** Recorded requests, replayed with a change of the program or of its settings. */
import type { DeviceHistory } from '../model/history.js';
import { BlockState, NO_INDEX, NO_STACK } from '../model/snapshot.js';
import type { LaidBlock, LaidSegment } from '../model/snapshotAt.js';
import type { Bytes } from '../model/units.js';
import { NONE } from './blocks.js';
import { CachingAllocator, poolFor } from './cachingAllocator.js';
import { Step, type Requests } from './requests.js';
import { roundedSize, type AllocatorSettings } from './settings.js';
import { restore } from './startState.js';

/** A change to a recorded program. Without one, the replay is as recorded. */
export interface Change {
  readonly settings?: AllocatorSettings;
  /** Memory that the driver gives in total. By default that of the recorded failure, and no limit without one. */
  readonly capacity?: Bytes;
  /** 1 for each row of the history's allocations that is left out. */
  readonly without?: Uint8Array | undefined;
  /**
   * True to begin with an empty allocator, as a setting from the environment does: the blocks that are older than the
   * trace are requested again, in the order of their addresses. Their true order is not known.
   */
  readonly restarts?: boolean;
  /** Events, ascending, before which the program calls `empty_cache()`; indices into the device's trace. */
  readonly emptiedBefore?: ArrayLike<number>;
  /** Rows that are freed before an event, earlier than recorded, by that event: an index into the device's trace. */
  readonly freedBefore?: ReadonlyMap<number, readonly number[]>;
  /** Events whose allocation is made once more before a later event, by that event. */
  readonly repeatedBefore?: ReadonlyMap<number, readonly number[]>;
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

/** A replay of a program that differs from the recorded one. */
export class ChangedReplay {
  private readonly settings: AllocatorSettings;
  private readonly capacity: Bytes;
  private readonly allocator: CachingAllocator;
  private readonly blockOf: Int32Array;
  /** Rows whose free waits for another stream. */
  private waiting: number[] = [];
  /** Rows whose free completes behind the next allocation. */
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

  /** @param max events to pass @returns the number of those that it passes */
  pass(max = Infinity): number {
    const { allocator, settings, blockOf, asksForCapacity, reserved } = this;
    const { count, size: sizes, step, row, lane, firstFailure } = this.requests;
    const { without, emptiedBefore = [], freedBefore, repeatedBefore } = this.change;
    const failure = asksForCapacity && firstFailure !== null && firstFailure.ordinal < max ? firstFailure : null;
    const end = Math.min(max, failure === null ? count : failure.ordinal);
    if (reserved !== null) reserved[0] = allocator.reserved;
    if (this.failedEvent !== null) return 0;
    let nextEmptied = 0;
    for (let ordinal = 0; ordinal < end; ordinal++) {
      if (emptiedBefore[nextEmptied] === ordinal) {
        nextEmptied++;
        allocator.releaseCached();
      }
      for (const early of freedBefore?.get(ordinal) ?? []) this.release(early);
      for (const again of repeatedBefore?.get(ordinal) ?? []) {
        const size = roundedSize(sizes[again], settings);
        const block = this.allocate(ordinal, poolFor(lane[again], size), size, NONE);
        if (block === NONE) return ordinal;
        blockOf[row[again]] = block;
      }
      const own = row[ordinal];
      switch (step[ordinal] as Step) {
        case Step.Allocate: {
          if (without?.[own] === 1) break;
          const size = roundedSize(sizes[ordinal], settings);
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

  /** @param recorded event whose recorded address a new segment has */
  private allocate(ordinal: number, pool: number, size: Bytes, recorded = ordinal): number {
    const { allocator } = this;
    this.ordinal = recorded;
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

  /** Segments and allocated blocks, by address. */
  layout({ birth, stack }: DeviceHistory['allocations']): { segments: LaidSegment[]; live: LaidBlock[] } {
    const { lanes, first: firstEvent } = this.requests;
    const { blocks } = this.allocator;
    const rows = new Map<number, number>();
    this.blockOf.forEach((block, row) => {
      if (block !== NONE) rows.set(block, row);
    });
    const segments: LaidSegment[] = [];
    const live: LaidBlock[] = [];
    let end = 0;
    for (const run of this.allocator.mappedRuns(rows.keys())) {
      const [first] = run;
      const { stream, pool } = lanes.owners[blocks.pool[first] >> 1];
      // Memory that a change keeps can lie where the driver later placed other memory.
      const moved = Math.max(0, end - blocks.address[first]);
      const start = blocks.address[first] + moved;
      const size = run.reduce((sum, block) => sum + blocks.size[block], 0);
      end = start + size;
      segments.push({
        ...{ start, size, stream, pool, stack: NO_STACK },
        isSmall: (blocks.pool[first] & 1) === 0,
        isExpandable: this.allocator.isExpandable(first),
      });
      for (const block of run) {
        const row = rows.get(block);
        if (row === undefined) continue;
        live.push({
          start: blocks.address[block] + moved,
          size: blocks.size[block],
          state: BlockState.Allocated,
          stack: stack[row],
          allocEvent: birth[row] < 0 ? NO_INDEX : firstEvent + birth[row],
        });
      }
    }
    return { segments, live };
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
