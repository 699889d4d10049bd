import { AddressTable } from './addressTable.js';
import { countUpTo } from './ascending.js';
import { Action, BlockState, type DeviceTrace, type EventTable, type Snapshot } from './snapshot.js';
import { PINNED_HOST, type Bytes } from './units.js';
import { isNarrow, widened, type WholeNumbers } from './wholeNumbers.js';

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
  readonly bytes: WholeNumbers;
  readonly stack: Uint32Array;
  readonly forwardStack: Uint32Array;
  /** The snapshot's live blocks of the device, and the row of each. */
  readonly atEnd: { readonly blocks: readonly number[]; readonly rows: Uint32Array };
}

/** Common facts of a device's trace and blocks. */
export interface Replay {
  readonly allocations: AllocationTable;
  /** Live bytes before the first event. */
  readonly liveBefore: Bytes;
  /** The event after which live bytes are highest, the first of several; -1 for the state before the trace. */
  readonly peak: { readonly event: number; readonly liveBytes: Bytes };
  /** Bytes that the trace leaves allocated and the blocks do not have, or the other way round. */
  readonly disagreement: Bytes;
}

const NO_ROW = -1;
/** Stands for a row if the last event of the trace at an address was a free. */
const FREED = -2;
/** Stands for a free that never happens: the block is still there, whatever the trace says later. */
const HELD = 0x7fffffff;
/** Unit of a device's blocks. Traces without requested sizes, and those of pinned host memory, have sizes of blocks. */
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
  /** Events that allocated blocks which are still there, the sizes of these, and their rows. */
  private readonly liveAllocs: Uint32Array;
  private readonly sizeOfLive: Float64Array;
  private readonly rowOfLive: Int32Array;
  private readonly freeing: Action;
  private readonly birth: Int32Array;
  private readonly death: Int32Array;
  private bytes: WholeNumbers;
  private readonly stack: Uint32Array;
  private readonly forwardStack: Uint32Array;
  private readonly last: AddressTable;
  private readonly rowsAtEnd: Uint32Array;
  private count = 0;
  private allocs = 0;
  private frees = 0;
  private liveBefore: Bytes = 0;
  /** Live bytes after the last event, in addition to those before the trace; `highest` is their maximum. */
  private end: Bytes = 0;
  private highest: Bytes = 0;
  private peak = -1;

  constructor(
    private readonly snapshot: Snapshot,
    private readonly trace: DeviceTrace,
  ) {
    this.own = liveBlocks(snapshot, trace.device);
    this.liveAllocs = Uint32Array.from(this.own, (block) => snapshot.blocks.allocEvent[block]).sort();
    this.sizeOfLive = new Float64Array(this.own.length);
    for (const block of this.own) this.sizeOfLive[this.placeOf(block)] = snapshot.blocks.size[block];
    this.rowOfLive = new Int32Array(this.own.length).fill(NO_ROW);
    this.freeing = freeingAction(snapshot.events, trace);
    this.last = new AddressTable(this.own.length);
    this.rowsAtEnd = new Uint32Array(this.own.length);
    // An event or a block makes one row at most, and memory that is not written to costs nothing.
    const max = trace.count + this.own.length;
    this.birth = new Int32Array(max);
    this.death = new Int32Array(max);
    this.bytes = new Uint32Array(max);
    this.stack = new Uint32Array(max);
    this.forwardStack = new Uint32Array(max);
  }

  /** The place of a block's allocation among those of the blocks that are still there. */
  private placeOf(block: number): number {
    return countUpTo(this.liveAllocs, this.snapshot.blocks.allocEvent[block]) - 1;
  }

  passEvents(): void {
    const { action, addrLow, addrHigh, size, stack: stackOf, forwardStack: forwardOf } = this.snapshot.events;
    const { first, count: end } = this.trace;
    const { liveAllocs, sizeOfLive, rowOfLive, freeing, last, birth, death, stack, forwardStack } = this;
    const granule = this.snapshot.absent.includes('requestedSizes') || this.trace.device === PINNED_HOST ? 1 : GRANULE;
    let { bytes } = this;
    let count = 0;
    let allocs = 0;
    let frees = 0;
    let before = 0;
    let live = 0;
    let highest = 0;
    let peak = -1;
    let next = countUpTo(liveAllocs, first - 1);
    for (let ordinal = 0; ordinal < end; ordinal++) {
      if (live > highest) {
        highest = live;
        peak = ordinal - 1;
      }
      const event = first + ordinal;
      const what = action[event] as Action;
      const isAlloc = what === Action.Alloc;
      if (!isAlloc && what !== freeing) continue;
      if (isAlloc) allocs++;
      else frees++;
      // Signed words need no number object where the call is not inlined.
      const known = last.set(addrLow[event] | 0, addrHigh[event] | 0, isAlloc ? count : FREED);
      if (known >= 0) {
        if (death[known] === end) {
          death[known] = ordinal;
          live -= bytes[known];
        }
        if (!isAlloc) continue;
      }
      let rounded = Math.max(granule, Math.ceil(size[event] / granule) * granule);
      if (isAlloc) {
        birth[count] = ordinal;
        death[count] = end;
        stack[count] = stackOf[event];
        if (forwardOf !== null) forwardStack[count] = forwardOf[event];
        for (; next < liveAllocs.length && liveAllocs[next] <= event; next++) {
          if (liveAllocs[next] !== event) continue;
          rowOfLive[next] = count;
          rounded = sizeOfLive[next];
          death[count] = HELD;
        }
        live += rounded;
      } else {
        // Freed without an allocation in the trace: it was live from the start. The stack of the free does not describe
        // it.
        birth[count] = -1;
        death[count] = ordinal;
        before += rounded;
        live -= rounded;
      }
      if (!isNarrow(rounded)) bytes = widened(bytes);
      bytes[count] = rounded;
      count++;
    }
    this.bytes = bytes;
    this.count = count;
    this.allocs = allocs;
    this.frees = frees;
    this.liveBefore = before;
    this.end = live;
    this.highest = highest;
    this.peak = peak;
  }

  /** Blocks decide at the end: memory without a block is gone, also if the trace has it as live. */
  trustBlocks(): void {
    const { blocks } = this.snapshot;
    const { birth, death } = this;
    const end = this.trace.count;
    for (const row of this.last.rows()) {
      if (row === FREED || death[row] !== end) continue;
      death[row] = Math.max(birth[row], end - 1);
      this.end -= this.bytes[row];
    }
    for (const [i, block] of this.own.entries()) {
      const at = this.placeOf(block);
      let row = at < 0 ? NO_ROW : this.rowOfLive[at];
      if (row === NO_ROW) {
        row = this.count++;
        birth[row] = -1;
        const size = blocks.size[block];
        if (!isNarrow(size)) this.bytes = widened(this.bytes);
        this.bytes[row] = size;
        this.stack[row] = blocks.stack[block];
        this.liveBefore += size;
      }
      death[row] = end;
      this.rowsAtEnd[i] = row;
    }
    if (this.end <= this.highest) return;
    this.highest = this.end;
    this.peak = end - 1;
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
        atEnd: { blocks: own, rows: this.rowsAtEnd },
      },
      liveBefore: this.liveBefore,
      peak: { event: this.peak, liveBytes: this.liveBefore + this.highest },
      // A recording that left out either kind (skip_actions) has nothing to compare.
      disagreement:
        this.allocs === 0 || this.frees === 0
          ? 0
          : disagreement(snapshot, own, freeing, last, (row) => size[this.trace.first + birth[row]]),
    };
  }
}

/** The disagreements that {@link replay} finds, alone. */
export function disagreementAtEnd(snapshot: Snapshot, trace: DeviceTrace): Bytes {
  const { action, addrLow, addrHigh, size } = snapshot.events;
  const freeing = freeingAction(snapshot.events, trace);
  const own = liveBlocks(snapshot, trace.device);
  const last = new AddressTable(own.length);
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
  return disagreement(snapshot, own, freeing, last, (event) => size[event]);
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

/** Blocks of a device that are allocated or wait for another stream. */
export function liveBlocks({ blocks, segments }: Snapshot, device: number): number[] {
  const live: number[] = [];
  for (let block = 0; block < blocks.count; block++) {
    if (blocks.state[block] !== BlockState.Inactive && segments.device[blocks.segment[block]] === device)
      live.push(block);
  }
  return live;
}

/** Memory is reusable when its free completes; a recording without these entries has only the request. */
export function freeingAction(events: Pick<EventTable, 'action'>, trace: DeviceTrace): Action {
  const actions = events.action.subarray(trace.first, trace.first + trace.count);
  return actions.includes(Action.FreeCompleted) ? Action.FreeCompleted : Action.FreeRequested;
}
