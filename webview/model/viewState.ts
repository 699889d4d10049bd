/** Everything that the timeline shows, and the small part of it that outlives a reload. */
import * as v from 'valibot';
import type { TimelineChoice, TimelineEvents } from '../../src/protocol/timelineApi.js';
import { BAND_GROUPINGS, type BandDetail, type BandsQuery } from '../../src/protocol/bandData.js';
import type { ListedBy, LiveAt, TimelineAxis, TimelineWindow } from '../../src/protocol/timelineData.js';
import type { ReservedAnswer } from '../../src/protocol/whatIfData.js';
import type { Range } from './range.js';
import type { Store } from './store.js';
import { COMPARE_SCHEMAS, NOTHING_CHOSEN } from './compareState.js';
import { FLAME_SCHEMAS, PLAIN_FLAME } from './flameState.js';
import type { StackedBands } from './stackedBands.js';
import { fitted, integer, type Schemas } from '../../src/protocol/schema.js';

/** A line of a file, 1-based. */
export interface SourceLine {
  file: string;
  line: number;
}

export interface Selection {
  path: string;
  device: number;
}

/** The sort order of the list of live lines. */
export type LiveSort = 'bytes' | 'blocks' | 'line';

/** The sort order of the memory map's table. */
const SEGMENT_SORTS = ['address', 'reservedBytes', 'liveBytes', 'freeBytes', 'largestFreeBytes'] as const;
export type SegmentSort = (typeof SEGMENT_SORTS)[number];

/** The instant that is looked into: the state after `event` (-1: before the first), drawn at `x` of `axis`. */
export interface Pin {
  event: number;
  axis: TimelineAxis;
  x: number;
}

/** A band at an instant: a series, or one allocation of it. */
export interface BandRef {
  /** The series, as the worker numbers it. */
  series: number;
  /** Row of the allocation; null for all of the series. */
  row: number | null;
  event: number;
}

/** The list under the chart: live memory at the cursor, or allocations in view that are still live. */
export type Listing = 'live' | 'allocated';

/** The tabs below the chart. */
export const PANES = ['lines', 'stacks', 'flame', 'map', 'whatIf', 'table'] as const;
export type Pane = (typeof PANES)[number];

/** The content of the table tab. */
export const TABLED = ['curve', 'allocations', 'calls', 'segments', 'run'] as const;
export type Tabled = (typeof TABLED)[number];

/** The content of the page: one history, or two snapshots side by side. */
const VIEWS = ['timeline', 'compare'] as const;
type View = (typeof VIEWS)[number];

/** The start data of the page. */
export const INITIAL = {
  view: 'timeline' as View,
  compare: NOTHING_CHOSEN,
  /** Ids of the calls down to the one that fills the width of the difference flame graph. */
  compareFocus: [] as readonly number[],
  /** Counts the states of the extension, which comes again when files or the workspace have changed. */
  revision: 0,
  /** Null until the extension has sent the choices. */
  choices: null as readonly TimelineChoice[] | null,
  /** True while snapshots are being read, so that an empty list may fill. */
  reading: false,
  /** The last reported progress of a file. */
  readSoFar: null as TimelineEvents['reading'] | null,
  /** The reason of a failure. */
  choicesError: null as string | null,
  /** The last wish of the user that was followed, see `TimelineState.request`. */
  request: 0,
  selection: null as Selection | null,
  highlight: null as SourceLine | null,
  /** The axis that the user requested; a history without times has events only. */
  axis: 'time' as TimelineAxis,
  /** The visible range of the axis; null for the whole history. */
  range: null as Range | null,
  /** The visible range of the byte axis; null for the peak in view. */
  heights: null as Range | null,
  /** The last answer, perhaps of another range or, while the next one loads, of another snapshot. */
  curve: null as TimelineWindow | null,
  curveLoading: false,
  /** The reason for a missing curve, as a sentence. */
  curveError: null as string | null,
  pin: null as Pin | null,
  live: null as LiveAt | null,
  /** Why a source line could not be opened. */
  openError: null as string | null,
  flame: PLAIN_FLAME,
  tabled: 'curve' as Tabled,
  mapSort: 'reservedBytes' as SegmentSort,
  /** Address of the segment that fills the map; null while all show. */
  mapOnly: null as string | null,
  /** Share of the chart's height, above the splitter. */
  split: 0.45,
  /** True while the bands are shown under the curve. */
  layer: true,
  grouping: 'verdict' as BandsQuery['grouping'],
  /** The bands of the visible range; null for the whole history, or before the answer. */
  stacked: null as StackedBands | null,
  wholeBands: null as StackedBands | null,
  /** Why there are no bands, in a sentence. */
  bandsError: null as string | null,
  /** The line whose bands are wanted however thin. */
  thinLine: null as SourceLine | null,
  /** The band under the cursor, and details of it and of the selection, once known. */
  pointed: null as BandRef | null,
  looked: null as BandDetail | null,
  selected: null as BandRef | null,
  selectedDetail: null as BandDetail | null,
  /** The line on which the editor's cursor is. */
  cursorLine: null as SourceLine | null,
  /** The change whose reserved memory and layout are drawn; null for the recording as it is. */
  change: null as string | null,
  /** The curve of `change`, perhaps of another range while the next one loads. */
  reservedWith: null as ReservedAnswer | null,
  pane: 'lines' as Pane,
  listing: 'live' as Listing,
  sort: 'bytes' as LiveSort,
  /** The search text of the tab. */
  filter: '',
  /** Sizes of pictures, 0 before they are laid out: nothing is requested for them before that. */
  ...{ plotWidth: 0, plotHeight: 0, flamePixels: 0, mapPixels: 0, mapRows: 1, runPixels: 0, comparePixels: 0 },
};
export type ViewState = typeof INITIAL;

/** What belongs to one snapshot, and ends when another shows. */
export const OF_SNAPSHOT = {
  ...{ range: null, heights: null, pin: null, openError: null },
  ...{ selected: null, pointed: null, mapOnly: null, change: null },
} satisfies Partial<ViewState>;

type Sizes = Pick<
  ViewState,
  'plotWidth' | 'plotHeight' | 'flamePixels' | 'mapPixels' | 'mapRows' | 'runPixels' | 'comparePixels'
>;

/** Keeps sizes of pictures, in whole pixels. A hidden picture keeps its last one. */
export function resize(store: Store<ViewState>, sizes: Partial<Sizes>): void {
  const known = Object.entries(sizes).map(([name, size]) => [name, Math.round(size)] as const);
  store.update(Object.fromEntries(known.filter(([, size]) => size > 0)));
}

/** Limits of the splitter, as shares of the height. */
export const MIN_SPLIT = 0.15;
export const MAX_SPLIT = 0.85;

/** The key of the rows of the list. */
export function listedBy({ pane }: ViewState): ListedBy {
  return pane === 'stacks' ? 'stack' : 'line';
}

const VERSION = 2;
const ours = v.object({ version: v.literal(VERSION), compare: v.unknown(), flame: v.unknown() });
const text = v.string();
const finite = v.pipe(v.number(), v.finite());
const range = v.pipe(
  v.object({ from: finite, to: finite }),
  v.check(({ from, to }) => from < to),
);
const axis = v.picklist(['time', 'events']);

/** State over a reload: the view, never data. */
const PERSISTED = {
  view: v.picklist(VIEWS),
  request: integer(0),
  selection: v.nullable(v.object({ path: text, device: integer(-1) })),
  highlight: v.nullable(v.object({ file: text, line: integer(0) })),
  axis,
  range: v.nullable(range),
  heights: v.nullable(range),
  pin: v.nullable(v.object({ event: integer(-1), axis, x: finite })),
  tabled: v.picklist(TABLED),
  mapSort: v.picklist(SEGMENT_SORTS),
  mapOnly: v.nullable(text),
  split: v.pipe(v.number(), v.minValue(MIN_SPLIT), v.maxValue(MAX_SPLIT)),
  layer: v.boolean(),
  grouping: v.picklist(BAND_GROUPINGS),
  selected: v.nullable(v.object({ series: integer(0), row: v.nullable(integer(0)), event: integer(-1) })),
  pane: v.picklist(PANES),
  listing: v.picklist(['live', 'allocated']),
  sort: v.picklist(['bytes', 'blocks', 'line']),
  filter: text,
} satisfies Partial<Schemas<ViewState>>;
const KEYS = [...(Object.keys(PERSISTED) as (keyof typeof PERSISTED)[]), 'compare', 'flame'] as const;

export function persisted(state: ViewState): Record<string, unknown> {
  return { version: VERSION, ...Object.fromEntries(KEYS.map((key) => [key, state[key]])) };
}

/** True if a change from `before` to `state` is worth keeping. */
export function persistedChanged(state: ViewState, before: ViewState): boolean {
  return KEYS.some((key) => !Object.is(state[key], before[key]));
}

/** The initial state. Stored parts of a different version or type are left out. */
export function restored(saved: unknown): ViewState {
  const { success, output } = v.safeParse(ours, saved);
  if (!success) return INITIAL;
  return {
    ...INITIAL,
    ...fitted<Pick<ViewState, keyof typeof PERSISTED>>(PERSISTED, INITIAL, saved),
    compare: fitted(COMPARE_SCHEMAS, NOTHING_CHOSEN, output.compare),
    flame: fitted(FLAME_SCHEMAS, PLAIN_FLAME, output.flame),
  };
}
