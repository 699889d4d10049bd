/** Everything that the timeline shows, and the small part of it that outlives a reload. */
import type { TimelineChoice } from '../src/protocol/timelineApi.js';
import { BAND_GROUPINGS, type BandDetail, type BandsQuery } from '../src/protocol/bandData.js';
import type { BornIn, ListedBy, LiveAt, TimelineAxis, TimelineWindow } from '../src/protocol/timelineData.js';
import type { Range } from './chart/range.js';
import { NOTHING_CHOSEN, restoredChoices, type CompareChoices } from './compare/compareState.js';
import { PLAIN_FLAME, restoredFlame, type FlameChoices } from './flame/flameState.js';
import type { Pile } from './layer/pile.js';
import { isRecord } from './record.js';

/** A line of a file, 1-based. */
export interface SourceLine {
  file: string;
  line: number;
}

export interface Selection {
  path: string;
  device: number;
}

/** What the list of live lines is sorted by. */
export type LiveSort = 'bytes' | 'blocks' | 'line';

/** What the table of the memory map is sorted by. */
const SEGMENT_SORTS = ['address', 'reservedBytes', 'liveBytes', 'freeBytes', 'largestFreeBytes'] as const;
export type SegmentSort = (typeof SEGMENT_SORTS)[number];

/** The instant that is looked into: the state after `event` (-1: before the first), drawn at `x` of `axis`. */
export interface Pin {
  event: number;
  axis: TimelineAxis;
  x: number;
}

/** A band at an instant: a strand of the pile, or one allocation of it. */
export interface BandRef {
  /** As the worker numbers them. */
  strand: number;
  /** Row of the allocation; null for all of the strand. */
  row: number | null;
  event: number;
}

/** What the list under the chart shows: what is live at the pin, or what the view has brought that is still there. */
export type Listing = 'live' | 'born';

/** What is shown under the chart of the instant that is looked into. */
export const PANES = ['list', 'flame', 'map'] as const;
export type Pane = (typeof PANES)[number];

/** What the page shows: one history, or two snapshots side by side. */
export const VIEWS = ['timeline', 'compare'] as const;
export type View = (typeof VIEWS)[number];

export interface ViewState {
  view: View;
  compare: CompareChoices;
  /** Null until the extension has told what can be shown. */
  choices: readonly TimelineChoice[] | null;
  /** True while snapshots are being read, so that an empty list may fill. */
  reading: boolean;
  /** Why it could not tell. */
  choicesError: string | null;
  /** The last wish of the user that was followed, see `TimelineState.request`. */
  request: number;
  selection: Selection | null;
  highlight: SourceLine | null;
  /** The axis that the user asked for; a history without times has events only. */
  axis: TimelineAxis;
  /** What is visible, in units of the axis; null for the whole history. */
  range: Range | null;
  /** What of the byte axis is visible; null for as much as the highest point in view needs. */
  heights: Range | null;
  /** The last answer, perhaps of another range or, while the next one loads, of another snapshot. */
  curve: TimelineWindow | null;
  curveLoading: boolean;
  /** Why there is no curve, in a sentence. */
  curveError: string | null;
  pin: Pin | null;
  live: LiveAt | null;
  liveLoading: boolean;
  liveError: string | null;
  /** Why a source line could not be opened. */
  openError: string | null;
  curveAsTable: boolean;
  flame: FlameChoices;
  mapAsTable: boolean;
  mapSort: SegmentSort;
  /** True while the bands are shown under the curve. */
  layer: boolean;
  grouping: BandsQuery['grouping'];
  /** The bands of what is visible; null where that is the whole history, or not answered yet. */
  pile: Pile | null;
  wholePile: Pile | null;
  /** Why there are no bands, in a sentence. */
  bandsError: string | null;
  /** What lies under the cursor, and what was clicked, once they are known. */
  looked: BandDetail | null;
  picked: BandRef | null;
  pickedDetail: BandDetail | null;
  /** The line on which the editor's cursor is. */
  cursorLine: SourceLine | null;
  pane: Pane;
  listing: Listing;
  listedBy: ListedBy;
  born: BornIn | null;
  sort: LiveSort;
  filter: string;
}

export const INITIAL: ViewState = {
  view: 'timeline',
  compare: NOTHING_CHOSEN,
  choices: null,
  reading: false,
  choicesError: null,
  request: 0,
  selection: null,
  highlight: null,
  axis: 'time',
  range: null,
  heights: null,
  curve: null,
  curveLoading: false,
  curveError: null,
  pin: null,
  live: null,
  liveLoading: false,
  liveError: null,
  openError: null,
  curveAsTable: false,
  flame: PLAIN_FLAME,
  mapAsTable: false,
  mapSort: 'reservedBytes',
  layer: true,
  grouping: 'line',
  pile: null,
  wholePile: null,
  bandsError: null,
  looked: null,
  picked: null,
  pickedDetail: null,
  cursorLine: null,
  pane: 'list',
  listing: 'live',
  listedBy: 'line',
  born: null,
  sort: 'bytes',
  filter: '',
};

const VERSION = 1;
const KEPT = [
  'view',
  'compare',
  'request',
  'selection',
  'highlight',
  'axis',
  'range',
  'heights',
  'pin',
  'curveAsTable',
  'flame',
  'mapAsTable',
  'mapSort',
  'layer',
  'grouping',
  'picked',
  'pane',
  'listing',
  'listedBy',
  'sort',
  'filter',
] as const;

/** What is kept over a reload: where the user was, never data. */
export function persisted(state: ViewState): Record<string, unknown> {
  return { version: VERSION, ...Object.fromEntries(KEPT.map((key) => [key, state[key]])) };
}

/** True if a change from `before` to `state` is worth keeping. */
export function persistedChanged(state: ViewState, before: ViewState): boolean {
  return KEPT.some((key) => !Object.is(state[key], before[key]));
}

/** The state to begin with. What was kept by another version, or is not of the expected shape, is left out. */
export function restored(kept: unknown): ViewState {
  if (!isRecord(kept) || kept['version'] !== VERSION) return INITIAL;
  const { request, selection, highlight, axis, range, heights, pin, curveAsTable, sort, filter } = kept;
  const { mapAsTable, mapSort, layer, grouping, picked, pane, listing, listedBy } = kept;
  return {
    ...INITIAL,
    compare: restoredChoices(kept['compare']),
    flame: restoredFlame(kept['flame']),
    ...(VIEWS.some((view) => view === kept['view']) && { view: kept['view'] as View }),
    ...(isCount(request) && { request }),
    ...(isSelection(selection) && { selection }),
    ...(isSourceLine(highlight) && { highlight }),
    ...((axis === 'time' || axis === 'events') && { axis }),
    ...(isRange(range) && { range }),
    ...(isRange(heights) && { heights }),
    ...(isPin(pin) && { pin }),
    ...(typeof curveAsTable === 'boolean' && { curveAsTable }),
    ...(typeof mapAsTable === 'boolean' && { mapAsTable }),
    ...(SEGMENT_SORTS.some((one) => one === mapSort) && { mapSort: mapSort as SegmentSort }),
    ...(typeof layer === 'boolean' && { layer }),
    ...(isGrouping(grouping) && { grouping }),
    ...(isBandRef(picked) && { picked }),
    ...(isPane(pane) && { pane }),
    ...((listing === 'live' || listing === 'born') && { listing }),
    ...((listedBy === 'line' || listedBy === 'stack') && { listedBy }),
    ...((sort === 'bytes' || sort === 'blocks' || sort === 'line') && { sort }),
    ...(typeof filter === 'string' && { filter }),
  };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function isSelection(value: unknown): value is Selection {
  return isRecord(value) && typeof value['path'] === 'string' && isCount(value['device']);
}

function isSourceLine(value: unknown): value is SourceLine {
  return isRecord(value) && typeof value['file'] === 'string' && isCount(value['line']);
}

function isRange(value: unknown): value is Range {
  return (
    isRecord(value) &&
    Number.isFinite(value['from']) &&
    Number.isFinite(value['to']) &&
    (value['from'] as number) < (value['to'] as number)
  );
}

function isPin(value: unknown): value is Pin {
  if (!isRecord(value) || !Number.isFinite(value['x'])) return false;
  if (value['axis'] !== 'time' && value['axis'] !== 'events') return false;
  return Number.isSafeInteger(value['event']) && (value['event'] as number) >= -1;
}

function isGrouping(value: unknown): value is ViewState['grouping'] {
  return BAND_GROUPINGS.some((grouping) => grouping === value);
}

function isPane(value: unknown): value is Pane {
  return PANES.some((pane) => pane === value);
}

function isBandRef(value: unknown): value is BandRef {
  if (!isRecord(value) || !isCount(value['strand']) || !Number.isSafeInteger(value['event'])) return false;
  return (value['event'] as number) >= -1 && (value['row'] === null || isCount(value['row']));
}
