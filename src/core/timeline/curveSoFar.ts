import { Action } from '../model/snapshot.js';
import type { EventColumns } from '../model/eventColumns.js';

/** A picture that grows needs no more points. */
const MAX_POINTS = 256;

/**
 * The live bytes of a trace during reading, by requested sizes. Older memory is known only at the end, so the curve
 * starts at its minimum. Another device's trace starts it again.
 */
export class CurveSoFar {
  private seen = 0;
  private first = 0;
  private live = 0;
  private lowest = 0;
  /** Events that a point stands for. */
  private stride = 1;
  private highest: number[] = [];

  /** @param columns of the trace, which grow */
  constructor(private readonly columns: EventColumns) {}

  /** The highest live bytes of each stretch of events, all equally long. */
  read(): Float64Array {
    const { columns } = this;
    const { length, action, size, sinceUs } = columns;
    for (; this.seen < length; this.seen++) {
      const event = this.seen;
      if (event > this.first && sinceUs[event] < sinceUs[event - 1]) this.restart(event);
      if (action[event] === Action.Alloc) this.live += size[event];
      else if (action[event] === Action.FreeCompleted) this.live -= size[event];
      this.lowest = Math.min(this.lowest, this.live);
      const point = Math.floor((event - this.first) / this.stride);
      if (point === this.highest.length) this.highest.push(this.live);
      else this.highest[point] = Math.max(this.highest[point], this.live);
      if (this.highest.length > MAX_POINTS) this.halve();
    }
    return Float64Array.from(this.highest, (bytes) => bytes - this.lowest);
  }

  private restart(event: number): void {
    this.first = event;
    this.live = this.lowest = 0;
    this.stride = 1;
    this.highest = [];
  }

  private halve(): void {
    const { highest } = this;
    this.highest = [];
    for (let at = 0; at < highest.length; at += 2) this.highest.push(Math.max(...highest.slice(at, at + 2)));
    this.stride *= 2;
  }
}
