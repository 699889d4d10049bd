import type { Bytes, Microseconds } from '../model/units.js';
import { endOfEarlier } from './alignTraces.js';
import type { Tally } from '../attribution/ownerTally.js';
import { largestOf } from '../timeline/collectorMarks.js';
import type { SnapshotDigest } from '../digest/digest.js';
import type { Stretch } from '../model/historyAxis.js';
import type { Run } from './runs.js';
import { sameHistory } from './sameProcess.js';
import { pickOrdinals } from '../timeline/timelineWindow.js';
import type { TraceCurve } from '../digest/traceCurve.js';

/**
 * What precedes a snapshot's part of its run: nothing, the trace that it continues, a gap, or, without a trace, the
 * unknown.
 */
export type BeforePart = 'start' | 'joined' | 'gap' | 'unrecorded';

/** A snapshot's part of its run: the part of its trace that no earlier snapshot has. */
export interface RunPart {
  path: string;
  step: number | null;
  liveBytes: Bytes;
  /** Null if unknown. */
  reservedBytes: Bytes | null;
  before: BeforePart;
  /** The begin of the part on the axis. It ends at `to`, where the snapshot was taken. */
  from: number;
  to: number;
  /** The points of the part are those from `first` up to `end`. Without a trace there is one: the snapshot itself. */
  first: number;
  end: number;
  /** Number of events of the trace; 0 without a trace. */
  events: number;
  /** The first of these events that the trace of no earlier snapshot has. */
  fresh: number;
}

/** The curve of one device over all snapshots of a run. */
export interface RunCurve {
  /** Microseconds since the run's first event; event numbers if a snapshot has no time. */
  axis: 'time' | 'events';
  /** When the time axis begins; null on an axis of events. */
  startUs: Microseconds | null;
  extent: Stretch;
  parts: RunPart[];
  /** A stepped curve, inside each part; never rising or falling between two of them. */
  x: Float64Array;
  live: Float64Array;
  /** Null if unknown. */
  reserved: Float64Array | null;
  /** Ordinals in the traces of their parts. */
  event: Uint32Array;
  outOfMemory: { x: number }[];
  /** Where the garbage collector freed memory, as many places as can be distinguished. */
  collected: { x: number; collected: Tally }[];
}

/** Share of the width for gaps of unknown duration. */
const GAP_SHARE = 0.03;

interface Source {
  digest: SnapshotDigest;
  step: number | null;
  liveBytes: Bytes;
  reservedBytes: Bytes | null;
  curve: TraceCurve | null;
  before: BeforePart;
  /** First ordinal that no earlier trace has. */
  fresh: number;
  clockUs: Microseconds | null;
}

/**
 * Joins the traces of a run for a device: each event counts once, gaps are left out.
 * @param asked `time` becomes events if a snapshot has no time
 */
export function runCurve(
  run: Pick<Run, 'snapshots' | 'steps'>,
  device: number,
  pixels: number,
  asked: RunCurve['axis'] = 'time',
): RunCurve {
  const sources = sourcesOf(run, device);
  const clocks = sources.flatMap(({ clockUs }) => (clockUs === null ? [] : [clockUs]));
  const hasClock = clocks.length === sources.length && clocks.length > 0;
  const originUs = asked === 'time' && hasClock ? Math.min(...clocks) : null;
  const recorded = sources.reduce((sum, { curve, fresh }) => sum + (curve?.meeting.events ?? fresh) - fresh, 0);
  const layout = new Layout(originUs, Math.max(1, recorded * GAP_SHARE));
  const placed = sources.map((source) => layout.place(source));
  const extent = { from: 0, to: Math.max(1, layout.end) };
  const points = new Points(extent, pixels);
  const outOfMemory: RunCurve['outOfMemory'] = [];
  const collected: RunCurve['collected'] = [];
  const parts = sources.map((source, part): RunPart => {
    const { from, to, xOf } = placed[part];
    const first = points.count;
    points.add(source, { from, to }, xOf);
    for (const { event, time } of source.curve?.outOfMemory ?? []) {
      if (event >= source.fresh) outOfMemory.push({ x: xOf(event, time) });
    }
    for (const one of source.curve?.collected ?? []) {
      if (one.event >= source.fresh) collected.push({ x: xOf(one.event, one.time), collected: one.collected });
    }
    const { digest, curve, step, liveBytes, reservedBytes, before, fresh } = source;
    const events = curve?.meeting.events ?? 0;
    const end = points.count;
    return { path: digest.path, step, liveBytes, reservedBytes, before, from, to, first, end, events, fresh };
  });
  return {
    axis: originUs === null ? 'events' : 'time',
    startUs: originUs,
    extent,
    parts,
    ...points.take(),
    outOfMemory,
    collected: largestOf(collected, pixels),
  };
}

function sourcesOf({ snapshots, steps }: Pick<Run, 'snapshots' | 'steps'>, device: number): Source[] {
  const sources: Source[] = [];
  let traced: Source | null = null;
  snapshots.forEach((digest, i) => {
    const totals = digest.devices.find((one) => one.device === device);
    if (totals === undefined) return;
    const { liveBytes, reservedBytes } = totals;
    const curve = digest.curves.find((one) => one.device === device) ?? null;
    const clockUs = curve === null ? (digest.takenAtUs ?? digest.recording?.stepEndsUs.at(-1) ?? null) : curve.startUs;
    const known = { digest, step: steps[i], liveBytes, reservedBytes, curve, clockUs };
    const isFirst = sources.length === 0;
    if (curve === null) {
      sources.push({ ...known, before: isFirst ? 'start' : 'unrecorded', fresh: 0 });
      return;
    }
    const fresh = traced?.curve == null ? null : meet(traced.digest, traced.curve, digest, curve);
    const source: Source = {
      ...known,
      before: fresh !== null ? 'joined' : isFirst ? 'start' : 'gap',
      fresh: fresh ?? 0,
    };
    sources.push(source);
    traced = source;
  });
  return sources;
}

/** The first ordinal of a later trace that an earlier one does not have, null if they do not meet. */
function meet(before: SnapshotDigest, earlier: TraceCurve, after: SnapshotDigest, later: TraceCurve): number | null {
  const end = endOfEarlier(earlier.meeting, later.meeting);
  if (end !== null) return end;
  const { events } = earlier.meeting;
  return events <= later.meeting.events && sameHistory(before, after) ? events : null;
}

interface Placed {
  from: number;
  to: number;
  xOf: (event: number, time: Microseconds | null) => number;
}

/** The places of a run's parts on its axis, in sequence. */
class Layout {
  end = 0;
  private isFirst = true;

  constructor(
    private readonly originUs: Microseconds | null,
    private readonly gap: number,
  ) {}

  place({ curve, before, fresh, clockUs }: Source): Placed {
    const { end, originUs } = this;
    const wasFirst = this.isFirst;
    this.isFirst = false;
    let xOf: Placed['xOf'];
    let from = end;
    if (originUs !== null) {
      const start = (clockUs ?? originUs) - originUs;
      // Each snapshot has its own clock: times before the end of the previous part are moved to it.
      xOf = (_event, time) => Math.max(end, start + (time ?? 0));
      this.end = xOf(0, curve?.time?.at(-1) ?? 0);
      if (before !== 'joined') from = Math.min(this.end, Math.max(end, start));
    } else {
      if (before !== 'joined' && !wasFirst) from += this.gap;
      const begin = before === 'joined' ? from + 1 : from;
      xOf = (event) => begin + event - fresh;
      this.end = curve === null ? from : Math.max(from, xOf(curve.meeting.events - 1, null));
    }
    return { from, to: this.end, xOf };
  }
}

/** The points of all parts, thinned to the pixels that there are for them. */
class Points {
  private readonly x: number[] = [];
  private readonly live: number[] = [];
  private readonly reserved: number[] = [];
  private readonly event: number[] = [];
  private hasReserved = true;

  constructor(
    private readonly extent: Stretch,
    private readonly pixels: number,
  ) {}

  get count(): number {
    return this.x.length;
  }

  add({ curve, fresh, liveBytes, reservedBytes }: Source, { from, to }: Stretch, xOf: Placed['xOf']): void {
    if (curve === null) {
      this.push(from, liveBytes, reservedBytes, 0);
      return;
    }
    const { event, time } = curve;
    const axis = { xOf: (index: number) => xOf(event[index], time?.[index] ?? null) };
    const begin = event.findIndex((ordinal) => ordinal >= fresh);
    if (begin === -1) return;
    const pixel = (this.extent.to - this.extent.from) / this.pixels;
    const window = { from, to: Math.max(to, from + pixel) };
    const wide = Math.max(1, Math.ceil((window.to - from) / pixel));
    const rows = pickOrdinals(curve, begin, event.length, window, wide, axis);
    for (const index of rows) {
      this.push(axis.xOf(index), curve.live[index + 1], curve.reserved?.[index + 1] ?? null, event[index]);
    }
  }

  take(): Pick<RunCurve, 'x' | 'live' | 'reserved' | 'event'> {
    return {
      x: Float64Array.from(this.x),
      live: Float64Array.from(this.live),
      reserved: this.hasReserved ? Float64Array.from(this.reserved) : null,
      event: Uint32Array.from(this.event),
    };
  }

  private push(x: number, live: Bytes, reserved: Bytes | null, event: number): void {
    this.x.push(x);
    this.live.push(live);
    this.reserved.push(reserved ?? 0);
    if (reserved === null) this.hasReserved = false;
    this.event.push(event);
  }
}
