import type { Action, EventTable } from './snapshot.js';
import type { Bytes, EventIndex, Microseconds, StackId, StringId } from './units.js';

/** One trace entry on its way into the columns. Readers keep one such object and fill it again and again. */
export interface EventRow {
  action: Action;
  addrLow: number;
  addrHigh: number;
  size: Bytes;
  timeUs: Microseconds;
  stack: StackId;
  forwardStack: StackId;
  stream: StringId;
}

/**
 * The columns of the trace while they grow, all at once: of a million entries a second, nine checks for room each would
 * be a tenth of the time.
 */
export class EventColumns {
  length = 0;
  private capacity = 1024;
  private action = new Uint8Array(this.capacity);
  private addrLow = new Uint32Array(this.capacity);
  private addrHigh = new Uint32Array(this.capacity);
  private size = new Float64Array(this.capacity);
  private timeUs = new Float64Array(this.capacity);
  private stack = new Uint32Array(this.capacity);
  private stream = new Uint32Array(this.capacity);

  add(row: EventRow): EventIndex {
    const index = this.length++;
    if (index === this.capacity) this.resize(this.capacity + (this.capacity >> 1));
    this.action[index] = row.action;
    this.addrLow[index] = row.addrLow;
    this.addrHigh[index] = row.addrHigh;
    this.size[index] = row.size;
    this.timeUs[index] = row.timeUs;
    this.stack[index] = row.stack;
    this.stream[index] = row.stream;
    return index;
  }

  /** The columns in exactly their length. Adding goes on in columns of no length, so take only once. */
  take(): Omit<EventTable, 'count' | 'forwardStack'> {
    this.resize(this.length);
    const { action, addrLow, addrHigh, size, timeUs, stack, stream } = this;
    return { action, addrLow, addrHigh, size, timeUs, stack, stream };
  }

  private resize(capacity: number): void {
    this.capacity = capacity;
    this.action = resized(this.action, new Uint8Array(capacity));
    this.addrLow = resized(this.addrLow, new Uint32Array(capacity));
    this.addrHigh = resized(this.addrHigh, new Uint32Array(capacity));
    this.size = resized(this.size, new Float64Array(capacity));
    this.timeUs = resized(this.timeUs, new Float64Array(capacity));
    this.stack = resized(this.stack, new Uint32Array(capacity));
    this.stream = resized(this.stream, new Uint32Array(capacity));
  }
}

function resized<T extends Uint8Array<ArrayBuffer> | Uint32Array<ArrayBuffer> | Float64Array<ArrayBuffer>>(
  from: T,
  to: T,
): T {
  to.set(from.length > to.length ? from.subarray(0, to.length) : from);
  return to;
}
