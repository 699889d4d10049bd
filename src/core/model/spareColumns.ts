import { countUpTo } from './ascending.js';
import type { EventColumns } from './eventColumns.js';
import { eventTime } from './eventTime.js';
import { SAME_CLOCK_US } from './sameClock.js';
import { EMPTY_STACK, type EventTable, type Snapshot } from './snapshot.js';
import { TraceEnds } from './traceEnds.js';
import type { Microseconds } from './units.js';

/** Rows of one trace. */
export interface TraceRows extends Addressed {
  /** Microseconds since the epoch. */
  readonly timeUs: Float64Array;
}

type Addressed = Pick<EventTable, 'addrLow' | 'addrHigh' | 'size'>;

/** Events at the beginning that two traces of one process have in common. */
const HEAD_EVENTS = 64;
/** The right place is so many times nearer in time than any other. */
const CLEARLY = 4;
/** Comparisons of rows, over those of one pass: events that are all alike are not looked at for long. */
const MAX_LOOKS = 8;
/** Fewer events at the end of a trace are not enough to find them again. */
const MIN_ALIKE = 64;

/**
 * Columns of a digested snapshot, which the next one fills again. An earlier dump of the same process begins with the same
 * events: beyond the first ones, its rows are there already.
 */
export class SpareColumns {
  /** Rows of the only trace of the snapshot; 0 with several traces. */
  readonly count: number;
  private readonly head: TraceRows;
  /** Made for the first snapshot that takes rows over. */
  private ends: TraceEnds | null = null;

  constructor(
    readonly columns: EventColumns,
    { traces, events }: Snapshot,
  ) {
    const traced = traces.filter(({ count }) => count > 0);
    const isPlain = events.forwardStack === null && events.category === null && traced.length === 1;
    this.count = isPlain && traced[0].first === 0 && traced[0].count === columns.length ? columns.length : 0;
    const { addrLow, addrHigh, size, sinceUs } = columns;
    this.head = {
      addrLow: addrLow.slice(0, HEAD_EVENTS),
      addrHigh: addrHigh.slice(0, HEAD_EVENTS),
      size: size.slice(0, HEAD_EVENTS),
      timeUs: Float64Array.from(sinceUs.subarray(0, HEAD_EVENTS), (_, event) => eventTime(columns, event)),
    };
  }

  /** Forgets the stacks of rows that another snapshot takes over: that snapshot has its own. */
  forgetStacks(first: number, end: number): void {
    const { stack } = this.columns;
    for (let row = first; row < end; row++) if (stack[row] > EMPTY_STACK) stack[row] = EMPTY_STACK + 1;
  }

  /** True if the rows that another snapshot has filled begin as the trace did. */
  get beginsAlike(): boolean {
    const { head, columns } = this;
    if (this.count < HEAD_EVENTS || columns.length < HEAD_EVENTS) return false;
    for (let row = 0; row < HEAD_EVENTS; row++) {
      if (!isAlike(columns, row, head, row) || Math.abs(eventTime(columns, row) - head.timeUs[row]) > SAME_CLOCK_US)
        return false;
    }
    return true;
  }

  /**
   * Finds the events before the end of an earlier trace. Training repeats, so the clock decides between several places.
   * @returns the number of events up to the end of that trace; null if it is not certain
   */
  endOf(tail: TraceRows): number | null {
    const { columns, count } = this;
    const { length } = tail.addrLow;
    if (length < MIN_ALIKE) return null;
    const { originUs, sinceUs } = columns;
    const endUs = tail.timeUs[length - 1] - originUs;
    const fewest = Math.max(length, columns.length);
    const apartUs = (end: number): Microseconds =>
      end < fewest || end > count ? Infinity : Math.abs(sinceUs[end - 1] - endUs);
    let looks = MAX_LOOKS * count;
    let best: number | null = null;
    let farthestUs = SAME_CLOCK_US;
    // From the same time on into both directions.
    let before = countUpTo(sinceUs.subarray(0, count), endUs);
    let after = before + 1;
    for (;;) {
      const end = apartUs(before) < apartUs(after) ? before-- : after++;
      if (apartUs(end) > farthestUs) return best;
      let back = 1;
      while (back <= length && isAlike(columns, end - back, tail, length - back)) back++;
      looks -= back;
      if (looks < 0) return null;
      if (back <= length) continue;
      if (best !== null) return null;
      best = end;
      farthestUs = Math.min(farthestUs, CLEARLY * apartUs(end));
    }
  }

  /** See {@link TraceEnds.link}. @param snapshot whose events end in the rows of this trace */
  link(snapshot: Snapshot): boolean {
    this.ends ??= new TraceEnds(this.columns, { device: 0, first: 0, count: this.count });
    return this.ends.link(snapshot);
  }
}

function isAlike(a: Addressed, row: number, b: Addressed, other: number): boolean {
  return a.addrLow[row] === b.addrLow[other] && a.addrHigh[row] === b.addrHigh[other] && a.size[row] === b.size[other];
}
