/** The comparison, while it is visible: its table, its flame graph and its curves. */
import {
  MAX_SERIES,
  type CompareFlame,
  type CompareFlameQuery,
  type ComparePair,
  type CompareTable,
  type SeriesAnswer,
  type SeriesQuery,
  type SeriesRef,
} from '../../src/protocol/compareData.js';
import { MAX_FOCUS } from '../../src/protocol/flameData.js';
import type { Host } from '../model/host.js';
import { Question } from '../model/question.js';
import type { Store } from '../model/store.js';
import type { ViewState } from '../model/viewState.js';
import type { CompareChoices } from '../model/compareState.js';

export class CompareSession {
  readonly table: Question<ComparePair, CompareTable>;
  readonly flame: Question<CompareFlameQuery, CompareFlame>;
  readonly series: Question<SeriesQuery, SeriesAnswer>;

  constructor(
    private readonly page: Store<ViewState>,
    host: Pick<Host, 'call'>,
  ) {
    const subject = ({ a, b }: ComparePair): unknown => [a, b];
    this.table = new Question(page, {
      query: shownPair,
      ask: (query, signal) => host.call('compareTable', query, signal),
      subject,
    });
    this.flame = new Question(page, {
      query: (state) => {
        const pair = shownPair(state);
        const { compare, compareFocus: focus, comparePixels: pixels } = state;
        const { pane, width, folded } = compare;
        if (pair === null) return null;
        return pane !== 'flame' || pixels === 0 ? undefined : { ...pair, width, folded, focus, pixels };
      },
      ask: (query, signal) => host.call('compareFlame', query, signal),
      subject,
    });
    this.flame.store.watch(({ answer: flame }, before) => {
      // The focused item may no longer exist.
      if (flame !== null && flame !== before.answer) this.focus(flame.focus.map(({ call }) => flame.calls[call].id));
    });
    this.series = new Question(page, {
      query: (state) => {
        if (shownPair(state) === null) return null;
        const { compare, comparePixels: pixels } = state;
        return pixels === 0 ? undefined : { series: shownSeries(compare), axis: compare.axis, pixels };
      },
      ask: (query, signal) => host.call('series', query, signal),
      subject: ({ series }) => series.slice(0, 2).map(({ path }) => path),
    });
  }

  /** Changes the user's choices. */
  choose(change: Partial<CompareChoices>): void {
    const others = change.pair === undefined && change.folded === undefined ? {} : { compareFocus: [] };
    this.page.update({ compare: { ...this.page.get().compare, ...change }, ...others });
  }

  /** Lets a call fill the width. @param focus ids of the calls down to it, outermost first; none for everything */
  focus(focus: readonly number[]): void {
    const isSame = focus.join() === this.page.get().compareFocus.join();
    if (focus.length <= MAX_FOCUS && !isSame) this.page.update({ compareFocus: focus });
  }

  /** Requests everything again, after a failure. */
  retry(): void {
    for (const question of [this.table, this.flame, this.series]) question.retry();
  }
}

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
