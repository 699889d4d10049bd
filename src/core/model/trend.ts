import type { Bytes } from './units.js';
import type { SnapshotWarning } from './snapshot.js';

/** One quantity over the rows of a trend. */
export interface TrendSeries {
  /** `allocated`, `reserved`, or a category such as `parameter`. */
  readonly name: string;
  /** Bytes per row, NaN where a row does not say. */
  readonly bytes: Float64Array;
}

/** How much memory was held over time, without anything about whose it was: no lines, no addresses. */
export interface Trend {
  /** Which reader made it, such as `memoryTimeline`. */
  readonly format: string;
  readonly fileBytes: Bytes;
  /** Rows in the order of the file. */
  readonly count: number;
  /** Microseconds since the epoch per row, null where the input has no times. */
  readonly timeUs: Float64Array | null;
  readonly series: readonly TrendSeries[];
  readonly warnings: readonly SnapshotWarning[];
}
