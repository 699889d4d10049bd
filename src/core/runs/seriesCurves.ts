/** Curves of several snapshots, runs, ranks or devices over each other, on an axis that all of them have. */
import type { Stretch } from '../model/historyAxis.js';
import type { Bytes } from '../model/units.js';
import { type RunCurve, runCurve } from './runCurve.js';
import { type RunOfDevice, stepsByPart } from './runSteps.js';
import type { Run } from './runs.js';

/** Training steps; microseconds since the first event; allocator events. */
export type SeriesAxis = 'step' | 'time' | 'events';

/** Axes, the most informative first. The last one always exists. */
const AXES: readonly SeriesAxis[] = ['step', 'time', 'events'];

/** Maximum number of points of all curves, in columns of four: the size of an answer. */
const MAX_COLUMNS = 2000;

export interface SeriesSource {
  /** The snapshots whose curves are joined: a run's, or one alone. */
  run: Pick<Run, 'snapshots' | 'steps'>;
  /** Names the process: series of one process share their clock. */
  process: string;
  device: number;
}

/** A stepped curve: `live[i]` holds from `x[i]` to `x[i + 1]`, inside each part. */
export interface SeriesCurve {
  x: Float64Array;
  live: Float64Array;
  /** The part of each snapshot; the time between two parts is unknown. */
  parts: SeriesPart[];
  /** Positions on the axis of failed allocations. */
  outOfMemory: number[];
  highest: Bytes;
}

interface SeriesPart {
  /** The points of the part are those from `first` up to `end`. */
  first: number;
  end: number;
  /** The position on the axis at which the snapshot was taken. */
  to: number;
  step: number | null;
  liveBytes: Bytes;
  hasTrace: boolean;
}

interface SeriesCurves {
  axis: SeriesAxis;
  axes: SeriesAxis[];
  extent: Stretch;
  /** Curves in the order of the sources. */
  curves: SeriesCurve[];
}

/** @param asked null, or an axis that not all have, for the best common one */
export function seriesCurves(sources: readonly SeriesSource[], asked: SeriesAxis | null, pixels: number): SeriesCurves {
  const columns = Math.max(1, Math.min(pixels, Math.floor(MAX_COLUMNS / Math.max(1, sources.length))));
  const curveOf = ({ run, device }: SeriesSource, axis: RunCurve['axis']): RunCurve =>
    runCurve(run, device, columns, axis);
  const joined = sources.map((source) => curveOf(source, 'time'));
  const scales = joined.map((curve, i) => stepScale(curve, sources[i]));
  const has: Record<SeriesAxis, boolean> = {
    step: scales.every((scale) => scale !== null),
    time: joined.every(({ axis }) => axis === 'time'),
    events: true,
  };
  const axes = AXES.filter((axis) => has[axis]);
  const axis = asked !== null && has[asked] ? asked : axes[0];
  const shown = axis === 'events' ? sources.map((source) => curveOf(source, 'events')) : joined;
  const curves = shown.map((curve, i) => {
    switch (axis) {
      case 'step':
        return curveAt(curve, scales[i] ?? ((x) => x));
      case 'time': {
        const later = (curve.startUs ?? 0) - beginOf(sources[i].process, sources, joined);
        return curveAt(curve, (x) => x + later);
      }
      case 'events':
        return curveAt(curve, (x) => x);
    }
  });
  const from = Math.min(...curves.map(({ x }) => x.at(0) ?? 0));
  const to = Math.max(...curves.map(({ x, parts }) => Math.max(x.at(-1) ?? 0, parts.at(-1)?.to ?? 0)));
  return { axis, axes, extent: { from, to: Math.max(to, from + 1) }, curves };
}

/** When the first series of a process begins. */
function beginOf(process: string, sources: readonly SeriesSource[], joined: readonly RunCurve[]): number {
  return Math.min(...joined.flatMap(({ startUs }, i) => (sources[i].process === process ? [startUs ?? 0] : [])));
}

function curveAt({ x, live, parts, outOfMemory }: RunCurve, at: StepScale): SeriesCurve {
  return {
    x: x.map(at),
    live,
    parts: parts.map(({ first, end, to, step, liveBytes, events }) => ({
      first,
      end,
      to: at(to),
      step,
      liveBytes,
      hasTrace: events > 0,
    })),
    outOfMemory: outOfMemory.map((failure) => at(failure.x)),
    highest: live.reduce((most, bytes) => Math.max(most, bytes), 0),
  };
}

/** The number of completed steps at a place on the axis of a run. */
type StepScale = (x: number) => number;

interface Anchor {
  x: number;
  step: number;
}

/**
 * The steps along a run's curve: exact at snapshots and at steps of a trace, in proportion between them.
 * @returns null if fewer than two places are known
 */
function stepScale(curve: RunCurve, of: RunOfDevice): StepScale | null {
  const anchors: Anchor[] = [];
  const add = (anchor: Anchor): void => {
    const last = anchors.at(-1);
    if (last === undefined || (anchor.x > last.x && anchor.step > last.step)) anchors.push(anchor);
  };
  for (const { part, step, steps } of stepsByPart(curve, of)) {
    if (step === null) return null;
    for (const { x, done } of steps) add({ x, step: done });
    add({ x: part.to, step });
  }
  if (anchors.length === 0) return null;
  if (anchors.length > 1) return (x) => stepAt(anchors, x);
  // A snapshot without a trace is a point.
  return curve.parts.every(({ events }) => events === 0) ? () => anchors[0].step : null;
}

/** Interpolates between two anchors, and extrapolates beyond the outermost ones. */
function stepAt(anchors: readonly Anchor[], x: number): number {
  let next = 1;
  while (next + 1 < anchors.length && anchors[next].x < x) next++;
  const [low, high] = [anchors[next - 1], anchors[next]];
  const step = low.step + ((x - low.x) / (high.x - low.x)) * (high.step - low.step);
  // The start of a training run may take long: it gets the width of one step.
  return Math.max(anchors[0].step - 1, step);
}
