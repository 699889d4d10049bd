import { countUpTo } from './ascending.js';
import { eventTime } from './eventTime.js';
import { replay, type AllocationTable } from './replay.js';
import { Action, type DeviceTrace, type EventTable, type Snapshot } from './snapshot.js';
import type { Bytes, Microseconds } from './units.js';
import type { WholeNumbers } from './wholeNumbers.js';

/** The history of one device as curves and lifetimes. Its end equals the snapshot's blocks to the byte. */
export interface DeviceHistory {
  readonly trace: DeviceTrace;
  readonly allocations: AllocationTable;
  /** Live bytes after event `i - 1`; `trace.count + 1` values. Computed on first use. */
  readonly live: Float64Array;
  /** Live bytes after one event. Before the trace and at the peak, this does not compute the column. */
  liveAfter(ordinal: number): Bytes;
  /** Reserved bytes after event `i - 1`; null if unknown. Computed on first use. */
  readonly reserved: Float64Array | null;
  /** Reserved bytes after one event, null if unknown. This does not compute the column. */
  reservedAfter(ordinal: number): Bytes | null;
  /** Time of event `i` since `startUs`, never falling; null if unknown. Computed on first use. */
  readonly time: Float64Array | null;
  /** Time of one event, null if unknown. This computes the column only if a clock stepped back. */
  timeAt(ordinal: number): Microseconds | null;
  readonly startUs: Microseconds | null;
  /** Bytes that the trace leaves allocated and the blocks do not have, or the other way round. */
  readonly disagreement: Bytes;
}

/** The nearest event to an asked one, -1 for the state before the first, and its time; null if unknown. */
export function momentOf(
  { trace, startUs, time }: DeviceHistory,
  asked: number,
): { event: number; timeUs: Microseconds | null } {
  const event = Math.min(Math.max(-1, Math.trunc(asked)), trace.count - 1);
  return { event, timeUs: startUs === null ? null : startUs + (time?.[Math.max(0, event)] ?? 0) };
}

/** The history that a trace shows. */
export interface TraceHistory extends DeviceHistory {
  /** The event after which live bytes are highest, the first of several; -1 for the state before the trace. */
  readonly peak: number;
}

/** Reconstructs one device's history. Linear in its events. */
export function deviceHistory(snapshot: Snapshot, device: number): TraceHistory {
  const trace = snapshot.traces.find((candidate) => candidate.device === device) ?? { device, first: 0, count: 0 };
  const { allocations, liveBefore, peak, disagreement } = replay(snapshot, trace);
  const live = new LiveBytes(
    trace,
    allocations,
    new Map([
      [-1, liveBefore],
      [peak.event, peak.liveBytes],
    ]),
  );
  const startUs = trace.count > 0 ? eventTime(snapshot.events, trace.first) : 0;
  const times = startUs > 0 ? new TraceTimes(snapshot.events, trace, startUs) : null;
  const reserved = snapshot.absent.includes('reserved') ? null : new ReservedBytes(snapshot, trace);
  return {
    trace,
    allocations,
    get live() {
      return live.column();
    },
    liveAfter: (ordinal) => live.after(ordinal),
    peak: peak.event,
    get reserved() {
      return reserved?.column() ?? null;
    },
    reservedAfter: (ordinal) => reserved?.after(ordinal) ?? null,
    startUs: startUs > 0 ? startUs : null,
    get time() {
      return times?.column() ?? null;
    },
    timeAt: (ordinal) => times?.at(ordinal) ?? null,
    disagreement,
  };
}

/** Rows of the allocations that are live after an event. */
export function liveRows({ allocations: { count, birth, death } }: DeviceHistory, ordinal: number): number[] {
  const rows: number[] = [];
  for (let row = 0; row < count; row++) if (birth[row] <= ordinal && death[row] > ordinal) rows.push(row);
  return rows;
}

/** A report on one snapshot needs live bytes at few events; a column takes 8 bytes of each. */
class LiveBytes {
  private made: Float64Array | null = null;

  /** @param known by ordinal */
  constructor(
    private readonly trace: DeviceTrace,
    private readonly allocations: AllocationTable,
    private readonly known: ReadonlyMap<number, Bytes>,
  ) {}

  after(ordinal: number): Bytes {
    return this.known.get(ordinal) ?? this.column()[ordinal + 1];
  }

  column(): Float64Array {
    if (this.made !== null) return this.made;
    const made = changesOf(this.allocations, this.trace.count);
    for (let i = 1; i < made.length; i++) made[i] += made[i - 1];
    this.made = made;
    return made;
  }
}

/** The change of live bytes by each event, after those before the first. */
function changesOf({ count, birth, death, bytes }: AllocationTable, end: number): Float64Array {
  const changes = new Float64Array(end + 1);
  for (let row = 0; row < count; row++) {
    changes[birth[row] + 1] += bytes[row];
    if (death[row] < end) changes[death[row] + 1] -= bytes[row];
  }
  return changes;
}

/** Reserved bytes change at few events, so there need be no column of them. */
class ReservedBytes {
  private made: Float64Array | null = null;
  /** Ordinals, ascending. */
  private readonly changes: Uint32Array;
  /** Before the first change, and after each. */
  private readonly bytes: Float64Array;

  constructor(
    { events, segmentEvents, segments }: Snapshot,
    private readonly trace: DeviceTrace,
  ) {
    const { event: changing } = segmentEvents;
    const end = trace.first + trace.count;
    const own = changing.subarray(countUpTo(changing, trace.first - 1), countUpTo(changing, end - 1));
    const changes = (this.changes = own.map((event) => event - trace.first));
    this.bytes = new Float64Array(changes.length + 1);
    let after = 0;
    for (let segment = 0; segment < segments.count; segment++) {
      if (segments.device[segment] === trace.device) after += segments.totalSize[segment];
    }
    // Backwards from the segments that are there: the trace may not reach back to the first.
    for (let i = changes.length; i >= 0; i--) {
      this.bytes[i] = Math.max(0, after);
      if (i === 0) break;
      const event = trace.first + changes[i - 1];
      const action = events.action[event];
      const isMore = action === Action.SegmentAlloc || action === Action.SegmentMap;
      after += isMore ? -events.size[event] : events.size[event];
    }
  }

  after(ordinal: number): Bytes {
    return this.bytes[countUpTo(this.changes, ordinal)];
  }

  column(): Float64Array {
    if (this.made !== null) return this.made;
    const { changes, bytes } = this;
    const made = new Float64Array(this.trace.count + 1);
    bytes.forEach((value, i) => made.fill(value, i === 0 ? 0 : changes[i - 1] + 1, (changes.at(i) ?? made.length) + 1));
    this.made = made;
    return made;
  }
}

/** Events are recorded under the device's lock, but their clock is fitted: a step back is levelled out. */
class TraceTimes {
  private made: Float64Array | null = null;
  /** Times of the events since the origin, which is a time since the start. */
  private readonly sinceUs: WholeNumbers;
  private readonly originUs: Microseconds;

  constructor(events: EventTable, trace: DeviceTrace, startUs: Microseconds) {
    this.sinceUs = events.sinceUs.subarray(trace.first, trace.first + trace.count);
    this.originUs = events.originUs - startUs;
    if (stepsBack(this.sinceUs)) this.column();
  }

  column(): Float64Array {
    if (this.made !== null) return this.made;
    const time = new Float64Array(this.sinceUs.length);
    let last = 0;
    for (let i = 0; i < time.length; i++) {
      last = Math.max(last, this.originUs + this.sinceUs[i]);
      time[i] = last;
    }
    this.made = time;
    return time;
  }

  at(ordinal: number): Microseconds {
    return this.made === null ? this.originUs + this.sinceUs[ordinal] : this.made[ordinal];
  }
}

function stepsBack(sinceUs: WholeNumbers): boolean {
  for (let i = 1; i < sinceUs.length; i++) if (!(sinceUs[i] >= sinceUs[i - 1])) return true;
  return false;
}
