import { resized } from './growable.js';
import type { Action, EventTable } from './snapshot.js';
import { SAME_CLOCK_US } from './sameClock.js';
import type { Bytes, EventIndex, Microseconds, StackId, StringId } from './units.js';
import { isNarrow, widened, type WholeNumbers } from './wholeNumbers.js';

/** One trace entry on its way into the columns. Readers fill the same object repeatedly. */
export interface EventRow {
  action: Action;
  addrLow: number;
  addrHigh: number;
  size: Bytes;
  timeUs: Microseconds;
  stack: StackId;
  forwardStack: StackId;
  stream: StringId;
  /** The category of the allocation, 0 if unknown. */
  category: StringId;
  /** See {@link EventTable.metadata}. */
  metadata: StringId;
  /** See {@link EventTable.compileContext}. */
  compileContext: StringId;
}

/** Columns that most inputs do not have. */
type RareColumn = 'forwardStack' | 'category' | 'metadata' | 'compileContext';

/** A file's size may lie; a guess beyond this is not believed. */
export const MAX_EXPECTED = 1 << 23;

/** The columns of the trace. They grow together: a check of each per entry would take a tenth of the time. */
export class EventColumns {
  length = 0;
  private capacity: number;
  action: Uint8Array<ArrayBuffer>;
  addrLow: Uint32Array<ArrayBuffer>;
  addrHigh: Uint32Array<ArrayBuffer>;
  size: WholeNumbers;
  /** See {@link EventTable.originUs}. */
  originUs: Microseconds = 0;
  sinceUs: WholeNumbers;
  stack: Uint32Array<ArrayBuffer>;

  /** @param expected entries, a guess: memory that is not written to costs nothing */
  constructor(expected = 0) {
    const capacity = Math.max(1024, Math.min(MAX_EXPECTED, Math.ceil(expected)));
    this.capacity = capacity;
    this.action = new Uint8Array(capacity);
    this.addrLow = new Uint32Array(capacity);
    this.addrHigh = new Uint32Array(capacity);
    this.size = new Uint32Array(capacity);
    this.sinceUs = new Uint32Array(capacity);
    this.stack = new Uint32Array(capacity);
  }

  /** Makes so many entries of zeros, to be written to. @returns the first of them */
  claim(entries: number): EventIndex {
    const first = this.length;
    while (first + entries > this.capacity) this.resize(this.capacity * 2);
    this.length += entries;
    return first;
  }

  add(row: EventRow): EventIndex {
    const index = this.claim(1);
    this.action[index] = row.action;
    this.addrLow[index] = row.addrLow;
    this.addrHigh[index] = row.addrHigh;
    this.setSize(index, row.size);
    this.setTime(index, row.timeUs);
    this.stack[index] = row.stack;
    return index;
  }

  setSize(event: EventIndex, size: Bytes): void {
    if (!isNarrow(size)) this.size = widened(this.size);
    this.size[event] = size;
  }

  setTime(event: EventIndex, timeUs: Microseconds): void {
    // The rows behind may be those of a later dump, which began at about the same time: its origin stays.
    const isNear = Math.abs(timeUs - SAME_CLOCK_US - this.originUs) <= SAME_CLOCK_US;
    if (event === 0 && !isNear && Number.isFinite(timeUs)) this.originUs = Math.max(0, timeUs - SAME_CLOCK_US);
    const since = timeUs - this.originUs;
    if (!isNarrow(since)) this.sinceUs = widened(this.sinceUs);
    this.sinceUs[event] = since;
  }

  /** The filled part of the columns. The rest was never written, so it takes no memory. */
  take(): Omit<EventTable, 'count' | RareColumn> {
    const { length, action, addrLow, addrHigh, size, originUs, sinceUs, stack } = this;
    return {
      action: action.subarray(0, length),
      addrLow: addrLow.subarray(0, length),
      addrHigh: addrHigh.subarray(0, length),
      size: size.subarray(0, length),
      originUs,
      sinceUs: sinceUs.subarray(0, length),
      stack: stack.subarray(0, length),
    };
  }

  private resize(capacity: number): void {
    this.capacity = capacity;
    this.action = resized(this.action, new Uint8Array(capacity));
    this.addrLow = resized(this.addrLow, new Uint32Array(capacity));
    this.addrHigh = resized(this.addrHigh, new Uint32Array(capacity));
    this.size = resizedNumbers(this.size, capacity);
    this.sinceUs = resizedNumbers(this.sinceUs, capacity);
    this.stack = resized(this.stack, new Uint32Array(capacity));
  }
}

function resizedNumbers(from: WholeNumbers, capacity: number): WholeNumbers {
  return from instanceof Uint32Array
    ? resized(from, new Uint32Array(capacity))
    : resized(from, new Float64Array(capacity));
}
