import { AddressTable } from './addressTable.js';
import { Growable } from './growable.js';
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
  /** Time of event `i` since `startUs`, never falling; null where the file has no times. */
  readonly time: Float64Array | null;
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
  return {
    trace,
    allocations,
    live: liveCurve(allocations, trace.count),
    reserved: snapshot.absent.includes('reserved') ? null : reservedCurve(snapshot, trace),
    time: startUs > 0 ? times(snapshot.events, trace, startUs) : null,
    startUs: startUs > 0 ? startUs : null,
  };
}

function allocationRows(snapshot: Snapshot, trace: DeviceTrace): AllocationTable {
  const { events, blocks, segments } = snapshot;
  const allocated = allocationsIn(events, trace);
  const birth = new Growable(Int32Array, allocated);
  const death = new Growable(Int32Array, allocated);
  const bytes = new Growable(Float64Array, allocated);
  const stack = new Growable(Uint32Array, allocated);
  const forward = new Growable(Uint32Array, allocated);
  const add = (from: number, to: number, size: Bytes, ofStack: number, ofForward: number): number => {
    birth.push(from);
    death.push(to);
    bytes.push(size);
    stack.push(ofStack);
    forward.push(ofForward);
    return birth.length - 1;
  };
  const freeing = freeingAction(events, trace);
  const open = new AddressTable();
  const rowOfOrdinal = new Int32Array(trace.count).fill(NO_ROW);
  for (let ordinal = 0; ordinal < trace.count; ordinal++) {
    const event = trace.first + ordinal;
    const action = events.action[event];
    if (action === Action.Alloc) {
      const forwardStack = events.forwardStack?.[event] ?? NO_STACK;
      const row = add(ordinal, trace.count, granules(events.size[event]), events.stack[event], forwardStack);
      const before = open.set(events.addrLow[event], events.addrHigh[event], row);
      if (before !== NO_ROW) death.data[before] = ordinal;
      rowOfOrdinal[ordinal] = row;
    } else if (action === freeing) {
      const row = open.delete(events.addrLow[event], events.addrHigh[event]);
      if (row !== NO_ROW) death.data[row] = ordinal;
      // Freed without having been allocated here: it was there from the start. The free's stack says nothing of it.
      else add(-1, ordinal, granules(events.size[event]), NO_STACK, NO_STACK);
    }
  }
  const held = new Set<number>();
  for (let block = 0; block < blocks.count; block++) {
    if (blocks.state[block] === BlockState.Inactive) continue;
    if (segments.device[blocks.segment[block]] !== trace.device) continue;
    const ordinal = blocks.allocEvent[block] - trace.first;
    const row = ordinal >= 0 && ordinal < trace.count ? rowOfOrdinal[ordinal] : NO_ROW;
    if (row === NO_ROW) {
      held.add(add(-1, trace.count, blocks.size[block], blocks.stack[block], NO_STACK));
    } else {
      bytes.data[row] = blocks.size[block];
      death.data[row] = trace.count;
      held.add(row);
    }
  }
  // What the trace holds for live and the blocks do not have is gone: the blocks are the truth about the end.
  for (const row of open.rows()) if (!held.has(row)) death.data[row] = Math.max(birth.data[row], trace.count - 1);
  return {
    count: birth.length,
    birth: birth.take(),
    death: death.take(),
    bytes: bytes.take(),
    stack: stack.take(),
    forwardStack: forward.take(),
  };
}

/** How many allocations a trace holds: columns of that length need not grow. */
function allocationsIn(events: EventTable, trace: DeviceTrace): number {
  let count = 0;
  for (let event = trace.first; event < trace.first + trace.count; event++) {
    if (events.action[event] === Action.Alloc) count++;
  }
  return count;
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
  for (let i = trace.count; i >= 0; i--) {
    reserved[i] = Math.max(0, after);
    if (i === 0) break;
    const event = trace.first + i - 1;
    switch (events.action[event]) {
      case Action.SegmentAlloc:
      case Action.SegmentMap:
        after -= events.size[event];
        break;
      case Action.SegmentFree:
      case Action.SegmentUnmap:
        after += events.size[event];
        break;
    }
  }
  return reserved;
}

/** Events are recorded under the device's lock, but their clock is fitted: a step back is levelled out. */
function times(events: EventTable, trace: DeviceTrace, startUs: Microseconds): Float64Array {
  const time = new Float64Array(trace.count);
  let last = 0;
  for (let i = 0; i < trace.count; i++) {
    last = Math.max(last, events.timeUs[trace.first + i] - startUs);
    time[i] = last;
  }
  return time;
}
