/** The trace of a device, replayed as it was recorded: the proof that the model is the allocator of the recording. */
import { countUpTo } from '../model/ascending.js';
import type { DeviceHistory } from '../model/history.js';
import { freeingAction } from '../model/replay.js';
import { Action, type Snapshot } from '../model/snapshot.js';
import { lowestHighWord } from '../model/snapshotAt.js';
import type { Bytes } from '../model/units.js';
import { byteText, countText } from '../text/numberText.js';
import { t } from '../text/translate.js';
import { NONE } from './blocks.js';
import { CachingAllocator, poolFor } from './cachingAllocator.js';
import { Retries, type Replayed } from './recordedRetries.js';
import { rowsByEvent, Step, type Requests } from './requests.js';
import { GRANULE, recordedSettings, roundedSize, segmentBytes, type AllocatorSettings } from './settings.js';
import { Lanes, restore, startState, type StartState } from './startState.js';
import { isOfSegments, privateSegments, unreplayable, type PrivateSegments } from './traceFacts.js';

/** How well the model predicts a recording. */
export interface ReplayProof {
  allocations: number;
  /** Allocations whose address the model predicts. */
  predicted: number;
  /** Segments that were allocated or freed, and pieces that were mapped or unmapped. */
  segments: number;
  segmentsPredicted: number;
  /** Where model and recording first differ. The event is an index into the device's trace, null before the first. */
  firstDifference: { event: number | null; sentence: string } | null;
  agrees: boolean;
}

/** A replay of a device's trace: the proof, and the requests if it agrees. */
export interface RecordedReplay {
  readonly proof: ReplayProof;
  readonly requests: Requests | null;
}

/** Maximum number of differences that are followed; a model that differs more often is of no use. */
const MAX_DIFFERENCES = 1000;
/** Maximum number of corrections of the state at the start; each takes another replay. */
const MAX_CORRECTIONS = 8;
const HIGH_WORD = 2 ** 32;

/** Replays a device's trace and compares each address and each segment with the recording. */
export function replayAsRecorded(snapshot: Snapshot, history: DeviceHistory): RecordedReplay {
  const reason = unreplayable(snapshot, history);
  if (reason !== null) return { proof: withoutReplay(snapshot, history, reason), requests: null };
  const settings = recordedSettings(snapshot);
  const lanes = new Lanes(snapshot.strings);
  const base = lowestHighWord(snapshot, history);
  const rests = new Map<number, Bytes>();
  for (let corrections = 0; ; corrections++) {
    const start = startState(snapshot, history, settings, lanes, base, rests);
    if (start === null) {
      const sentence = t(
        'The trace and the blocks at its end contradict each other, so the state before the trace is not known.',
      );
      return { proof: withoutReplay(snapshot, history, sentence), requests: null };
    }
    const replay = new Replay(snapshot, history, settings, lanes, start, base);
    const rest = replay.pass(corrections < MAX_CORRECTIONS);
    if (rest === null) return { proof: replay.proof, requests: replay.proof.agrees ? replay.requests() : null };
    rests.set(rest.row, (rests.get(rest.row) ?? 0) + rest.bytes);
  }
}

function withoutReplay({ events }: Snapshot, { trace }: DeviceHistory, sentence: string): ReplayProof {
  const proof: ReplayProof = { ...NO_PROOF, firstDifference: { event: null, sentence } };
  for (let event = trace.first; event < trace.first + trace.count; event++) {
    if (events.action[event] === Action.Alloc) proof.allocations++;
    else if (isOfSegments(events.action[event])) proof.segments++;
  }
  return proof;
}

const NO_PROOF = {
  allocations: 0,
  predicted: 0,
  segments: 0,
  segmentsPredicted: 0,
  firstDifference: null,
  agrees: false,
};

/** A segment, or a part of one, that the driver has mapped since the last allocation. */
interface Given {
  /** Ordinal of the event that mapped it. */
  readonly ordinal: number;
  readonly address: number;
  readonly bytes: Bytes;
  readonly lane: number;
  readonly isMapped: boolean;
}

/** Bytes that a block had at the start beyond what is known of it. */
interface StartRest {
  readonly row: number;
  readonly bytes: Bytes;
}

class Replay implements Replayed {
  readonly proof: ReplayProof = { ...NO_PROOF };
  readonly allocator: CachingAllocator;
  readonly step: Uint8Array;
  readonly row: Int32Array;
  private readonly lane: Uint16Array;
  private readonly blockOf: Int32Array;
  private given: Given[] = [];
  /** Free memory that the allocator would release, by address, while it releases some. */
  private releasing: Map<number, { block: number; bytes: Bytes }> | null = null;
  /** What explains the first difference. */
  private rest: StartRest | null = null;
  private readonly segmentAt = new Map<number, number>();
  lastLane = 0;
  private differences = 0;
  private peak: Bytes;
  private readonly retries = new Retries(this);
  private readonly privateSegments: PrivateSegments;

  constructor(
    readonly snapshot: Snapshot,
    readonly history: DeviceHistory,
    readonly settings: AllocatorSettings,
    readonly lanes: Lanes,
    private readonly start: StartState,
    private readonly base: number,
  ) {
    const { trace, allocations } = history;
    this.allocator = new CachingAllocator(settings);
    for (const lane of lanes.owners.keys()) this.addPools(lane);
    this.blockOf = restore(start, this.allocator, allocations.count);
    this.step = new Uint8Array(trace.count);
    this.row = rowsByEvent(snapshot, history);
    this.lane = new Uint16Array(trace.count);
    this.peak = start.reservedBytes;
    this.privateSegments = privateSegments(snapshot, history, base);
  }

  /**
   * Replays the trace. @returns a block that was larger at the start than its request says, with the bytes that it
   * lacks, where that explains the first difference; else null
   */
  pass(mayCorrect: boolean): StartRest | null {
    const { proof, settings, history, row, blockOf, allocator } = this;
    const { events } = this.snapshot;
    const { first, count } = history.trace;
    const freeing = freeingAction(events, history.trace);
    let isFollowed = true;
    for (let ordinal = 0; ordinal < count; ordinal++) {
      if (this.rest !== null && mayCorrect) break;
      const event = first + ordinal;
      const action = events.action[event] as Action;
      if (action === Action.Alloc) proof.allocations++;
      else if (isOfSegments(action)) proof.segments++;
      if (!isFollowed) continue;
      if (this.releasing !== null && action !== Action.SegmentFree && action !== Action.SegmentUnmap)
        this.endRelease(ordinal);
      switch (action) {
        case Action.Alloc:
          isFollowed = this.allocate(ordinal, roundedSize(events.size[event], settings));
          break;
        case Action.SegmentAlloc:
        case Action.SegmentMap:
          isFollowed = this.give(ordinal, action === Action.SegmentMap);
          break;
        case Action.SegmentFree:
        case Action.SegmentUnmap:
          isFollowed = this.takeBack(ordinal);
          break;
        case Action.OutOfMemory:
          this.addFailed();
          this.retries.fail(ordinal);
          break;
        case Action.FreeRequested:
        case Action.FreeCompleted: {
          const block = row[ordinal] === NONE ? NONE : blockOf[row[ordinal]];
          if (action === freeing) {
            if (block === NONE) {
              this.differ(
                ordinal,
                t('the recording frees {0}, where nothing is allocated', this.hex(this.addressOf(event))),
              );
              isFollowed = false;
              break;
            }
            this.step[ordinal] = Step.Free;
            allocator.free(block);
            blockOf[row[ordinal]] = NONE;
          } else if (block !== NONE && row[ordinal + 1] !== row[ordinal]) this.step[ordinal] = Step.Await;
          break;
        }
        case Action.Snapshot:
        case Action.Other:
          break;
      }
    }
    if (this.releasing !== null && isFollowed) this.endRelease(count);
    proof.agrees = proof.firstDifference === null;
    return mayCorrect ? this.rest : null;
  }

  requests(): Requests {
    const { history, step, row, lane, lanes, start, settings, retries, peak } = this;
    const { first, count } = history.trace;
    const { firstFailure } = retries;
    retries.settle(peak);
    return {
      first,
      count,
      size: this.snapshot.events.size.subarray(first, first + count),
      step,
      row,
      lane,
      lanes,
      segmentAt: this.segmentAt,
      rows: history.allocations.count,
      start,
      settings,
      firstFailure,
      reservedPeakBytes: peak,
      reservedEndBytes: this.allocator.reserved,
      limit: firstFailure?.capacity ?? (retries.count > 0 ? peak : null),
    };
  }

  addPools(lane: number): void {
    const { owner, isPrivate } = this.lanes.owners[lane];
    this.allocator.addPools(owner, isPrivate);
  }

  addressOf(event: number): number {
    const { addrLow, addrHigh } = this.snapshot.events;
    return (addrHigh[event] - this.base) * HIGH_WORD + addrLow[event];
  }

  /** The lane of a segment that an event adds. */
  laneOf(event: number): number {
    const { segmentEvents } = this.snapshot;
    const { length } = this.lanes.owners;
    const stream = segmentEvents.stream[countUpTo(segmentEvents.event, event) - 1];
    const lane = this.lanes.laneOf(stream, this.poolAt(this.addressOf(event)));
    if (lane === length) this.addPools(lane);
    return lane;
  }

  /** The pool of the segment that is there at the end, as text id. The trace does not name it. */
  private poolAt(address: number): number {
    const { starts, found } = this.privateSegments;
    const last = found.at(countUpTo(starts, address) - 1);
    return last !== undefined && starts[0] <= address && address < last.end ? last.pool : 0;
  }

  private hex(address: number): string {
    return `0x${(BigInt(address) + BigInt(this.base) * BigInt(HIGH_WORD)).toString(16)}`;
  }

  /**
   * The size of a block that is older than the trace can be up to 1 MiB too small, because only its request is known. If
   * the allocator passes over the free block behind it, that one is smaller than it seems.
   */
  private explain(passedOver: number, size: Bytes): void {
    if (passedOver === NONE || this.proof.firstDifference !== null) return;
    const { blocks } = this.allocator;
    const before = blocks.previous[passedOver];
    const row = before === NONE ? NONE : this.blockOf.indexOf(before);
    if (row === NONE || !this.start.uncertainRows.has(row)) return;
    this.rest = { row, bytes: blocks.size[passedOver] - size + GRANULE };
  }

  private differ(ordinal: number, what: string): void {
    this.differences++;
    this.proof.firstDifference ??= {
      event: ordinal,
      sentence: t('The recording cannot be replayed (event {0}: {1}).', countText(ordinal), what),
    };
  }

  /** @returns false if the replay cannot follow */
  private give(ordinal: number, isMapped: boolean): boolean {
    const { events } = this.snapshot;
    const event = this.history.trace.first + ordinal;
    const lane = this.laneOf(event);
    if (lane === NONE) {
      this.differ(ordinal, t('it has more streams and pools than a program has'));
      return false;
    }
    this.given.push({ ordinal, address: this.addressOf(event), bytes: events.size[event], lane, isMapped });
    return true;
  }

  /** @returns false if the replay cannot follow */
  private allocate(ordinal: number, size: Bytes): boolean {
    const { allocator, proof, given } = this;
    const { blocks } = allocator;
    const recorded = this.addressOf(this.history.trace.first + ordinal);
    let block = NONE;
    if (given.length > 0) block = this.allocateMore(ordinal, poolFor(given[0].lane, size), size);
    else {
      // The columns have no stream of an allocation: it is that of the pool whose next block is at its address.
      const { length } = this.lanes.owners;
      for (let i = 0; i <= length && (block === NONE || blocks.address[block] !== recorded); i++) {
        const lane = i === 0 ? this.lastLane : i - 1;
        if (lane === length) continue;
        const chosen = allocator.choose(poolFor(lane, size), size);
        if (i === 0 || (chosen !== NONE && blocks.address[chosen] === recorded)) block = chosen;
      }
    }
    if (block !== NONE && blocks.address[block] === recorded) proof.predicted++;
    else {
      this.explain(block, size);
      this.differ(
        ordinal,
        block === NONE
          ? t('{0} at {1} needs more memory, but the recording adds none', byteText(size), this.hex(recorded))
          : t(
              '{0} is expected at {1}, but the recording has it at {2}',
              byteText(size),
              this.hex(blocks.address[block]),
              this.hex(recorded),
            ),
      );
      block = this.differences > MAX_DIFFERENCES ? NONE : this.freeBlockAt(recorded, size);
      if (block === NONE) return false;
    }
    const lane = blocks.pool[block] >> 1;
    allocator.take(block, size);
    this.peak = Math.max(this.peak, allocator.reserved);
    this.step[ordinal] = Step.Allocate;
    this.lane[ordinal] = lane;
    this.lastLane = lane;
    if (this.row[ordinal] !== NONE) this.blockOf[this.row[ordinal]] = block;
    return true;
  }

  /** Compares the memory that the recording adds for a request with what the model adds. @returns the predicted block */
  private allocateMore(ordinal: number, pool: number, size: Bytes): number {
    const { allocator, proof, given, settings } = this;
    let found = allocator.choose(pool, size);
    if (found !== NONE && this.retries.isTriedAgain(given[0].ordinal)) found = NONE;
    const [{ address, bytes, isMapped }] = given;
    if (!isMapped) {
      const isExpected = found === NONE && given.length === 1 && bytes === segmentBytes(size, settings);
      if (isExpected) {
        proof.segmentsPredicted++;
        this.segmentAt.set(ordinal, address);
        this.given = [];
        return allocator.addSegment(pool, address, bytes);
      }
    } else {
      allocator.nextAddress = address;
      const growth = allocator.planGrowth(pool, size);
      const isExpected =
        found === NONE &&
        growth.addresses.length === given.length &&
        given.every((one, i) => one.isMapped && one.address === growth.addresses[i] && one.bytes === growth.sizes[i]);
      if (isExpected) {
        proof.segmentsPredicted += given.length;
        this.given = [];
        return allocator.expand(pool, size, growth);
      }
    }
    this.explain(found, size);
    this.differ(
      ordinal,
      found === NONE
        ? t('a different segment is expected for {0} than the recorded {1}', byteText(size), byteText(bytes))
        : t('a free block is expected to hold {0}, but the recording adds {1}', byteText(size), byteText(bytes)),
    );
    this.addGiven();
    return allocator.choose(pool, size);
  }

  /** Adds the recorded memory as it is. */
  private addGiven(): void {
    const { allocator } = this;
    for (const { address, bytes, lane, isMapped } of this.given) {
      // A segment of the small pool has twice the bytes of its largest block.
      const pool = poolFor(lane, bytes / 2);
      if (!isMapped) {
        allocator.addSegment(pool, address, bytes);
        continue;
      }
      const unmapped = allocator.unmappedAt(pool, address);
      allocator.map(unmapped === NONE ? allocator.addSpan(pool, address) : unmapped, bytes);
    }
    this.given = [];
    this.peak = Math.max(this.peak, allocator.reserved);
  }

  /** Adds what was mapped for a request that failed nevertheless; it is no decision that can be checked. */
  private addFailed(): void {
    this.proof.segments -= this.given.length;
    this.addGiven();
  }

  private freeBlockAt(address: number, size: Bytes): number {
    const { blocks } = this.allocator;
    return (
      this.allocator.freeBlocks().find((block) => blocks.address[block] === address && blocks.size[block] >= size) ??
      NONE
    );
  }

  /** @returns false if the replay cannot follow */
  private takeBack(ordinal: number): boolean {
    const { allocator, proof } = this;
    const { events } = this.snapshot;
    const event = this.history.trace.first + ordinal;
    this.addFailed();
    if (this.releasing === null) {
      this.retries.begin(ordinal);
      this.releasing = new Map();
      for (const isPrivate of [false, true]) {
        for (const block of allocator.releasable(isPrivate)) {
          const { address, bytes } = allocator.partToRelease(block);
          this.releasing.set(address, { block, bytes });
        }
      }
    }
    const address = this.addressOf(event);
    const part = this.releasing.get(address);
    if (part?.bytes !== events.size[event]) {
      this.differ(ordinal, t('the recording frees a segment at {0} that is in use', this.hex(address)));
      return false;
    }
    this.releasing.delete(address);
    proof.segmentsPredicted++;
    if (allocator.isExpandable(part.block)) allocator.unmap(part.block, address, part.bytes);
    else allocator.releaseSegment(part.block);
    return true;
  }

  /** @param ordinal of the event behind the release */
  private endRelease(ordinal: number): void {
    const { allocator, settings } = this;
    this.releasing = null;
    this.retries.releaseEnd = ordinal;
    const isPartial = settings.maxSplitBytes < Infinity || settings.collectionShare > 0;
    const left = isPartial ? [] : allocator.releasable(false);
    if (left.length > 0) {
      this.differ(
        this.retries.release,
        t(
          'all cached memory is expected to be freed, but the recording keeps {0} at {1}',
          byteText(allocator.partToRelease(left[0]).bytes),
          this.hex(allocator.blocks.address[left[0]]),
        ),
      );
    }
  }
}
