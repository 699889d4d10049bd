/** Windowed views of one snapshot's history: the timeline requests its visible part, never the model. */
import type { LineTally, OwnerTally, TallyBy } from '../core/attribution/ownerTally.js';
import type { Axis, Stretch } from '../core/model/historyAxis.js';
import type { Bytes, Microseconds } from '../core/model/units.js';
import type { AllocatedIn as AllocatedSums } from '../core/timeline/allocatedIn.js';
import type { LiveByOwner } from '../core/timeline/liveAt.js';
import type { CurveWindow, HistoryWindow, Mark } from '../core/timeline/timelineWindow.js';

export type { CurveWindow };

/** The unit of the x axis: microseconds since the first event, or the ordinal of the event in its device's trace. */
export type TimelineAxis = Axis;

/** A device of a snapshot. */
export interface OfDevice {
  /** A loaded file. */
  path: string;
  device: number;
}

/** A part of a device's history. */
export interface WindowQuery extends OfDevice {
  axis: TimelineAxis;
  /** The window in units of the axis; null for the whole history. */
  window: Stretch | null;
}

export interface TimelineQuery extends WindowQuery {
  /** Width of the plot; at most four points come back per pixel. */
  pixels: number;
}

/** The serialized {@link TimelineWindow}: `unpackPoints` reads its points. */
export interface TimelineAnswer extends Omit<TimelineWindow, keyof TimelinePoints> {
  packed: Uint8Array;
}

/** A stepped curve: `live[i]` and `reserved[i]` apply from `x[i]` to `x[i + 1]`; `reserved` is null if unknown. */
export type TimelinePoints = Pick<HistoryWindow, 'x' | 'live' | 'reserved' | 'event'>;

/** Minimum and maximum of each pixel column, so a spike of a single event has its exact height. */
export interface TimelineWindow extends OfDevice, Omit<HistoryWindow, 'marks'> {
  marks: TimelineMark[];
  /** Start of the time axis, null if unknown. */
  startUs: Microseconds | null;
  events: number;
  /** False for an input with sums only: it has no bands. */
  hasAllocations: boolean;
  /** Total memory of the device where known. */
  capacityBytes: Bytes | null;
  /** The allocation that ended the program, or null. */
  failed: FailedAllocation | null;
}

export interface FailedAllocation {
  event: number;
  /** Position on the axis. */
  x: number;
  /** The requesting line, the requested bytes, and the free ones. */
  text: string;
  /** The requesting line; null if the stack shows none. */
  asked: { file: string; line: number; mapped: boolean } | null;
}

export type TimelineMark = Omit<Mark, 'failure' | 'collected'>;

/** The key of the rows of a list. */
export type ListedBy = TallyBy;

export interface LiveAtQuery extends OfDevice {
  /** Ordinal in the device's trace: the state after this event. -1 is the state before the first. */
  event: number;
  by: ListedBy;
}

/** Sums by owner. */
export interface OwnerSums extends OwnerTally, OfDevice {
  by: ListedBy;
}

/** The live memory at one instant. The parts add up to `liveBytes` exactly. */
export interface LiveAt extends OwnerSums, LiveByOwner {
  event: number;
  timeUs: Microseconds | null;
}

/** A file during reading: its progress, and the curve so far. */
export interface ReadProgress {
  /** Share of the file, 0 to 1; `from` is where the trace that `live` belongs to begins. */
  fraction: number;
  from: number;
  /** Live bytes above the lowest so far, the highest of each stretch of events between `from` and `fraction`. */
  live: Float64Array;
}

export interface AllocatedInQuery extends WindowQuery {
  by: ListedBy;
}

/** The allocations of a window that are live at its end. The parts add up to `aliveBytes` exactly. */
export interface AllocatedIn extends OwnerSums, AllocatedSums {}

export type LiveLine = LineTally;
