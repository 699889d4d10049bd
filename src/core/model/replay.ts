import { AddressTable } from './addressTable.js';
import { countUpTo } from './ascending.js';
import { Action, BlockState, type DeviceTrace, type EventTable, type Snapshot } from './snapshot.js';
import type { Bytes } from './units.js';

/**
 * The allocations of one device, one row each, in the order of allocation. A row is live after event `e` if `birth <= e
 * < death`. The state before the first event is -1.
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

/** Common facts of a device's trace and blocks. */
export interface Replay {
  readonly allocations: AllocationTable;
  /** Live bytes after event `i - 1`. */
  readonly live: Float64Array;
  /** Ordinal of the event after which these are highest, the first of several; -1 for the state before the trace. */
  readonly peak: number;
  /** Ordinals of the events that change reserved memory. */
  readonly segmentEvents: readonly number[];
  /** Bytes that the trace leaves allocated and the blocks do not have, or the other way round. */
  readonly disagreement: Bytes;
}

const NO_ROW = -1;
/** In place of a row: the last word of the trace about an address was a free. */
const FREED = -2;
/** Unit of the allocator's blocks. */
const GRANULE: Bytes = 512;

/** Replays the trace of one device: the one pass over its events that allocations and curves come from. */
export function replay(snapshot: Snapshot, trace: DeviceTrace): Replay {
  const all = new TraceReplay(snapshot, trace);
  all.passEvents();
  all.trustBlocks();
  return all.take();
}

/** Its loops are functions of their own: code behind a loop has not run when the loop is compiled, and is compiled again. */
class TraceReplay {
  private readonly own: readonly number[];
  /** Events that allocated blocks which are still there, and their rows. */
  private readonly liveAllocs: Uint32Array;
  private readonly rowOfLive: Int32Array;
  private readonly freeing: Action;
  private readonly birth: Int32Array;
  private readonly death: Int32Array;
  private readonly bytes: Float64Array;
  private readonly stack: Uint32Array;
  private readonly forwardStack: Uint32Array;
  /** The change of each event, before summation. */
  private readonly live: Float64Array;
  private readonly segmentEvents: number[] = [];
  private readonly last = new AddressTable();
  private count = 0;
  private allocs = 0;
  private frees = 0;

  constructor(
    private readonly snapshot: Snapshot,
    private readonly trace: DeviceTrace,
  ) {
    this.own = liveBlocks(snapshot, trace.device);
    this.liveAllocs = Uint32Array.from(this.own, (block) => snapshot.blocks.allocEvent[block]).sort();
    this.rowOfLive = new Int32Array(this.own.length).fill(NO_ROW);
    this.freeing = freeingAction(snapshot.events, trace);
    // An event or a block makes one row at most, and memory that is not written to costs nothing.
    const most = trace.count + this.own.length;
    this.birth = new Int32Array(most);
    this.death = new Int32Array(most);
    this.bytes = new Float64Array(most);
    this.stack = new Uint32Array(most);
    this.forwardStack = new Uint32Array(most);
    this.live = new Float64Array(trace.count + 1);
  }

  passEvents(): void {
    const { action, addrLow, addrHigh, size, stack: stackOf, forwardStack: forwardOf } = this.snapshot.events;
    const { first, count: end } = this.trace;
    const { liveAllocs, rowOfLive, freeing, last, birth, death, bytes, stack, forwardStack, live } = this;
    let count = 0;
    let allocs = 0;
    let frees = 0;
    let next = countUpTo(liveAllocs, first - 1);
    for (let ordinal = 0; ordinal < end; ordinal++) {
      const event = first + ordinal;
      const what = action[event] as Action;
      const isAlloc = what === Action.Alloc;
      if (!isAlloc && what !== freeing) {
        if (changesReserved(what)) this.segmentEvents.push(ordinal);
        continue;
      }
      if (isAlloc) allocs++;
      else frees++;
      // Signed words need no number object where the call is not inlined.
      const before = last.set(addrLow[event] | 0, addrHigh[event] | 0, isAlloc ? count : FREED);
      if (before >= 0) {
        death[before] = ordinal;
        live[ordinal + 1] -= bytes[before];
        if (!isAlloc) continue;
      }
      const rounded = Math.max(GRANULE, Math.ceil(size[event] / GRANULE) * GRANULE);
      bytes[count] = rounded;
      if (isAlloc) {
        birth[count] = ordinal;
        death[count] = end;
        stack[count] = stackOf[event];
        if (forwardOf !== null) forwardStack[count] = forwardOf[event];
        live[ordinal + 1] += rounded;
        for (; next < liveAllocs.length && liveAllocs[next] <= event; next++)
          if (liveAllocs[next] === event) rowOfLive[next] = count;
      } else {
        // Freed without an allocation in the trace: it was live from the start. The stack of the free does not describe
        // it.
        birth[count] = -1;
        death[count] = ordinal;
        live[0] += rounded;
        live[ordinal + 1] -= rounded;
      }
      count++;
    }
    this.count = count;
    this.allocs = allocs;
    this.frees = frees;
  }

  /** Blocks decide at the end: memory without a block is gone, also if the trace has it as live. */
  trustBlocks(): void {
    const { blocks } = this.snapshot;
    const { birth, death, bytes, live } = this;
    const end = this.trace.count;
    const held = new Set<number>();
    for (const block of this.own) {
      const at = countUpTo(this.liveAllocs, blocks.allocEvent[block]) - 1;
      let row = at < 0 ? NO_ROW : this.rowOfLive[at];
      if (row === NO_ROW) {
        row = this.count++;
        birth[row] = -1;
        this.stack[row] = blocks.stack[block];
      } else {
        live[birth[row] + 1] -= bytes[row];
        if (death[row] < end) live[death[row] + 1] += bytes[row];
      }
      bytes[row] = blocks.size[block];
      death[row] = end;
      live[birth[row] + 1] += bytes[row];
      held.add(row);
    }
    for (const row of this.last.rows()) {
      if (row === FREED || held.has(row)) continue;
      death[row] = Math.max(birth[row], end - 1);
      live[death[row] + 1] -= bytes[row];
    }
  }

  take(): Replay {
    const { snapshot, own, freeing, last, count, birth } = this;
    const { size } = snapshot.events;
    return {
      allocations: {
        count,
        birth: birth.subarray(0, count),
        death: this.death.subarray(0, count),
        bytes: this.bytes.subarray(0, count),
        stack: this.stack.subarray(0, count),
        forwardStack: this.forwardStack.subarray(0, count),
      },
      live: this.live,
      peak: sumUp(this.live),
      segmentEvents: this.segmentEvents,
      // A recording that left out either kind (skip_actions) has nothing to compare.
      disagreement:
        this.allocs === 0 || this.frees === 0
          ? 0
          : disagreement(snapshot, own, freeing, last, (row) => size[this.trace.first + birth[row]]),
    };
  }
}

/** Replaces changes by their sums. @returns the ordinal of the event of the highest one */
function sumUp(changes: Float64Array): number {
  let sum = changes[0];
  let highest = sum;
  let peak = -1;
  for (let i = 1; i < changes.length; i++) {
    sum += changes[i];
    changes[i] = sum;
    if (sum <= highest) continue;
    highest = sum;
    peak = i - 1;
  }
  return peak;
}

/** The disagreements that {@link replay} finds, alone. */
export function disagreementAtEnd(snapshot: Snapshot, trace: DeviceTrace): Bytes {
  const { action, addrLow, addrHigh, size } = snapshot.events;
  const freeing = freeingAction(snapshot.events, trace);
  const last = new AddressTable();
  let allocs = 0;
  let frees = 0;
  for (let event = trace.first; event < trace.first + trace.count; event++) {
    const isAlloc = action[event] === Action.Alloc;
    if (!isAlloc && action[event] !== freeing) continue;
    if (isAlloc) allocs++;
    else frees++;
    last.set(addrLow[event] | 0, addrHigh[event] | 0, isAlloc ? event : FREED);
  }
  if (allocs === 0 || frees === 0) return 0;
  return disagreement(snapshot, liveBlocks(snapshot, trace.device), freeing, last, (event) => size[event]);
}

/**
 * Compares live blocks with the last event at their addresses.
 * @param last from which this removes the blocks' addresses
 * @param said requested size of a row in the trace
 */
function disagreement(
  { blocks, absent }: Snapshot,
  own: readonly number[],
  freeing: Action,
  last: AddressTable,
  said: (row: number) => Bytes,
): Bytes {
  const knowsRequested = !absent.includes('requestedSizes');
  let bytes: Bytes = 0;
  for (const block of own) {
    const row = last.delete(blocks.addrLow[block], blocks.addrHigh[block]);
    const asked = knowsRequested ? blocks.requestedSize[block] : blocks.size[block];
    if (row === FREED) {
      if (freeing === Action.FreeCompleted || blocks.state[block] !== BlockState.PendingFree) bytes += asked;
    } else if (row !== NO_ROW && knowsRequested) bytes += Math.abs(asked - said(row));
  }
  for (const row of last.rows()) if (row !== FREED) bytes += said(row);
  return bytes;
}

function changesReserved(action: Action): boolean {
  return (
    action === Action.SegmentAlloc ||
    action === Action.SegmentMap ||
    action === Action.SegmentFree ||
    action === Action.SegmentUnmap
  );
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

/** Memory is reusable when its free completes; a recording without these entries has only the request. */
function freeingAction(events: EventTable, trace: DeviceTrace): Action {
  const actions = events.action.subarray(trace.first, trace.first + trace.count);
  return actions.includes(Action.FreeCompleted) ? Action.FreeCompleted : Action.FreeRequested;
}
