import type { Recording } from '../model/recording.js';
import type { Snapshot } from '../model/snapshot.js';
import type { Microseconds } from '../model/units.js';
import { freeingCollections, largestOf, type FreeingCollection } from '../timeline/collectorMarks.js';
import { failuresOf, type Failure } from '../attribution/failures.js';
import type { DeviceHistory } from '../model/history.js';
import { HistoryAxis } from '../model/historyAxis.js';
import { pickOrdinals } from '../timeline/timelineWindow.js';
import type { TraceMeeting } from './traceSpan.js';

/** One device's curve in few points, each of them exact: lows, highs and last states of equal stretches of the trace. */
export interface TraceCurve {
  readonly device: number;
  /** Ordinals, ascending; the last event is one of them. */
  readonly event: Uint32Array;
  /** Times of these events since `startUs`; null where the file has none. */
  readonly time: Float64Array | null;
  readonly startUs: Microseconds | null;
  /** States after these events; one value more, the first is the state before the trace. */
  readonly live: Float64Array;
  /** Reserved bytes in these states; null if unknown. */
  readonly reserved: Float64Array | null;
  /** The first allocations that failed. */
  readonly outOfMemory: readonly Failure[];
  /** Runs of the garbage collector that freed memory, of many those that freed most. */
  readonly collected: readonly FreeingCollection[];
  readonly meeting: TraceMeeting;
}

/** Columns of the curve: the widest plots have four times as many pixels, for all snapshots of a run. */
const COLUMNS = 512;
const MAX_FAILURES = 100;
/** The widest overview that collections are kept for, in pixels. */
const WIDEST = 4096;

export function traceCurve(
  snapshot: Snapshot,
  history: DeviceHistory,
  recording: Recording | null,
  meeting: TraceMeeting,
): TraceCurve {
  const { trace, startUs } = history;
  const axis = new HistoryAxis(history, 'events');
  const ordinals = pickOrdinals(history, 0, trace.count, { from: 0, to: trace.count }, COLUMNS, axis);
  const states = [-1, ...ordinals];
  return {
    device: trace.device,
    event: Uint32Array.from(ordinals),
    time: startUs === null ? null : Float64Array.from(ordinals, (event) => history.timeAt(event) ?? Number.NaN),
    startUs,
    live: Float64Array.from(states, (event) => history.liveAfter(event)),
    reserved:
      history.reservedAfter(-1) === null
        ? null
        : Float64Array.from(states, (event) => history.reservedAfter(event) ?? 0),
    outOfMemory: failuresOf(snapshot, history, MAX_FAILURES),
    collected: largestOf(freeingCollections(recording?.collections ?? [], history), WIDEST),
    meeting,
  };
}
