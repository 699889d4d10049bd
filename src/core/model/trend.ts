import type { Bytes, DeviceOrdinal } from './units.js';
import type { SnapshotWarning } from './snapshot.js';

/** One quantity over the rows of a trend. */
export interface TrendSeries {
  /** `allocated`, `reserved`, `used`, or a category such as `parameter`. */
  readonly name: string;
  /** Null where the input does not name devices. */
  readonly device: DeviceOrdinal | null;
  /** Bytes per row, NaN if unknown. */
  readonly bytes: Float64Array;
  /** The peak in the input, which may lie between rows; null if unknown. */
  readonly peakBytes: Bytes | null;
}

/** How much memory was held over time, without anything about whose it was: no lines, no addresses. */
export interface Trend {
  /** Which reader made it, such as `memoryTimeline`. */
  readonly format: string;
  readonly fileBytes: Bytes;
  /** Rows in the order of the file. */
  readonly count: number;
  /** Microseconds since the epoch per row, null if unknown. */
  readonly timeUs: Float64Array | null;
  /** True if the times are local times of an unknown zone, read as UTC. */
  readonly isWallClock: boolean;
  readonly series: readonly TrendSeries[];
  /** True if the series are the parts of one sum, with a row for each event: a slope per row has no meaning. */
  readonly isSum?: true;
  /** All memory of a device, null if unknown. */
  readonly capacities: readonly { readonly device: DeviceOrdinal; readonly bytes: Bytes }[];
  readonly warnings: readonly SnapshotWarning[];
}
