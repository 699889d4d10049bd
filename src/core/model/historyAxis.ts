import { countWhile } from './ascending.js';
import type { DeviceHistory } from './history.js';

export type Axis = 'time' | 'events';

/** A stretch of an axis. */
export interface Stretch {
  from: number;
  to: number;
}

/** The events of a history along an axis: microseconds since the first event, or their ordinals. */
export class HistoryAxis {
  readonly axis: Axis;
  /** The whole history; never empty. */
  readonly extent: Stretch;
  private readonly time: Float64Array | null;
  private readonly count: number;

  /** @param asked becomes events if the history has no times */
  constructor(history: DeviceHistory, asked: Axis) {
    this.count = history.trace.count;
    this.time = asked === 'time' ? history.time : null;
    this.axis = this.time === null ? 'events' : 'time';
    this.extent = { from: 0, to: this.count === 0 ? 1 : Math.max(1, this.xOf(this.count - 1)) };
  }

  /** The place of an event. */
  xOf(ordinal: number): number {
    return this.time === null ? ordinal : this.time[ordinal];
  }

  /** The part of `asked` within the history; the whole history if that is empty. */
  window(asked: Stretch | null): Stretch {
    const { extent } = this;
    if (asked === null || !(asked.to > asked.from)) return extent;
    const from = Math.min(Math.max(asked.from, extent.from), extent.to);
    const to = Math.min(Math.max(asked.to, extent.from), extent.to);
    return to > from ? { from, to } : extent;
  }

  /** The events inside a window: ordinals from `first` up to `end`, which is not one of them. */
  eventsIn(window: Stretch): { first: number; end: number } {
    const isWithin = (ordinal: number): boolean => !(this.xOf(ordinal) > window.to);
    return { first: this.lowerBound(window.from), end: countWhile(this.count, isWithin) };
  }

  /** First ordinal at `x` or after it. */
  lowerBound(x: number): number {
    return countWhile(this.count, (ordinal) => !(this.xOf(ordinal) >= x));
  }
}
