/** What the views ask the extension, derived from the state of the page, and asked only while it shows. */
import { MAX_SERIES, type ComparePair, type SeriesRef } from '../../src/protocol/compareData.js';
import type { RunCurve } from '../../src/protocol/runData.js';
import type { TimelineApi } from '../../src/protocol/timelineApi.js';
import type { CompareChoices } from './compareState.js';
import type { Host } from './host.js';
import { CURVE_PACE_MS, currentCurve, Question, type Asks } from './question.js';
import type { Store } from './store.js';
import { listedBy, type ViewState } from './viewState.js';

/** The allocations in view that are still live. */
const ALLOCATED: Asks<'allocatedIn'> = {
  method: 'allocatedIn',
  query: (state) => {
    const curve = currentCurve(state);
    if (curve === null) return null;
    if (state.listing !== 'allocated') return undefined;
    const { path, device, axis } = curve;
    return { path, device, axis, window: state.range, by: listedBy(state) };
  },
  paceMs: CURVE_PACE_MS,
};

/** Live memory by call at the selected instant, for its graph or its table. */
const FLAME: Asks<'flame'> = {
  method: 'flame',
  query: (state) => {
    const { pane, tabled, range, pin, flamePixels: pixels } = state;
    const curve = currentCurve(state);
    if (curve === null) return null;
    const isShown = pane === 'flame' || (pane === 'table' && tabled === 'calls');
    if (!isShown || pixels === 0) return undefined;
    const { path, device, axis, events } = curve;
    const { folded, focus, measure } = state.flame;
    const over = measure === 'live' ? null : { axis, window: range };
    return { path, device, event: pin?.event ?? events - 1, over, folded, focus, pixels };
  },
};

/** The memory map at the selected instant, as a picture or as the table of segments. */
const MAP: Asks<'memoryMap'> = {
  method: 'memoryMap',
  query: (state) => {
    const { pin, pane, tabled, mapOnly, change, mapPixels: pixels, mapRows } = state;
    const curve = currentCurve(state);
    if (curve === null) return null;
    const isPicture = pane === 'map';
    if ((!isPicture && (pane !== 'table' || tabled !== 'segments')) || pixels === 0) return undefined;
    const { path, device, events, capacityBytes: capacity } = curve;
    return {
      ...{ path, device, event: pin?.event ?? events - 1, pixels },
      rows: isPicture ? mapRows : 1,
      only: isPicture ? mapOnly : null,
      changed: isPicture && change !== null ? { change, capacity } : null,
    };
  },
};

/** What other settings and changes would reserve. */
const WHAT_IF: Asks<'whatIf'> = {
  method: 'whatIf',
  query: (state) => {
    const curve = currentCurve(state);
    if (curve === null) return null;
    const { path, device, capacityBytes: capacity } = curve;
    // The replays of a long trace take a while: leaving the tab ends them.
    return state.pane === 'whatIf' ? { path, device, capacity } : undefined;
  },
};

/** The curve of the chosen change, as long as the table of changes or the memory map shows. */
const RESERVED_WITH: Asks<'reservedWith'> = {
  method: 'reservedWith',
  query: (state) => {
    const { pane, change, plotWidth: pixels } = state;
    const curve = currentCurve(state);
    if ((pane !== 'whatIf' && pane !== 'map') || change === null || curve === null) return null;
    if (pixels === 0) return undefined;
    const { path, device, axis, window, capacityBytes: capacity } = curve;
    return { path, device, axis, window, capacity, change, pixels };
  },
  subject: ({ path, device, change }) => [path, device, change],
  paceMs: CURVE_PACE_MS,
};

/** The curve of the whole run: of any snapshot of it the same, which is why the last represents it. */
const RUN: Asks<'runCurve'> = {
  method: 'runCurve',
  query: ({ selection, choices, axis, runPixels: pixels }) => {
    if (selection === null) return null;
    const own = choices?.find(({ path }) => path === selection.path);
    const last = choices?.findLast(({ run, devices }) => run === own?.run && devices.includes(selection.device));
    return pixels === 0 ? undefined : { path: last?.path ?? selection.path, device: selection.device, axis, pixels };
  },
  outlives: true,
};

const subjectOfPair = ({ a, b }: ComparePair): unknown => [a, b];

const COMPARE_TABLE: Asks<'compareTable'> = { method: 'compareTable', query: shownPair, subject: subjectOfPair };

const COMPARE_FLAME: Asks<'compareFlame'> = {
  method: 'compareFlame',
  query: (state) => {
    const pair = shownPair(state);
    const { compare, compareFocus: focus, comparePixels: pixels } = state;
    const { pane, width, folded } = compare;
    if (pair === null) return null;
    return pane !== 'flame' || pixels === 0 ? undefined : { ...pair, width, folded, focus, pixels };
  },
  subject: subjectOfPair,
};

const SERIES: Asks<'series'> = {
  method: 'series',
  query: (state) => {
    if (shownPair(state) === null) return null;
    const { compare, comparePixels: pixels } = state;
    return pixels === 0 ? undefined : { series: shownSeries(compare), axis: compare.axis, pixels };
  },
  subject: ({ series }) => series.slice(0, 2).map(({ path }) => path),
};

/** Null while no comparison shows. */
function shownPair({ view, compare, choices }: ViewState): ComparePair | null {
  const { pair } = compare;
  const isThere = (path: string | undefined): boolean => choices?.some((choice) => choice.path === path) === true;
  return view === 'compare' && isThere(pair?.a) && isThere(pair?.b) ? pair : null;
}

/** The curves: A's, B's, then the others. */
export function shownSeries({ pair, device, whole, others }: CompareChoices): readonly SeriesRef[] {
  if (pair === null) return [];
  const own = [pair.a, pair.b].map((path) => ({ path, device, whole }));
  return [...own, ...others].slice(0, MAX_SERIES);
}

/** The questions that several views share. */
export interface Questions {
  readonly allocated: Question<'allocatedIn'>;
  readonly flame: Question<'flame'>;
  readonly map: Question<'memoryMap'>;
  readonly whatIf: Question<'whatIf'>;
  readonly run: Question<'runCurve'>;
  readonly compareTable: Question<'compareTable'>;
  readonly compareFlame: Question<'compareFlame'>;
  readonly series: Question<'series'>;
}

export function createQuestions(store: Store<ViewState>, host: Pick<Host, 'call'>): Questions {
  const asking = <Name extends keyof TimelineApi>(asks: Asks<Name>) => new Question(store, host, asks);
  const reserved = asking(RESERVED_WITH);
  reserved.store.watch(({ answer: reservedWith, error }) =>
    store.update({ reservedWith, ...(error !== null && { change: null, openError: error }) }),
  );
  return {
    allocated: asking(ALLOCATED),
    flame: asking(FLAME),
    map: asking(MAP),
    whatIf: asking(WHAT_IF),
    run: asking(RUN),
    compareTable: asking(COMPARE_TABLE),
    compareFlame: asking(COMPARE_FLAME),
    series: asking(SERIES),
  };
}

/** The last answer; null without a run, as for amounts over time. */
export function runOf({ answer }: Questions['run']): RunCurve | null {
  return answer !== null && answer.parts.length > 0 ? answer : null;
}
