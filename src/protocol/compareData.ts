/** Two snapshots side by side: their growth by line and by call, and their curves on one axis. */
import type { CallTree } from '../core/timeline/callTree.js';
import type { SeriesAxis, SeriesCurve } from '../core/runs/seriesCurves.js';
import type { Bytes } from '../core/model/units.js';
import type { CompareCell } from '../core/report/report.js';
import type { BandOwner } from './bandData.js';
import type { FlameCall } from './flameData.js';
import type { OfDevice } from './timelineData.js';

/** Two loaded files; A before B. */
export interface ComparePair {
  a: string;
  b: string;
}

export interface CompareSide {
  path: string;
  step: number | null;
  liveBytes: Bytes;
}

/** Growth by line. The rows and `others` add up to `total`, which is the difference of the live bytes. */
export interface CompareTable {
  a: CompareSide;
  b: CompareSide;
  /** Lines with the most bytes on either side, and the buckets that hold any. */
  rows: CompareRow[];
  /** How many lines are in `others`, and their sums. */
  otherLines: number;
  others: CompareCell;
  total: CompareCell;
  /** True if some survivors are matched by address, size and stack alone. */
  reused: boolean;
  /** The answer, in the words of every surface. */
  sentences: readonly string[];
}

export interface CompareRow extends CompareCell, BandOwner {}

/** The width of boxes in the difference flame graph: live in B, or the larger of both. */
export const COMPARE_WIDTHS = ['either', 'after'] as const;
export type CompareWidth = (typeof COMPARE_WIDTHS)[number];

export interface CompareFlameQuery extends ComparePair {
  width: CompareWidth;
  /** Leaves out frames that no user wrote. */
  folded: boolean;
  /** Ids of the calls down to the one that shall fill the width; none for everything. */
  focus: readonly number[];
  /** Width of the graph. */
  pixels: number;
}

export interface CompareFlame extends ComparePair {
  /** Live bytes of both snapshots. */
  bytesA: Bytes;
  bytesB: Bytes;
  /** The focused calls, outermost first; indices into `calls`. */
  focus: { call: number; bytesA: Bytes; bytesB: Bytes }[];
  calls: FlameCall[];
  /** The tree, as for a flame graph; `bytes` is the width. */
  tree: CallTree;
  /** Bytes of A by row of the tree. */
  rowBytesA: Float64Array;
  rowBytesB: Float64Array;
  rowBlocksA: Float64Array;
  rowBlocksB: Float64Array;
}

/** A curve that can be laid over others: of a snapshot's own trace, or of its whole run. */
export interface SeriesRef extends OfDevice {
  whole: boolean;
}

/** Common axes for curves. */
export const SERIES_AXES = ['step', 'time', 'events'] as const satisfies readonly SeriesAxis[];

/** Maximum number of series in one question. */
export const MAX_SERIES = 16;

export interface SeriesQuery {
  series: readonly SeriesRef[];
  /** Null for the best that all of them have. */
  axis: SeriesAxis | null;
  pixels: number;
}

export interface SeriesAnswer {
  axis: SeriesAxis;
  /** The common axes of all curves. */
  axes: SeriesAxis[];
  extent: { from: number; to: number };
  /** Curves in the order of the question. */
  curves: (SeriesCurve & SeriesRef)[];
}

export type { CompareCell, SeriesAxis, SeriesCurve };
