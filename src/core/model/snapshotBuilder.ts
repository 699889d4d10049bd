import { AddressTable } from './addressTable.js';
import { blockColumns } from './blockColumns.js';
import { boundedNames } from './boundedNames.js';
import { boundedStacks } from './boundedStacks.js';
import { Captures } from './captures.js';
import { eventTime } from './eventTime.js';
import { Growable, takeTable } from './growable.js';
import { LazyColumn } from './lazyColumn.js';
import {
  Action,
  BlockState,
  EMPTY_STACK,
  NO_INDEX,
  NO_STACK,
  type Absent,
  type DeviceTrace,
  type EventTable,
  type SegmentTable,
  type SettingValue,
  type Snapshot,
  type SnapshotWarning,
} from './snapshot.js';
import { EventColumns, MAX_EXPECTED, type EventRow } from './eventColumns.js';
import { FrameInterner, StackInterner } from './stackInterner.js';
import { StringPool } from './stringPool.js';
import type { Bytes, DeviceOrdinal, EventIndex, Microseconds, StackId, StringId } from './units.js';

export interface BlockRow {
  /** Both words zero where the input has no addresses of blocks: it follows from the blocks before in the segment. */
  addrLow: number;
  addrHigh: number;
  size: Bytes;
  requestedSize: Bytes;
  state: BlockState;
  stack: StackId;
  /** Links the block to its allocation in the trace, see {@link Captures}; `NO_INDEX` for none. */
  capture: number;
}

export interface SegmentRow {
  device: number;
  addrLow: number;
  addrHigh: number;
  totalSize: Bytes;
  stream: StringId;
  isSmall: boolean;
  isExpandable: boolean;
  pool: StringId;
  stack: StackId;
  firstBlock: number;
  blockCount: number;
}

/** A segment of which nothing is known. */
export const NO_SEGMENT: Readonly<SegmentRow> = {
  device: 0,
  addrLow: 0,
  addrHigh: 0,
  totalSize: 0,
  stream: 0,
  isSmall: false,
  isExpandable: false,
  pool: 0,
  stack: NO_STACK,
  firstBlock: 0,
  blockCount: 0,
};

const NO_TEXT: StringId = 0;
/** The answer of an address table for a missing address. */
const NO_ROW = -1;

/**
 * Collects a snapshot for all readers, so equal content gives equal models. Blocks and events have the order of the
 * file. Segments refer to their blocks by range.
 */
export class SnapshotBuilder {
  readonly strings = new StringPool();
  readonly frames = new FrameInterner();
  readonly stacks = new StackInterner();

  readonly captures: Captures;
  readonly events: EventColumns;
  private readonly forward = new LazyColumn(NO_STACK);
  private readonly category = new LazyColumn(NO_TEXT);
  private readonly metadata = new LazyColumn(NO_TEXT);
  private readonly compileContext = new LazyColumn(NO_TEXT);

  private readonly segmentEvents = { event: new Growable(Uint32Array), stream: new Growable(Uint32Array) };
  private readonly failures = { event: new Growable(Uint32Array, 4), deviceFree: new Growable(Float64Array, 4) };
  private readonly blocks = {
    low: new Growable(Uint32Array),
    high: new Growable(Uint32Array),
    size: new Growable(Float64Array),
    requested: new Growable(Float64Array),
    state: new Growable(Uint8Array),
    stack: new Growable(Uint32Array),
    capture: new Growable(Uint32Array),
  };
  private readonly segments: SegmentRow[] = [];
  private readonly annotations = {
    name: new Growable(Uint32Array),
    isStart: new Growable(Uint8Array),
    device: new Growable(Int32Array),
    timeUs: new Growable(Float64Array),
  };

  /**
   * @param expectedEvents a guess that spares growing; 0 for none
   * @param events to be filled from the start
   */
  constructor(expectedEvents = 0, events = new EventColumns(expectedEvents)) {
    events.length = 0;
    this.events = events;
    // Half of the calls of an allocator or fewer have a stack.
    this.captures = new Captures(Math.min(MAX_EXPECTED, expectedEvents) / 2);
  }

  get eventCount(): number {
    return this.events.length;
  }

  get blockCount(): number {
    return this.blocks.size.length;
  }

  /** Fields of an event beside {@link events}. */
  setTexts(event: EventIndex, metadata: StringId, compileContext: StringId): void {
    this.metadata.set(event, metadata);
    this.compileContext.set(event, compileContext);
  }

  /** Notes the stream of an event that is in the columns, if it is one of segments. Events come in their order. */
  noteStream(event: EventIndex, stream: StringId): void {
    const action = this.events.action[event] as Action;
    if (action < Action.SegmentAlloc || action > Action.SegmentUnmap) return;
    this.segmentEvents.event.push(event);
    this.segmentEvents.stream.push(stream);
  }

  /** An allocation failed. @param deviceFree free memory of the device */
  addFailure(event: EventIndex, deviceFree: Bytes): void {
    this.failures.event.push(event);
    this.failures.deviceFree.push(deviceFree);
  }

  /** @param capture of the entry's own list of frames, `NO_INDEX` for none */
  addEvent(row: EventRow, capture: number): EventIndex {
    const index = this.events.add(row);
    this.forward.set(index, row.forwardStack);
    this.category.set(index, row.category);
    this.setTexts(index, row.metadata, row.compileContext);
    this.noteStream(index, row.stream);
    if (row.action === Action.Alloc && capture !== NO_INDEX) this.captures.alloc[capture] = index;
    return index;
  }

  /** @returns the index of the block */
  addBlock(row: BlockRow): number {
    const inactive = row.state === BlockState.Inactive;
    const { blocks } = this;
    blocks.low.push(row.addrLow);
    blocks.high.push(row.addrHigh);
    blocks.size.push(row.size);
    // The requested size of an inactive block is meaningless: the allocator does not reset it.
    blocks.requested.push(inactive ? 0 : row.requestedSize);
    blocks.state.push(row.state);
    blocks.stack.push(row.stack);
    blocks.capture.push(inactive ? NO_INDEX : row.capture);
    return blocks.size.length - 1;
  }

  addSegment(row: SegmentRow): number {
    this.segments.push(row);
    return this.segments.length - 1;
  }

  /** A segment for blocks of which the input has no segments: those since `firstBlock`. */
  addStandInSegment(device: number, firstBlock: number, totalSize: Bytes): number {
    return this.addSegment({ ...NO_SEGMENT, device, totalSize, firstBlock, blockCount: this.blockCount - firstBlock });
  }

  /** Blocks that segments name, one named by two of them counted twice. */
  blocksIn(segments: readonly number[]): number {
    return segments.reduce((sum, segment) => sum + this.segments[segment].blockCount, 0);
  }

  /** The device of each of these segments. */
  devicesOf(segments: readonly number[]): number[] {
    return segments.map((segment) => this.segments[segment].device);
  }

  /** Gives segments to a device. */
  moveSegments(indices: readonly number[], device: DeviceOrdinal): void {
    for (const index of indices) this.segments[index].device = device;
  }

  addAnnotation(name: StringId, isStart: boolean, device: number, timeUs: Microseconds): void {
    this.annotations.name.push(name);
    this.annotations.isStart.push(isStart ? 1 : 0);
    this.annotations.device.push(device);
    this.annotations.timeUs.push(timeUs);
  }

  /** Closes the columns and ends the builder. @param order the segments of the snapshot, in its order */
  finish(facts: {
    format: string;
    fileBytes: Bytes;
    traces: readonly DeviceTrace[];
    order: readonly number[];
    settings: { readonly [key: string]: SettingValue } | null;
    warnings: readonly SnapshotWarning[];
    /** Facts that the reader knows to be absent; times, stacks and traces are found here. */
    absent: readonly Absent[];
    /** Finds the allocations of live blocks without a shared stack. */
    link?: (snapshot: Snapshot) => void;
  }): Snapshot {
    const rows = facts.order.map((index) => this.segments[index]);
    const segments = segmentColumns(rows);
    const events = {
      count: this.eventCount,
      forwardStack: this.forward.take(this.eventCount),
      category: this.category.take(this.eventCount),
      metadata: this.metadata.take(this.eventCount),
      compileContext: this.compileContext.take(this.eventCount),
      ...this.events.take(),
    };
    const collected = takeTable(this.blocks);
    const blocks = blockColumns(rows, segments.firstBlock[rows.length], collected, this.captures, events);
    const annotations = takeTable(this.annotations);
    const snapshot: Snapshot = {
      format: facts.format,
      fileBytes: facts.fileBytes,
      strings: this.strings,
      frames: this.frames.take(),
      stacks: this.stacks.take(),
      traces: facts.traces,
      events,
      segmentEvents: takeTable(this.segmentEvents),
      failures: takeTable(this.failures),
      segments,
      blocks,
      annotations,
      settings: facts.settings,
      takenAtUs: lastTime(facts.traces, events, annotations.timeUs),
      warnings: facts.warnings,
      absent: [...facts.absent, ...absentColumns(facts.traces, events, blocks)],
    };
    (facts.link ?? linkByReplay)(snapshot);
    const { stacks, frames } = boundedStacks(snapshot, this.strings);
    return {
      ...snapshot,
      stacks,
      frames: boundedNames(frames, this.strings),
      blocks: { ...blocks, category: blockCategories(snapshot) },
    };
  }
}

function absentColumns(
  traces: readonly DeviceTrace[],
  events: Snapshot['events'],
  blocks: Snapshot['blocks'],
): Absent[] {
  const absent: Absent[] = [];
  const hasTrace = traces.some((trace) => trace.count > 0);
  if (!hasTrace) absent.push('trace');
  else if (events.sinceUs.every((since) => events.originUs + since === 0)) absent.push('times');
  const isStackless = (stack: StackId): boolean => stack <= EMPTY_STACK;
  if (blocks.stack.every(isStackless) && events.stack.every(isStackless)) absent.push('stacks');
  return absent;
}

/** The categories of the events that allocated the blocks. */
function blockCategories({ blocks, events }: Snapshot): Uint32Array | null {
  const { category } = events;
  if (category === null) return null;
  const column = new LazyColumn(NO_TEXT);
  blocks.allocEvent.forEach((event, block) => column.set(block, event === NO_INDEX ? NO_TEXT : category[event]));
  return column.take(blocks.count);
}

/** @param rows whose blocks follow each other, in this order */
export function segmentColumns(rows: readonly Omit<SegmentRow, 'firstBlock'>[]): SegmentTable {
  const firstBlock = new Uint32Array(rows.length + 1);
  rows.forEach((row, i) => {
    firstBlock[i + 1] = firstBlock[i] + row.blockCount;
  });
  return {
    count: rows.length,
    device: Int32Array.from(rows, (row) => row.device),
    addrLow: Uint32Array.from(rows, (row) => row.addrLow),
    addrHigh: Uint32Array.from(rows, (row) => row.addrHigh),
    totalSize: Float64Array.from(rows, (row) => row.totalSize),
    stream: Uint32Array.from(rows, (row) => row.stream),
    isSmall: Uint8Array.from(rows, (row) => (row.isSmall ? 1 : 0)),
    isExpandable: Uint8Array.from(rows, (row) => (row.isExpandable ? 1 : 0)),
    pool: Uint32Array.from(rows, (row) => row.pool),
    stack: Uint32Array.from(rows, (row) => row.stack),
    firstBlock,
  };
}

function lastTime(
  traces: readonly DeviceTrace[],
  events: Pick<EventTable, 'originUs' | 'sinceUs'>,
  annotationTimes: Float64Array,
): Microseconds | null {
  let last = 0;
  for (const trace of traces)
    if (trace.count > 0) last = Math.max(last, eventTime(events, trace.first + trace.count - 1));
  if (annotationTimes.length > 0) last = Math.max(last, annotationTimes[annotationTimes.length - 1]);
  return last > 0 ? last : null;
}

/** Finds the allocation of live blocks without a shared stack: the last `alloc` at the address without a later free. */
function linkByReplay(snapshot: Snapshot): void {
  const { blocks, segments, events, traces } = snapshot;
  for (const trace of traces) {
    if (trace.count === 0) continue;
    const open = new AddressTable();
    for (let block = 0; block < blocks.count; block++) {
      if (blocks.allocEvent[block] !== NO_INDEX || blocks.state[block] === BlockState.Inactive) continue;
      if (segments.device[blocks.segment[block]] !== trace.device) continue;
      open.set(blocks.addrLow[block], blocks.addrHigh[block], block);
    }
    for (let event = trace.first + trace.count - 1; event >= trace.first && open.size > 0; event--) {
      const action = events.action[event] as Action;
      if (action !== Action.Alloc && action !== Action.FreeCompleted) continue;
      // A completed free as the last word about an address contradicts the live block: leave it unlinked.
      const block = open.delete(events.addrLow[event], events.addrHigh[event]);
      if (block === NO_ROW) continue;
      if (action === Action.Alloc) blocks.allocEvent[block] = event;
    }
  }
}
