/** The comparison, while it shows: its table, its flame graph and its curves. */
import { MAX_SERIES, type ComparePair, type SeriesRef } from '../../src/protocol/compareData.js';
import type { CompareChoices } from '../model/compareState.js';
import type { Asks } from '../model/question.js';
import type { ViewState } from '../model/viewState.js';

const subject = ({ a, b }: ComparePair): unknown => [a, b];

export const COMPARE_TABLE: Asks<'compareTable'> = { method: 'compareTable', query: shownPair, subject };

export const COMPARE_FLAME: Asks<'compareFlame'> = {
  method: 'compareFlame',
  query: (state) => {
    const pair = shownPair(state);
    const { compare, compareFocus: focus, comparePixels: pixels } = state;
    const { pane, width, folded } = compare;
    if (pair === null) return null;
    return pane !== 'flame' || pixels === 0 ? undefined : { ...pair, width, folded, focus, pixels };
  },
  subject,
};

export const SERIES: Asks<'series'> = {
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
