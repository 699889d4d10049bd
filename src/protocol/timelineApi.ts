/**
 * The questions of the timeline's page, and their answers. A new question needs this table, a handler in the worker and
 * a view.
 */
import * as v from 'valibot';
import { finite } from '../core/model/schema.js';
import { BAND_GROUPINGS, type BandDetail, type BandDetailQuery, type Bands, type BandsQuery } from './bandData.js';
import {
  COMPARE_WIDTHS,
  MAX_SERIES,
  SERIES_AXES,
  type CompareFlame,
  type CompareFlameQuery,
  type ComparePair,
  type CompareTable,
  type SeriesAnswer,
  type SeriesQuery,
} from './compareData.js';
import { MAX_FOCUS, type Flame, type FlameQuery } from './flameData.js';
import type { MapQuery, MemoryMapAnswer } from './mapData.js';
import type { RpcHandlers } from './rpc.js';
import type { RunCurve, RunCurveQuery } from './runData.js';
import { MAX_SAVED, SAVED_KINDS, type SavedFile } from './saveData.js';
import { integer, listOf, type Schemas } from './schema.js';
import type {
  AllocatedIn,
  AllocatedInQuery,
  LiveAt,
  LiveAtQuery,
  ReadProgress,
  TimelineAnswer,
  TimelineQuery,
} from './timelineData.js';
import type { ReservedAnswer, ReservedQuery, WhatIfAnswer, WhatIfQuery } from './whatIfData.js';

/** More pixels than any screen has. */
const MAX_PIXELS = 16_384;

/** Commands that the page offers; without a snapshot, the ways to one. */
export const PAGE_COMMANDS = ['openSnapshot', 'openExample', 'insertRecordingCode', 'clearComparison'] as const;

const text = v.string();
const flag = v.boolean();
const pixels = integer(1, MAX_PIXELS);
const ofDevice = { path: text, device: integer(-1) };
const stretch = { axis: v.picklist(['time', 'events']), window: v.nullable(v.object({ from: finite, to: finite })) };
const place = { file: text, line: integer(1) };
const event = integer(-1);
const by = v.picklist(['line', 'stack']);
const grouping = v.picklist(BAND_GROUPINGS);
const calls = { folded: flag, focus: listOf(integer(0), MAX_FOCUS), pixels };
const pair = { a: text, b: text };

/** Questions that the worker answers as they are. */
export type TimelineQuestions = {
  timeline: { params: TimelineQuery; result: TimelineAnswer };
  liveAt: { params: LiveAtQuery; result: LiveAt };
  allocatedIn: { params: AllocatedInQuery; result: AllocatedIn };
  bands: { params: BandsQuery; result: Bands };
  bandDetail: { params: BandDetailQuery; result: BandDetail };
  flame: { params: FlameQuery; result: Flame };
  memoryMap: { params: MapQuery; result: MemoryMapAnswer };
  runCurve: { params: RunCurveQuery; result: RunCurve };
  compareFlame: { params: CompareFlameQuery; result: CompareFlame };
  series: { params: SeriesQuery; result: SeriesAnswer };
  whatIf: { params: WhatIfQuery; result: WhatIfAnswer };
  reservedWith: { params: ReservedQuery; result: ReservedAnswer };
};

/** Questions that the extension answers itself, or completes. */
export type PageRequests = {
  /** First call of a page. The answer has the choices. */
  ready: { params: Record<string, never>; result: TimelineState };
  compareTable: { params: ComparePair; result: CompareTable };
  /** Asks the user for a path, and writes the file; null if cancelled. */
  saveFile: { params: SavedFile; result: { file: string | null } };
  /** Puts a text on the clipboard. */
  copyText: { params: { text: string }; result: null };
  /** Puts a setting of the allocator, such as `PYTORCH_CUDA_ALLOC_CONF=…`, into a file that the user chooses. */
  applySetting: { params: { assignment: string }; result: null };
  /** Opens a mapped file at a 1-based line. */
  openSource: { params: { file: string; line: number }; result: null };
  /** Applies the fix of an allocating line. */
  fixLeak: { params: { file: string; line: number }; result: null };
  /** Runs a command of the extension. */
  run: { params: { command: (typeof PAGE_COMMANDS)[number] }; result: null };
};

export type TimelineApi = TimelineQuestions & PageRequests;

/** The types of messages from the webview: everything is checked. */
const QUESTION_SCHEMAS: Schemas<{ [Name in keyof TimelineQuestions]: TimelineQuestions[Name]['params'] }> = {
  timeline: v.object({ ...ofDevice, ...stretch, pixels }),
  liveAt: v.object({ ...ofDevice, event, by }),
  allocatedIn: v.object({ ...ofDevice, ...stretch, by }),
  bands: v.object({
    ...{ ...ofDevice, ...stretch, pixels, rows: pixels, grouping },
    bytes: v.nullable(v.object({ from: finite, to: finite })),
    line: v.nullable(v.object(place)),
  }),
  bandDetail: v.object({ ...ofDevice, grouping, series: integer(0), event, row: v.nullable(integer(0)) }),
  flame: v.object({ ...ofDevice, event, over: v.nullable(v.object(stretch)), ...calls }),
  memoryMap: v.object({
    ...ofDevice,
    event,
    pixels,
    rows: pixels,
    only: v.nullable(text),
    changed: v.nullable(v.object({ change: text, capacity: v.nullable(finite) })),
  }),
  runCurve: v.object({ ...ofDevice, axis: stretch.axis, pixels }),
  compareFlame: v.object({ ...pair, width: v.picklist(COMPARE_WIDTHS), ...calls }),
  series: v.object({
    series: listOf(v.object({ ...ofDevice, whole: flag }), MAX_SERIES, 1),
    axis: v.nullable(v.picklist(SERIES_AXES)),
    pixels,
  }),
  whatIf: v.object({ ...ofDevice, capacity: v.nullable(finite) }),
  reservedWith: v.object({ ...ofDevice, ...stretch, pixels, capacity: v.nullable(finite), change: text }),
};

/** The schema of the parameters of every call of the page. */
export const TIMELINE_SCHEMAS: Schemas<{ [Name in keyof TimelineApi]: TimelineApi[Name]['params'] }> = {
  ...QUESTION_SCHEMAS,
  ready: v.object({}),
  compareTable: v.object(pair),
  saveFile: v.object({
    name: text,
    kind: v.picklist(SAVED_KINDS),
    content: v.pipe(
      v.instance(Uint8Array),
      v.check(({ byteLength }) => byteLength <= MAX_SAVED),
    ),
  }),
  applySetting: v.object({ assignment: v.pipe(text, v.regex(/^PYTORCH_(?:CUDA_|HIP_)?ALLOC_CONF=[^\r\n]{1,1000}$/)) }),
  copyText: v.object({ text: v.pipe(text, v.maxLength(MAX_SAVED)) }),
  openSource: v.object(place),
  fixLeak: v.object(place),
  run: v.object({ command: v.picklist(PAGE_COMMANDS) }),
};

/**
 * Handlers that pass each question of the page to the worker. @param call gets the parameters that belong to the name
 */
export function askWorker(
  call: (name: keyof TimelineQuestions, params: never, signal: AbortSignal) => unknown,
): RpcHandlers<TimelineQuestions> {
  const names = Object.keys(QUESTION_SCHEMAS) as (keyof TimelineQuestions)[];
  const handlers = names.map((name) => [name, (params: never, signal: AbortSignal) => call(name, params, signal)]);
  return Object.fromEntries(handlers) as RpcHandlers<TimelineQuestions>;
}

/** One line of the picker: a snapshot that can be shown. */
export interface TimelineChoice {
  path: string;
  label: string;
  /** Name of the run it belongs to; choices are grouped by it. */
  run: string;
  devices: readonly number[];
  step: number | null;
  /** A trend has only sums, and cannot be compared. */
  kind: 'snapshot' | 'trend';
}

export interface TimelineState {
  choices: readonly TimelineChoice[];
  /** True while snapshots are being read, so that an empty list may fill. */
  reading?: boolean;
  /**
   * Counts the user's requests to show something. Only a change to more than 0 replaces `selected`, `highlight`,
   * `compared`.
   */
  request: number;
  /** The selected snapshot and, after a lens, the line to outline. */
  selected: { path: string; device: number } | null;
  highlight: { file: string; line: number } | null;
  /** Two snapshots to compare instead; null for the timeline of `selected`. */
  compared: ComparePair | null;
  /** The tab to show below the chart; null for the one that shows. */
  pane: 'whatIf' | null;
}

export type TimelineEvents = {
  /** The set of snapshots changed, or the user requested another one. Always complete, never a difference. */
  state: TimelineState;
  /** The line that the cursor is on in the active Python editor, as recorded; null if there is none. */
  cursor: { file: string; line: number } | null;
  /** A file is being read. */
  reading: { path: string } & ReadProgress;
};
