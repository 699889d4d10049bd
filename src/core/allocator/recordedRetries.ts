/** Releases of an allocator that has no memory, and the request that fails: the trace does not tell them from calls. */
import { countUpTo } from '../model/ascending.js';
import type { DeviceHistory } from '../model/history.js';
import { Action, EMPTY_STACK, NO_STACK, type Snapshot } from '../model/snapshot.js';
import type { Bytes } from '../model/units.js';
import { NONE } from './blocks.js';
import { type CachingAllocator, poolFor } from './cachingAllocator.js';
import { Step, type Failure } from './requests.js';
import { roundedSize, segmentBytes, type AllocatorSettings } from './settings.js';
import type { Lanes } from './startState.js';
import { isOfSegments } from './traceFacts.js';

/** A replay up to an event. */
export interface Replayed {
  readonly snapshot: Snapshot;
  readonly history: DeviceHistory;
  readonly settings: AllocatorSettings;
  readonly allocator: CachingAllocator;
  readonly lanes: Lanes;
  readonly step: Uint8Array;
  readonly row: Int32Array;
  /** The lane that served the last allocation. */
  readonly lastLane: number;
  addPools(lane: number): void;
  addressOf(event: number): number;
  laneOf(event: number): number;
}

export class Retries {
  firstFailure: Failure | null = null;
  /** Releases for a request that was tried again. */
  count = 0;
  /** The first event of the last release. */
  release = NONE;
  /** The event behind the last release. */
  releaseEnd = NONE;
  /** Pools that could serve the request that fails behind the last release. */
  private foundByFailed: ReadonlySet<number> = new Set();
  /** Releases that only a comparison with the peak tells from calls of the program. */
  private readonly uncertain: { ordinal: number; needed: Bytes }[] = [];

  constructor(private readonly replayed: Replayed) {}

  /** A release begins. @param ordinal of its first event */
  begin(ordinal: number): void {
    this.release = ordinal;
    this.freeLate(ordinal);
    const { allocator, settings, step, snapshot, history } = this.replayed;
    const { action, stack, size } = snapshot.events;
    const { first, count } = history.trace;
    const next = first + this.behindSegments(ordinal);
    const isFailure = next < first + count && action[next] === Action.OutOfMemory;
    const isServed =
      next < first + count &&
      action[next] === Action.Alloc &&
      (action[next - 1] === Action.SegmentAlloc || action[next - 1] === Action.SegmentMap);
    step[ordinal] = Step.Release;
    if (!isFailure && !isServed) return;
    const rounded = roundedSize(size[next], settings);
    const found = this.foundBefore(ordinal, rounded);
    if (isFailure) this.foundByFailed = found;
    else if (found.has(poolFor(this.replayed.laneOf(next - 1), rounded))) return;
    // What the allocator does for a request has the stack of that request.
    const isKnown = ![stack[first + ordinal], stack[next]].some((one) => one === NO_STACK || one === EMPTY_STACK);
    if (isFailure || (isKnown && stack[first + ordinal] === stack[next])) this.retry(ordinal);
    else if (!isKnown) this.uncertain.push({ ordinal, needed: allocator.reserved + segmentBytes(rounded, settings) });
  }

  /** Whether memory is added for a request after a release for that request that completed frees. @param ordinal of the memory */
  isTriedAgain(ordinal: number): boolean {
    if (this.releaseEnd !== ordinal || this.replayed.step[this.release - 1] !== Step.FreeLate) return false;
    this.retry(this.release);
    return true;
  }

  /** @param peak of the reserved bytes: up to there, the allocator had no reason to release any */
  settle(peak: Bytes): void {
    for (const { ordinal, needed } of this.uncertain)
      if (needed > Math.max(peak, this.firstFailure?.capacity ?? 0)) this.retry(ordinal);
  }

  /** Notes the first request that fails. */
  fail(ordinal: number): void {
    const { snapshot, history, step, lanes, allocator, lastLane } = this.replayed;
    const { events, failures } = snapshot;
    const event = history.trace.first + ordinal;
    step[ordinal] = Step.Fail;
    this.freeLate(ordinal);
    if (this.firstFailure !== null) return;
    const size = events.size[event];
    const at = failures.event.indexOf(event);
    const free = at < 0 ? Infinity : failures.deviceFree[at];
    const pools = lanes.owners.map((_, lane) => poolFor(lane, size));
    // The columns have no stream of a failure. The right one has no block for it, and the device too little memory.
    const candidates = lastLane < pools.length ? [pools[lastLane], ...pools] : [];
    const found = this.releaseEnd === ordinal ? this.foundByFailed : this.foundBefore(ordinal, size);
    const lacks = (pool: number): boolean => !found.has(pool) && allocator.neededFor(pool, size) > free;
    const pool = candidates.find(lacks) ?? candidates.find((one) => !found.has(one)) ?? this.otherPool(size);
    this.firstFailure = {
      ordinal,
      size,
      pool,
      // A device that has room for the request fails because of a limit that the program set.
      capacity: allocator.reserved + Math.min(free, allocator.neededFor(pool, size) - 1),
    };
  }

  private retry(ordinal: number): void {
    if (this.replayed.step[ordinal] === Step.Release) this.count++;
    this.replayed.step[ordinal] = Step.None;
  }

  /** The first event from here on that is of no segment. */
  private behindSegments(ordinal: number): number {
    const { first, count } = this.replayed.history.trace;
    let next = ordinal;
    while (next < count && isOfSegments(this.replayed.snapshot.events.action[first + next])) next++;
    return next;
  }

  /**
   * Out of memory, the allocator completes the frees that wait for other streams, and does not search again. Those frees
   * are later than the search, although the recording has them before the request.
   */
  private freeLate(release: number): void {
    const { step, row } = this.replayed;
    for (let ordinal = release - 1; ordinal > 0; ordinal--) {
      if (step[ordinal] !== Step.Free || row[ordinal - 1] === row[ordinal]) return;
      step[ordinal] = Step.FreeLate;
    }
  }

  /** The pool of a stream that the trace has not shown: there is no free memory in it. */
  private otherPool(size: Bytes): number {
    const { replayed } = this;
    const lane = replayed.lanes.addUnknown();
    replayed.addPools(lane);
    return poolFor(lane, size);
  }

  /** Pools that have a block for a request, apart from memory that was freed behind its search. */
  private foundBefore(ordinal: number, size: Bytes): ReadonlySet<number> {
    const { allocator, settings, snapshot, history, step } = this.replayed;
    const { events } = snapshot;
    const { first } = history.trace;
    const late: { address: number; end: number }[] = [];
    for (let at = ordinal - 1; step[at] === Step.FreeLate; at--) {
      const address = this.replayed.addressOf(first + at);
      late.push({ address, end: address + roundedSize(events.size[first + at], settings) });
    }
    late.sort((a, b) => a.address - b.address);
    const addresses = late.map(({ address }) => address);
    const found = new Set<number>();
    for (const block of allocator.freeBlocks()) {
      let start = allocator.blocks.address[block];
      const end = start + allocator.blocks.size[block];
      for (let i = countUpTo(addresses, start - 1); i <= late.length; i++) {
        const next = addresses.at(i) ?? Infinity;
        if (allocator.fits(Math.min(next, end) - start, size)) found.add(allocator.blocks.pool[block]);
        if (next >= end) break;
        start = late[i].end;
      }
    }
    return found;
  }
}
