/** Windowed views of one snapshot's history: the timeline asks for what it shows, never for the model. */
import type { Collected } from '../core/timeline/collectorMarks.js';
import type { Failure } from '../core/attribution/failures.js';
import type { Bytes, Microseconds } from '../core/model/units.js';

/** The unit of the x axis: microseconds since the first event, or the ordinal of the event in its device's trace. */
export type TimelineAxis = 'time' | 'events';

export interface TimelineQuery {
  /** A loaded file. */
  path: string;
  device: number;
  axis: TimelineAxis;
  /** Window in units of the axis; null for the whole history. */
  window: { from: number; to: number } | null;
  /** Width of the plot; at most four points come back per pixel. */
  pixels: number;
}

/** What {@link TimelineWindow} is on its way: `unpackPoints` makes points of the bytes. */
export interface TimelineAnswer extends Omit<TimelineWindow, keyof TimelinePoints> {
  packed: Uint8Array;
}

/** A stepped curve: `live[i]` and `reserved[i]` hold from `x[i]` to `x[i + 1]`; `reserved` is null where unknown. */
export interface TimelinePoints {
  x: Float64Array;
  live: Float64Array;
  reserved: Float64Array | null;
  /** Ordinal of the event behind each point, for exact questions. */
  event: Uint32Array;
}

/** Minima and maxima of every pixel column are kept, so a spike of a single event shows at its exact height. */
export interface TimelineWindow extends TimelinePoints {
  path: string;
  device: number;
  /** `events` if the file carries no times, whatever was asked. */
  axis: TimelineAxis;
  /** The whole history. */
  extent: { from: number; to: number };
  /** What the points cover. */
  window: { from: number; to: number };
  /** Start of the time axis, null where the file carries no times. */
  startUs: Microseconds | null;
  events: number;
  /** False where the file tells sums only: there are no bands to be had. */
  hasAllocations: boolean;
  /** Highest live bytes inside the window, and where. */
  peak: { x: number; event: number; liveBytes: Bytes };
  /** Total memory of the device where known. */
  capacityBytes: Bytes | null;
  marks: TimelineMark[];
  /** The allocation that ended the program; null where none failed. */
  failed: FailedAllocation | null;
}

export interface FailedAllocation {
  event: number;
  /** Its place on the axis. */
  x: number;
  /** Which line asked for how much, and what there was. */
  text: string;
  /** The line that asked; null where the stack shows none. */
  asked: { file: string; line: number; mapped: boolean } | null;
}

export interface TimelineMark {
  x: number;
  kind: 'snapshot' | 'outOfMemory' | 'collector' | 'step';
  /** Empty where the kind says it all. */
  label: string;
  /** Of an allocation that failed. */
  failure?: Failure;
  /** What the garbage collector freed. */
  collected?: Collected;
  /** Of a step that is counted back from the last one: the trace lost the first ones. */
  fromEnd?: true;
}

/** What the rows of a list are told apart by. */
export type ListedBy = 'line' | 'stack';

export interface LiveAtQuery {
  path: string;
  device: number;
  /** Ordinal in the device's trace: the state after this event. -1 is the state before the first. */
  event: number;
  by: ListedBy;
}

/** Sums by owner. */
export interface OwnerSums {
  path: string;
  device: number;
  by: ListedBy;
  /** Largest first. */
  lines: LiveLine[];
  buckets: { library: LiveBucket; beforeRecording: LiveBucket; noStack: LiveBucket };
}

/** What is live at one instant. The parts add up to `liveBytes` exactly. */
export interface LiveAt extends OwnerSums {
  event: number;
  timeUs: Microseconds | null;
  liveBytes: Bytes;
  /** Null where the input does not say. */
  reservedBytes: Bytes | null;
}

/** A file that is being read: how far, and the curve of what was read. */
export interface ReadProgress {
  /** Share of the file, 0 to 1; `from` is where the trace that `live` belongs to begins. */
  fraction: number;
  from: number;
  /** Live bytes above the lowest so far, the highest of each stretch of events between `from` and `fraction`. */
  live: Float64Array;
}

export interface AllocatedInQuery {
  path: string;
  device: number;
  axis: TimelineAxis;
  /** In units of the axis; null for the whole history. */
  window: { from: number; to: number } | null;
  by: ListedBy;
}

/** What was allocated in a window and is there at the end. The parts add up to `aliveBytes` exactly. */
export interface AllocatedIn extends OwnerSums {
  /** First and last event of the window; `last` is below `first` where it has none. */
  first: number;
  last: number;
  aliveBytes: Bytes;
  aliveBlocks: number;
  /** With what was freed again. */
  allocatedBytes: Bytes;
  allocatedBlocks: number;
}

export interface LiveBucket {
  bytes: Bytes;
  blocks: number;
}

export interface LiveLine extends LiveBucket {
  file: string;
  line: number;
  function: string;
  /** True if `file` is a workspace path that can be opened. */
  mapped: boolean;
  /** The stack as people read it, innermost first; null if stacks are not told apart. */
  frames: { file: string; line: number; function: string }[] | null;
  /** C++ frames of the stack that `frames` leaves out. */
  hiddenFrames: number;
}
