/** The allocations under the curve, at the level of detail that a window of the timeline can show. */
import type { Category } from '../core/attribution/categories/category.js';
import type { OwnerLine, ShownFrame } from '../core/attribution/owner.js';
import type { Verdict } from '../core/report/report.js';
import type { AllocationDetail } from '../core/timeline/bandDetail.js';
import type { BandGroup, BandGrouping } from '../core/timeline/seriesLayout.js';
import type { Microseconds } from '../core/model/units.js';
import type { OfDevice, TimelineAxis, WindowQuery } from './timelineData.js';

export const BAND_GROUPINGS = [
  'verdict',
  'line',
  'file',
  'stack',
  'category',
  'age',
] as const satisfies readonly BandGrouping[];

export type { Category, ShownFrame, Verdict };

export interface BandsQuery extends WindowQuery {
  /** Size of the plot. */
  pixels: number;
  rows: number;
  /** The part of the height that the rows show; null for all of it. */
  bytes: { from: number; to: number } | null;
  /** The common property of bands of one color. */
  grouping: BandGrouping;
  /** A line whose bands are wanted however thin they are. */
  line: { file: string; line: number } | null;
}

export interface Bands extends OfDevice {
  axis: TimelineAxis;
  grouping: BandGrouping;
  /** The range of the columns. */
  window: { from: number; to: number };
  /** Columns of the window. */
  pixels: number;
  /** Groups by their number in `allSeries`. */
  groups: Record<number, BandGroup>;
  /** The series from the bottom up. The others, too thin for bands, lie on top. */
  allSeries: BandSeries[];
  /** Number of series that are too thin for bands. */
  otherSeries: number;
  /** The input of `unpackBands`. */
  packed: Uint8Array;
}

/** The allocations of one line, or of one stack: neighbors among the series. */
export interface BandSeries extends BandOwner {
  /** Number of the series, valid for this snapshot and workspace. */
  id: number;
  group: number;
}

export interface BandOwner {
  /** Null without an owning line: then `bucket` is set. */
  place: OwnerLine | null;
  bucket: 'library' | 'beforeRecording' | 'noStack' | null;
  /** The use of memory before recording that its sizes show. */
  use?: Category;
}

export interface BandDetailQuery extends OfDevice {
  grouping: BandGrouping;
  /** A series at an event, or one allocation of it. */
  series: number;
  event: number;
  row: number | null;
}

/** The memory at one place of the series. */
export interface BandDetail extends BandOwner, Omit<AllocationDetail, 'owner' | 'frames'> {
  series: number;
  event: number;
  row: number | null;
  /** The time from the allocation of the oldest block to the event; null if unknown. */
  ageUs: Microseconds | null;
  /** The stack of the largest block, innermost first, without the frames that every stack with C++ frames has. */
  frames: ShownFrame[];
  /** Frames of the stack that `frames` leaves out: of PyTorch's recording, of Python's interpreter, and too far out. */
  hiddenFrames: number;
  /** The last report's verdict on its line; null without one. */
  finding: LineFinding | null;
}

export interface LineFinding {
  verdict: Verdict;
  /** The text of the lens of the line. */
  answer: string;
  /** The statement that holds the memory, and a sentence on it, in which its place is marked as a name. */
  holder: { file: string; line: number; text: string } | null;
  /** The remedy, and the observations behind the verdict. */
  advice: string[];
  /** True if the fix can be applied as an edit. */
  canFix: boolean;
}
