/** The allocations under the curve, at the level of detail that a window of the timeline can show. */
import type { Category } from '../core/attribution/categories.js';
import type { FrameKind } from '../core/attribution/frameKind.js';
import type { Verdict } from '../core/report/report.js';
import type { BandGroup, BandGrouping } from '../core/timeline/seriesLayout.js';
import type { Bytes, Microseconds } from '../core/model/units.js';
import type { TimelineAxis } from './timelineData.js';

export const BAND_GROUPINGS = [
  'verdict',
  'line',
  'file',
  'stack',
  'category',
  'age',
] as const satisfies readonly BandGrouping[];

export type { Category };

export interface BandsQuery {
  /** A loaded file. */
  path: string;
  device: number;
  axis: TimelineAxis;
  /** Window in units of the axis; null for the whole history. */
  window: { from: number; to: number } | null;
  /** Size of the plot. */
  pixels: number;
  rows: number;
  /** The part of the height that the rows show; null for all of it. */
  bytes: { from: number; to: number } | null;
  /** What bands of one color have in common. */
  grouping: BandGrouping;
  /** A line whose bands are wanted however thin they are. */
  line: { file: string; line: number } | null;
}

export interface Bands {
  path: string;
  device: number;
  axis: TimelineAxis;
  grouping: BandGrouping;
  /** What the columns cover. */
  window: { from: number; to: number };
  /** Columns of the window. */
  pixels: number;
  /** Groups by their number in `allSeries`. */
  groups: Record<number, BandGroup>;
  /** The series from the bottom up. On top of it lie the others: what is too thin for a band of its own. */
  allSeries: BandSeries[];
  /** How many series the others are. */
  otherSeries: number;
  /** What `unpackBands` makes columns of. */
  packed: Uint8Array;
}

/** The allocations of one line, or of one stack: neighbors among the series. */
export interface BandSeries extends BandOwner {
  /** Its number while the snapshot and the workspace stay what they are. */
  id: number;
  group: number;
}

export interface BandOwner {
  /** Null where no line owns it: then `bucket` says what does. */
  place: {
    file: string;
    line: number;
    function: string;
    mapped: boolean;
  } | null;
  bucket: 'library' | 'beforeRecording' | 'noStack' | null;
}

export interface BandDetailQuery {
  path: string;
  device: number;
  grouping: BandGrouping;
  /** A series at an event, or one allocation of it. */
  series: number;
  event: number;
  row: number | null;
}

/** What lies at one place of the series. */
export interface BandDetail extends BandOwner {
  series: number;
  event: number;
  row: number | null;
  bytes: Bytes;
  blocks: number;
  /** Event that made the oldest block; -1 if that was before the recording. */
  allocated: number;
  /** Event that freed the last one; null if it is there at the end. */
  freed: number | null;
  /** From the start of the oldest to the event that is looked at; null where the file has no times, or not since when. */
  ageUs: Microseconds | null;
  /** The stack of the largest block, innermost first, without the frames that every stack with C++ frames has. */
  frames: BandFrame[];
  /** Frames of the stack that `frames` leaves out: of PyTorch's recording, of Python's interpreter, and too far out. */
  hiddenFrames: number;
  /** What the program had set as metadata when the largest block was allocated, empty where nothing. */
  metadata: string;
  /** Which compiled region allocated it, empty where none. */
  compileContext: string;
  /** What the last report says of its line; null where it says nothing. */
  finding: LineFinding | null;
}

export interface LineFinding {
  verdict: Verdict;
  leakedBytes: Bytes;
  bytesPerStep: Bytes | null;
  /** The statement that holds the memory. */
  holder: { file: string; line: number; text: string } | null;
  /** What to change, in words. */
  fix: string | null;
  /** True if the fix can be applied as an edit. */
  canFix: boolean;
}

export interface BandFrame {
  /** A path of the workspace if `mapped`, else as recorded. */
  file: string;
  line: number;
  function: string;
  kind: FrameKind;
  mapped: boolean;
}
