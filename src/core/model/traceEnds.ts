import { AddressTable } from './addressTable.js';
import { freeingAction, liveBlocks } from './replay.js';
import { Action, type DeviceTrace, type EventTable, type Snapshot } from './snapshot.js';

/** The live memory after any event of a trace. One pass finds it for the ends of all earlier dumps of the process. */
export class TraceEnds {
  /** For each event that allocates, the next event at its address, or the end of the trace. 0 for other events. */
  private readonly until: Uint32Array;
  /** For each event, the first event at its address. */
  private readonly firstOf: Uint32Array;
  /** The last event of each address. */
  private readonly last = new AddressTable();
  /** The first event that frees. */
  private readonly firstFree: number;

  /** @param trace from the first event on */
  constructor(
    private readonly events: Pick<EventTable, 'action' | 'addrLow' | 'addrHigh' | 'size'>,
    trace: DeviceTrace,
  ) {
    const { action, addrLow, addrHigh } = events;
    const { count } = trace;
    const freeing = freeingAction(events, trace);
    const { last } = this;
    const until = new Uint32Array(count);
    const firstOf = new Uint32Array(count);
    for (let event = 0; event < count; event++) {
      const isAlloc = action[event] === Action.Alloc;
      if (!isAlloc && action[event] !== freeing) continue;
      const before = last.set(addrLow[event] | 0, addrHigh[event] | 0, event);
      firstOf[event] = before < 0 ? event : firstOf[before];
      if (before >= 0 && until[before] > 0) until[before] = event;
      if (isAlloc) until[event] = count;
    }
    this.until = until;
    this.firstOf = firstOf;
    this.firstFree = action.indexOf(freeing);
  }

  /**
   * Sets the allocating events of the live blocks.
   * @param snapshot its only trace are the first events of this one
   * @returns false if its blocks are not exactly the memory that these events leave allocated
   */
  link(snapshot: Snapshot): boolean {
    const [trace, ...others] = snapshot.traces.filter(({ count }) => count > 0);
    const { blocks, absent } = snapshot;
    const end = trace.count;
    if (others.length > 0 || absent.includes('requestedSizes') || this.firstFree >= end) return false;
    const own = liveBlocks(snapshot, trace.device);
    const open = new AddressTable(own.length);
    for (const block of own) open.set(blocks.addrLow[block], blocks.addrHigh[block], block);
    const { until, last, firstOf } = this;
    const { addrLow, addrHigh, size } = this.events;
    for (let event = 0; event < end; event++) {
      if (until[event] < end) continue;
      const block = open.delete(addrLow[event], addrHigh[event]);
      if (block < 0 || blocks.requestedSize[block] !== size[event]) return false;
      blocks.allocEvent[block] = event;
    }
    for (const block of open.rows()) {
      const event = last.get(blocks.addrLow[block], blocks.addrHigh[block]);
      if (event >= 0 && firstOf[event] < end) return false;
    }
    return true;
  }
}
