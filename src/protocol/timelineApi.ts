/** What the timeline webview asks of the extension, and what it is told. */
import type { BandDetail, BandDetailQuery, Bands, BandsQuery } from './bandData.js';
import type {
  CompareFlame,
  CompareFlameQuery,
  ComparePair,
  CompareTable,
  SeriesAnswer,
  SeriesQuery,
} from './compareData.js';
import type { Flame, FlameQuery } from './flameData.js';
import type { MapQuery, MemoryMapAnswer } from './mapData.js';
import type { SavedFile } from './saveData.js';
import type { RunCurve, RunCurveQuery } from './runData.js';
import type { BornIn, BornInQuery, LiveAt, LiveAtQuery, TimelineAnswer, TimelineQuery } from './timelineData.js';

/** One line of the picker: a snapshot that can be shown. */
export interface TimelineChoice {
  path: string;
  label: string;
  /** Name of the run it belongs to; choices are grouped by it. */
  run: string;
  devices: readonly number[];
  step: number | null;
  /** A trend tells sums only, and cannot be compared. */
  kind: 'snapshot' | 'trend';
}

export type TimelineApi = {
  /** First call of a webview: which version it speaks; answered with what can be shown. */
  ready: { params: { protocol: number }; result: TimelineState };
  timeline: { params: TimelineQuery; result: TimelineAnswer };
  liveAt: { params: LiveAtQuery; result: LiveAt };
  bornIn: { params: BornInQuery; result: BornIn };
  bands: { params: BandsQuery; result: Bands };
  bandDetail: { params: BandDetailQuery; result: BandDetail };
  flame: { params: FlameQuery; result: Flame };
  memoryMap: { params: MapQuery; result: MemoryMapAnswer };
  runCurve: { params: RunCurveQuery; result: RunCurve };
  compareTable: { params: ComparePair; result: CompareTable };
  compareFlame: { params: CompareFlameQuery; result: CompareFlame };
  series: { params: SeriesQuery; result: SeriesAnswer };
  /** Asks the user where to, and writes it; the path that was chosen, null if none was. */
  saveFile: { params: SavedFile; result: { file: string | null } };
  /** Puts a text on the clipboard. */
  copyText: { params: { text: string }; result: null };
  /** Opens a mapped file at a 1-based line, beside the panel unless `preserveFocus`. */
  openSource: { params: { file: string; line: number; preserveFocus: boolean }; result: null };
  /** Opens the palette command that the empty state offers. */
  openSnapshot: { params: null; result: null };
};

export interface TimelineState {
  choices: readonly TimelineChoice[];
  /** True while snapshots are being read, so that an empty list may fill. */
  reading?: boolean;
  /**
   * Counts up each time the user asks for something to be shown (a command, a lens); 0 while nobody has. Only when it
   * has changed to more than 0 do `selected`, `highlight` and `compared` replace what the webview shows.
   */
  request: number;
  /** What to show: the snapshot and, where a lens led here, the line to point out. */
  selected: { path: string; device: number } | null;
  highlight: { file: string; line: number } | null;
  /** Two snapshots to compare instead; null where the timeline of `selected` is wished for. */
  compared: ComparePair | null;
}

export type TimelineEvents = {
  /** The set of snapshots changed, or the user asked for another one. Always complete, never a difference. */
  state: TimelineState;
  /** The line that the cursor is on in the active Python editor, as recorded; null if there is none. */
  cursor: { file: string; line: number } | null;
};

/** Raised when the shape of a message changes: a webview restored by an older version is told to reload. */
export const TIMELINE_PROTOCOL = 4;
