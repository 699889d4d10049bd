import { countWhile } from '../model/ascending.js';
import { Action, type Snapshot } from '../model/snapshot.js';
import type { Bytes } from '../model/units.js';
import type { Recording } from '../model/recording.js';
import type { Tally } from '../attribution/ownerTally.js';
import { collectorMarks } from './collectorMarks.js';
import { failureAt, type Failure } from '../attribution/failures.js';
import type { DeviceHistory } from '../model/history.js';
import { HistoryAxis, type Axis, type Stretch } from '../model/historyAxis.js';
import { stepMarks } from '../attribution/steps/stepMarks.js';
import type { CountedSteps } from '../attribution/steps/stepNumbers.js';
import type { Steps } from '../attribution/steps/steps.js';

interface WindowRequest {
  axis: Axis;
  /** The window in units of the axis; null for the whole history. */
  window: Stretch | null;
  pixels: number;
}

export interface Mark {
  x: number;
  kind: 'snapshot' | 'outOfMemory' | 'collector' | 'step';
  /** Empty if the kind is enough. */
  label: string;
  /** The allocation that failed, for a mark of an out of memory. */
  failure?: Failure;
  /** Memory that the garbage collector freed. */
  collected?: Tally;
  /** True for a step that is counted back from the last one, because the trace lost the first ones. */
  fromEnd?: true;
}

/** Facts on a history beside its trace. */
export interface KnownOfHistory {
  /** The steps of the device; null without steps. */
  steps: Steps | null;
  /** The recorder's data: its count of steps, and the runs of the garbage collector. */
  recording: (CountedSteps & Pick<Recording, 'collections'>) | null;
  /** Steps at the snapshot, from the recorder or the file's name. */
  done?: number | null;
}

const NOTHING_KNOWN: KnownOfHistory = { steps: null, recording: null };

export interface HistoryWindow {
  /** `events` if the history has no times. */
  axis: Axis;
  /** The whole history. */
  extent: Stretch;
  /** The range of the points. */
  window: Stretch;
  /** The state from `x[i]` on; `event[i]` is the ordinal of the event that made it. */
  x: Float64Array;
  live: Float64Array;
  /** Null if unknown. */
  reserved: Float64Array | null;
  event: Uint32Array;
  /** Highest live bytes inside the window, and where. */
  peak: { x: number; event: number; liveBytes: Bytes };
  marks: Mark[];
}

const MAX_PIXELS = 8192;
const POINTS_PER_PIXEL = 4;

/**
 * The curve of a window in at most four points per pixel column: minimum, maximum and last of live bytes, and maximum
 * of reserved bytes.
 * @param snapshot null for a history without events, which has no marks
 */
export function historyWindow(
  snapshot: Snapshot | null,
  history: DeviceHistory,
  request: WindowRequest,
  { steps, recording, done = null }: KnownOfHistory = NOTHING_KNOWN,
): HistoryWindow {
  const axis = new HistoryAxis(history, request.axis);
  const window = axis.window(request.window);
  const { first, end } = axis.eventsIn(window);
  const { reserved } = history;
  const pixels = Math.min(MAX_PIXELS, Math.max(1, Math.floor(request.pixels)));
  const selected = pickOrdinals(history, first, end, window, pixels, axis);
  // The state in which the window opens is that of the event before it.
  const before = first > 0 ? [first - 1] : [];
  const ordinals = [...before, ...selected];
  const at = ordinals.map((ordinal, i) => (i === 0 && first > 0 ? window.from : axis.xOf(ordinal)));
  return {
    axis: axis.axis,
    extent: axis.extent,
    window,
    x: Float64Array.from(at),
    live: Float64Array.from(ordinals, (ordinal) => history.live[ordinal + 1]),
    reserved: reserved === null ? null : Float64Array.from(ordinals, (ordinal) => reserved[ordinal + 1]),
    event: Uint32Array.from(ordinals),
    peak: peakOf(history, ordinals, at),
    marks:
      snapshot === null
        ? []
        : [
            ...marksIn(snapshot, history, first, end, axis),
            ...collectorMarks(recording?.collections ?? [], history, axis, window, pixels),
            ...stepMarks(snapshot, history, { steps, recording, done }, axis, window, pixels),
          ],
  };
}

/** A part of another curve over the events of a history. */
export interface CurveWindow {
  axis: Axis;
  /** `values[i]` holds from `x[i]` on, the last one to `end`. */
  x: Float64Array;
  values: Float64Array;
  end: number;
}

/** @param values at `i + 1` that after event `i`; it may end before the history does */
export function curveWindow(history: DeviceHistory, values: Float64Array, request: WindowRequest): CurveWindow {
  const axis = new HistoryAxis(history, request.axis);
  const window = axis.window(request.window);
  const { first, end } = axis.eventsIn(window);
  const known = Math.min(end, values.length - 1);
  const pixels = Math.min(MAX_PIXELS, Math.max(1, Math.floor(request.pixels)));
  const selected = pickOrdinals({ live: values, reserved: null }, first, known, window, pixels, axis);
  const ordinals = first > 0 && first <= known ? [first - 1, ...selected] : selected;
  return {
    axis: axis.axis,
    x: Float64Array.from(ordinals, (ordinal) => Math.max(window.from, axis.xOf(ordinal))),
    values: Float64Array.from(ordinals, (ordinal) => values[ordinal + 1]),
    end: known < end ? axis.xOf(known) : window.to,
  };
}

/**
 * At most four per pixel column of the ordinals in `[first, end)`. @param history its `i + 1` is the state after `i`
 */
export function pickOrdinals(
  history: Pick<DeviceHistory, 'live' | 'reserved'>,
  first: number,
  end: number,
  window: { from: number; to: number },
  pixels: number,
  axis: Pick<HistoryAxis, 'xOf'>,
): number[] {
  const selected: number[] = [];
  if (end - first <= pixels * POINTS_PER_PIXEL) {
    for (let ordinal = first; ordinal < end; ordinal++) selected.push(ordinal);
    return selected;
  }
  const { live, reserved } = history;
  const width = (window.to - window.from) / pixels;
  let ordinal = first;
  while (ordinal < end) {
    const column = Math.min(pixels - 1, Math.floor((axis.xOf(ordinal) - window.from) / width));
    const edge = window.from + (column + 1) * width;
    // Rounding may put an event on the edge of its own column: take it, so that the loop moves on.
    const inside = (event: number): boolean => column === pixels - 1 || axis.xOf(event) < edge;
    const next = Math.max(ordinal + 1, ordinal + countWhile(end - ordinal, (i) => inside(ordinal + i)));
    let low = ordinal;
    let high = ordinal;
    let highReserved = ordinal;
    for (let event = ordinal; event < next; event++) {
      if (live[event + 1] < live[low + 1]) low = event;
      if (live[event + 1] > live[high + 1]) high = event;
      if (reserved !== null && reserved[event + 1] > reserved[highReserved + 1]) highReserved = event;
    }
    ordinal = next;
    const column4 = [low, high, highReserved, next - 1].sort((a, b) => a - b);
    column4.forEach((candidate, i) => {
      if (i === 0 || candidate !== column4[i - 1]) selected.push(candidate);
    });
  }
  return selected;
}

function peakOf(
  history: DeviceHistory,
  ordinals: readonly number[],
  at: readonly number[],
): { x: number; event: number; liveBytes: Bytes } {
  let best = -1;
  ordinals.forEach((ordinal, i) => {
    if (best === -1 || history.live[ordinal + 1] > history.live[ordinals[best] + 1]) best = i;
  });
  if (best === -1) return { x: 0, event: -1, liveBytes: history.live[0] };
  return { x: at[best], event: ordinals[best], liveBytes: history.live[ordinals[best] + 1] };
}

function marksIn(snapshot: Snapshot, history: DeviceHistory, first: number, end: number, axis: HistoryAxis): Mark[] {
  const { events } = snapshot;
  const marks: Mark[] = [];
  for (let ordinal = first; ordinal < end; ordinal++) {
    const action = events.action[history.trace.first + ordinal];
    if (action === Action.Snapshot) marks.push({ x: axis.xOf(ordinal), kind: 'snapshot', label: '' });
    else if (action === Action.OutOfMemory) {
      const failure = failureAt(snapshot, history, ordinal);
      marks.push({ x: axis.xOf(ordinal), kind: 'outOfMemory', label: '', failure });
    }
  }
  return marks;
}
