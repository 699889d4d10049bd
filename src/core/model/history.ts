import { AddressTable } from './addressTable.js';
import { countUpTo } from './ascending.js';
import { Action, BlockState, NO_STACK, type DeviceTrace, type EventTable, type Snapshot } from './snapshot.js';
import type { Bytes, Microseconds } from './units.js';

/**
 * The allocations of one device over its trace, one row each: those made in it by birth, others among them. An allocation is live in the state after event `e` if
 * `birth <= e < death`; the state before the first event is -1.
 */
export interface AllocationTable {
  readonly count: number;
  /** Ordinal of the allocating event, -1 if it happened before the trace. */
  readonly birth: Int32Array;
  /** Ordinal of the freeing event; the number of events if the allocation is still live at the end. */
  readonly death: Int32Array;
  /** The block's size where the block is still there, else the requested size in the allocator's units of 512 bytes. */
  readonly bytes: Float64Array;
  readonly stack: Uint32Array;
  readonly forwardStack: Uint32Array;
}

/** What happened on one device, as curves and lifetimes. At the end it agrees with the snapshot's blocks to the byte. */
export interface DeviceHistory {
  readonly trace: DeviceTrace;
  readonly allocations: AllocationTable;
  /** Live bytes after event `i - 1`; `trace.count + 1` values. */
  readonly live: Float64Array;
  /** Reserved bytes after event `i - 1`; null where the input does not say. */
  readonly reserved: Float64Array | null;
  /** Time of event `i` since `startUs`, never falling; null where the file has no times. Made when it is asked for. */
  readonly time: Float64Array | null;
  /** The same of one event, without the column if no clock stepped back. */
  timeAt(ordinal: number): Microseconds | null;
  readonly startUs: Microseconds | null;
}

const NO_ROW = -1;
/** Unit in which the allocator hands out memory. */
const GRANULE: Bytes = 512;

/** Reconstructs one device's history. Linear in its events. */
export function deviceHistory(snapshot: Snapshot, device: number): DeviceHistory {
  const trace = snapshot.traces.find((candidate) => candidate.device === device) ?? { device, first: 0, count: 0 };
  const allocations = allocationRows(snapshot, trace);
  const startUs = trace.count > 0 ? snapshot.events.timeUs[trace.first] : 0;
  const times = startUs > 0 ? new TraceTimes(snapshot.events, trace, startUs) : null;
  return {
    trace,
    allocations,
    live: liveCurve(allocations, trace.count),
    reserved: snapshot.absent.includes('reserved') ? null : reservedCurve(snapshot, trace),
    startUs: startUs > 0 ? startUs : null,
    get time() {
      return times?.column() ?? null;
    },
    timeAt: (ordinal) => times?.at(ordinal) ?? null,
  };
}

function allocationRows(snapshot: Snapshot, trace: DeviceTrace): AllocationTable {
  const { events, blocks } = snapshot;
  const own = liveBlocks(snapshot, trace.device);
  /** Events that allocated blocks which are still there, and their rows. */
  const kept = Uint32Array.from(own, (block) => blocks.allocEvent[block]).sort();
  const rowOfKept = new Int32Array(kept.length).fill(NO_ROW);
  // An event or a block makes one row at most, and memory that is not written to costs nothing.
  const most = trace.count + own.length;
  const birth = new Int32Array(most);
  const death = new Int32Array(most);
  const bytes = new Float64Array(most);
  const stack = new Uint32Array(most);
  const forward = new Uint32Array(most);
  let count = 0;
  const add = (from: number, to: number, size: Bytes, ofStack: number, ofForward: number): number => {
    birth[count] = from;
    death[count] = to;
    bytes[count] = size;
    stack[count] = ofStack;
    forward[count] = ofForward;
    return count++;
  };
  const freeing = freeingAction(events, trace);
  const open = new AddressTable();
  let next = countUpTo(kept, trace.first - 1);
  for (let ordinal = 0; ordinal < trace.count; ordinal++) {
    const event = trace.first + ordinal;
    const action = events.action[event];
    if (action === Action.Alloc) {
      const forwardStack = events.forwardStack?.[event] ?? NO_STACK;
      const row = add(ordinal, trace.count, granules(events.size[event]), events.stack[event], forwardStack);
      const before = open.set(events.addrLow[event], events.addrHigh[event], row);
      if (before !== NO_ROW) death[before] = ordinal;
      while (next < kept.length && kept[next] <= event) {
        if (kept[next] === event) rowOfKept[next] = row;
        next++;
      }
    } else if (action === freeing) {
      const row = open.delete(events.addrLow[event], events.addrHigh[event]);
      if (row !== NO_ROW) death[row] = ordinal;
      // Freed without having been allocated here: it was there from the start. The free's stack says nothing of it.
      else add(-1, ordinal, granules(events.size[event]), NO_STACK, NO_STACK);
    }
  }
  const held = new Set<number>();
  for (const block of own) {
    const at = countUpTo(kept, blocks.allocEvent[block]) - 1;
    const row = at < 0 ? NO_ROW : rowOfKept[at];
    if (row === NO_ROW) {
      held.add(add(-1, trace.count, blocks.size[block], blocks.stack[block], NO_STACK));
    } else {
      bytes[row] = blocks.size[block];
      death[row] = trace.count;
      held.add(row);
    }
  }
  // What the trace holds for live and the blocks do not have is gone: the blocks are the truth about the end.
  for (const row of open.rows()) if (!held.has(row)) death[row] = Math.max(birth[row], trace.count - 1);
  return {
    count,
    birth: birth.subarray(0, count),
    death: death.subarray(0, count),
    bytes: bytes.subarray(0, count),
    stack: stack.subarray(0, count),
    forwardStack: forward.subarray(0, count),
  };
}

/** Blocks of a device that are allocated or wait for another stream. */
function liveBlocks({ blocks, segments }: Snapshot, device: number): number[] {
  const live: number[] = [];
  for (let block = 0; block < blocks.count; block++) {
    if (blocks.state[block] !== BlockState.Inactive && segments.device[blocks.segment[block]] === device)
      live.push(block);
  }
  return live;
}

/** Memory is reusable when its free completes; a recording that left those entries out says when it was asked for. */
function freeingAction(events: EventTable, trace: DeviceTrace): Action {
  const actions = events.action.subarray(trace.first, trace.first + trace.count);
  return actions.includes(Action.FreeCompleted) ? Action.FreeCompleted : Action.FreeRequested;
}

function granules(requested: Bytes): Bytes {
  return Math.max(GRANULE, Math.ceil(requested / GRANULE) * GRANULE);
}

function liveCurve(allocations: AllocationTable, events: number): Float64Array {
  const live = new Float64Array(events + 2);
  for (let row = 0; row < allocations.count; row++) {
    live[allocations.birth[row] + 1] += allocations.bytes[row];
    live[allocations.death[row] + 1] -= allocations.bytes[row];
  }
  for (let i = 1; i <= events; i++) live[i] += live[i - 1];
  return live.subarray(0, events + 1);
}

function reservedCurve(snapshot: Snapshot, trace: DeviceTrace): Float64Array {
  const { events, segments } = snapshot;
  const reserved = new Float64Array(trace.count + 1);
  let after = 0;
  for (let segment = 0; segment < segments.count; segment++) {
    if (segments.device[segment] === trace.device) after += segments.totalSize[segment];
  }
  // Backwards from the segments that are there: the trace may not reach back to the first.
  let end = reserved.length;
  for (let i = trace.count - 1; i >= 0; i--) {
    const event = trace.first + i;
    const action = events.action[event];
    const isMore = action === Action.SegmentAlloc || action === Action.SegmentMap;
    if (!isMore && action !== Action.SegmentFree && action !== Action.SegmentUnmap) continue;
    reserved.fill(Math.max(0, after), i + 1, end);
    end = i + 1;
    after += isMore ? -events.size[event] : events.size[event];
  }
  return reserved.fill(Math.max(0, after), 0, end);
}

/** Events are recorded under the device's lock, but their clock is fitted: a step back is levelled out. */
class TraceTimes {
  private made: Float64Array | null = null;
  private readonly timeUs: Float64Array;

  constructor(
    events: EventTable,
    trace: DeviceTrace,
    private readonly startUs: Microseconds,
  ) {
    this.timeUs = events.timeUs.subarray(trace.first, trace.first + trace.count);
    if (stepsBack(this.timeUs)) this.column();
  }

  column(): Float64Array {
    if (this.made !== null) return this.made;
    const time = new Float64Array(this.timeUs.length);
    let last = 0;
    for (let i = 0; i < time.length; i++) {
      last = Math.max(last, this.timeUs[i] - this.startUs);
      time[i] = last;
    }
    this.made = time;
    return time;
  }

  at(ordinal: number): Microseconds {
    return this.made === null ? this.timeUs[ordinal] - this.startUs : this.made[ordinal];
  }
}

function stepsBack(timeUs: Float64Array): boolean {
  for (let i = 1; i < timeUs.length; i++) if (!(timeUs[i] >= timeUs[i - 1])) return true;
  return false;
}
