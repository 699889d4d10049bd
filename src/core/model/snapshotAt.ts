/** A device's segments and blocks at any instant of its trace, replayed backwards from where the snapshot has them. */
import { AddressTable } from './addressTable.js';
import { countUpTo } from './ascending.js';
import { Action, BlockState, NO_INDEX, NO_STACK, type BlockTable, type Snapshot } from './snapshot.js';
import { segmentColumns, type SegmentRow } from './snapshotBuilder.js';
import type { Bytes } from './units.js';
import type { DeviceHistory } from './history.js';

export interface SnapshotAt {
  /** The recording, with the segments and blocks that the device had at that time. */
  snapshot: Snapshot;
  /** Live bytes outside of known segments, or over another block: the trace does not add up there. */
  unplacedBytes: Bytes;
}

/** Larger segments are of the large pool. */
const MAX_SMALL_SEGMENT: Bytes = 2 * 1024 * 1024;
const HIGH_WORD = 2 ** 32;

/** Counts addresses from here on, so that a number holds each exactly, also above 2^53. */
type HighBase = number;

/** A segment of a layout; its start is counted from the base. */
export interface LaidSegment extends Pick<SegmentRow, 'stream' | 'pool' | 'stack' | 'isSmall' | 'isExpandable'> {
  start: number;
  size: Bytes;
}

/** A block of a layout; its start is counted from the base. */
export interface LaidBlock {
  start: number;
  size: Bytes;
  state: BlockState;
  stack: number;
  allocEvent: number;
}

/**
 * The state after an event. Blocks that are freed later have their requested size, in the allocator's units.
 * @param ordinal of the event in the device's trace; -1 for the state before the first
 */
export function snapshotAt(snapshot: Snapshot, history: DeviceHistory, ordinal: number): SnapshotAt {
  const base = lowestHighWord(snapshot, history);
  const segments = segmentsAt(snapshot, history, ordinal, base);
  const live = blocksAt(snapshot, history, ordinal, base);
  return withLayout(snapshot, history.trace.device, base, segments, live);
}

/**
 * Replaces the segments and live blocks of a recording.
 * @param segments by address
 * @param live by address
 */
export function withLayout(
  snapshot: Snapshot,
  device: number,
  base: HighBase,
  segments: readonly LaidSegment[],
  live: readonly LaidBlock[],
): SnapshotAt {
  const rows: { segment: number; block: LaidBlock }[] = [];
  let unplacedBytes = 0;
  let next = 0;
  const laid = segments.map(({ start, size, ...facts }, segment) => {
    const end = start + size;
    const firstRow = rows.length;
    let at = start;
    const fill = (to: number): void => {
      if (to > at) rows.push({ segment, block: { ...FREE, start: at, size: to - at } });
    };
    for (; next < live.length && live[next].start < end; next++) {
      const block = live[next];
      if (block.start < at || block.start + block.size > end) {
        unplacedBytes += block.size;
        continue;
      }
      fill(block.start);
      rows.push({ segment, block });
      at = block.start + block.size;
    }
    fill(end);
    const place = { addrLow: start % HIGH_WORD, addrHigh: Math.floor(start / HIGH_WORD) + base };
    return { ...facts, ...place, device, totalSize: size, blockCount: rows.length - firstRow };
  });
  for (; next < live.length; next++) unplacedBytes += live[next].size;
  return {
    snapshot: {
      ...snapshot,
      segments: segmentColumns(laid),
      blocks: blockTable(rows, base),
    },
    unplacedBytes,
  };
}

const FREE = { state: BlockState.Inactive, stack: NO_STACK, allocEvent: NO_INDEX } as const;

/** The lowest upper half of an address of the device. */
export function lowestHighWord({ events, segments, blocks }: Snapshot, { trace }: DeviceHistory): HighBase {
  const { action, addrHigh } = events;
  let lowest = Infinity;
  for (let segment = 0; segment < segments.count; segment++)
    if (segments.device[segment] === trace.device) lowest = Math.min(lowest, segments.addrHigh[segment]);
  for (let block = 0; block < blocks.count; block++)
    if (segments.device[blocks.segment[block]] === trace.device) lowest = Math.min(lowest, blocks.addrHigh[block]);
  for (let event = trace.first; event < trace.first + trace.count; event++) {
    // Other events have no address.
    if (action[event] <= Action.SegmentUnmap) lowest = Math.min(lowest, addrHigh[event]);
  }
  return lowest === Infinity ? 0 : lowest;
}

/** The segments at an event, by address. */
function segmentsAt(
  { events, segmentEvents, segments }: Snapshot,
  { trace }: DeviceHistory,
  ordinal: number,
  base: HighBase,
): LaidSegment[] {
  const held = new Map<number, LaidSegment>();
  for (let row = 0; row < segments.count; row++) {
    if (segments.device[row] !== trace.device) continue;
    const start = (segments.addrHigh[row] - base) * HIGH_WORD + segments.addrLow[row];
    held.set(start, {
      start,
      size: segments.totalSize[row],
      stream: segments.stream[row],
      pool: segments.pool[row],
      stack: segments.stack[row],
      isSmall: segments.isSmall[row] === 1,
      isExpandable: segments.isExpandable[row] === 1,
    });
  }
  const { event: changing, stream } = segmentEvents;
  for (let at = countUpTo(changing, trace.first + trace.count - 1) - 1; at >= 0; at--) {
    const event = changing[at];
    if (event <= trace.first + ordinal) break;
    const start = (events.addrHigh[event] - base) * HIGH_WORD + events.addrLow[event];
    const size = events.size[event];
    const isSmall = size <= MAX_SMALL_SEGMENT;
    const back = { start, size, stream: stream[at], pool: 0, stack: events.stack[event], isSmall };
    switch (events.action[event]) {
      case Action.SegmentAlloc:
        held.delete(start);
        break;
      case Action.SegmentFree:
        held.set(start, { ...back, isExpandable: false });
        break;
      case Action.SegmentMap:
        takeAway(held, start, start + size);
        break;
      case Action.SegmentUnmap:
        joinTo(held, { ...back, isExpandable: true });
        break;
    }
  }
  return [...held.values()].filter(({ size }) => size > 0).sort((a, b) => a.start - b.start);
}

/** Removes a range from its expandable segment; the parts on both sides remain. */
function takeAway(held: Map<number, LaidSegment>, from: number, to: number): void {
  for (const segment of held.values()) {
    const end = segment.start + segment.size;
    if (!segment.isExpandable || from < segment.start || to > end) continue;
    held.delete(segment.start);
    if (from > segment.start) held.set(segment.start, { ...segment, size: from - segment.start });
    if (to < end) held.set(to, { ...segment, start: to, size: end - to });
    return;
  }
}

/** Puts a range back; with expandable neighbors it is one segment. */
function joinTo(held: Map<number, LaidSegment>, range: LaidSegment): void {
  let joined = range;
  const after = held.get(range.start + range.size);
  if (after?.isExpandable === true) {
    held.delete(after.start);
    joined = { ...after, start: range.start, size: range.size + after.size };
  }
  for (const before of held.values()) {
    if (!before.isExpandable || before.start + before.size !== range.start) continue;
    held.set(before.start, { ...before, size: before.size + joined.size });
    return;
  }
  held.set(joined.start, joined);
}

/** Live blocks, by address. */
function blocksAt(snapshot: Snapshot, history: DeviceHistory, ordinal: number, base: HighBase): LaidBlock[] {
  const { events, blocks } = snapshot;
  const { trace, allocations } = history;
  const { birth, death, bytes, stack, atEnd } = allocations;
  const waiting = waitingAt(snapshot, history, ordinal);
  const olderBlocks = new Map<number, number>();
  atEnd.rows.forEach((row, i) => {
    if (birth[row] < 0) olderBlocks.set(row, atEnd.blocks[i]);
  });
  const live: LaidBlock[] = [];
  for (let row = 0; row < allocations.count; row++) {
    if (birth[row] > ordinal || death[row] <= ordinal) continue;
    const event = birth[row] >= 0 ? trace.first + birth[row] : NO_INDEX;
    const block = olderBlocks.get(row);
    const known = event === NO_INDEX ? trace.first + death[row] : event;
    const low = block === undefined ? events.addrLow[known] : blocks.addrLow[block];
    const high = block === undefined ? events.addrHigh[known] : blocks.addrHigh[block];
    const isPending = waiting.get(low, high) !== -1;
    live.push({
      start: (high - base) * HIGH_WORD + low,
      size: bytes[row],
      state: isPending ? BlockState.PendingFree : BlockState.Allocated,
      stack: stack[row],
      allocEvent: event,
    });
  }
  return live.sort((a, b) => a.start - b.start);
}

/** Addresses whose free was requested and is not complete, as another stream still uses them. */
function waitingAt({ events }: Snapshot, { trace }: DeviceHistory, ordinal: number): AddressTable {
  const waiting = new AddressTable();
  const completes = events.action.subarray(trace.first, trace.first + trace.count).includes(Action.FreeCompleted);
  if (!completes) return waiting;
  for (let event = trace.first; event <= trace.first + ordinal; event++) {
    const [low, high] = [events.addrLow[event], events.addrHigh[event]];
    switch (events.action[event]) {
      case Action.FreeRequested:
        waiting.set(low, high, event);
        break;
      case Action.FreeCompleted:
      case Action.Alloc:
        waiting.delete(low, high);
        break;
    }
  }
  return waiting;
}

function blockTable(rows: readonly { segment: number; block: LaidBlock }[], base: HighBase): BlockTable {
  return {
    count: rows.length,
    segment: Uint32Array.from(rows, ({ segment }) => segment),
    addrLow: Uint32Array.from(rows, ({ block }) => block.start % HIGH_WORD),
    addrHigh: Uint32Array.from(rows, ({ block }) => Math.floor(block.start / HIGH_WORD) + base),
    size: Float64Array.from(rows, ({ block }) => block.size),
    requestedSize: new Float64Array(rows.length),
    state: Uint8Array.from(rows, ({ block }) => block.state),
    stack: Uint32Array.from(rows, ({ block }) => block.stack),
    allocEvent: Uint32Array.from(rows, ({ block }) => block.allocEvent),
    category: null,
  };
}
