/** Requests the comparison while it is visible. */
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
import type { Host } from '../host.js';
import { coarse, Question } from '../question.js';
import type { Store } from '../store.js';
import type { ViewState } from '../viewState.js';
import type { CompareChoices } from './compareState.js';

export class CompareSession {
  readonly table: Question<ComparePair, CompareTable>;
  readonly flame: Question<CompareFlameQuery, CompareFlame>;
  readonly series: Question<SeriesQuery, SeriesAnswer>;
  /** Ids of the calls down to the one that shall fill the width. */
  focused: readonly number[] = [];
  private pixels = 0;

  constructor(
    private readonly page: Store<ViewState>,
    host: Pick<Host, 'call'>,
  ) {
    const isPair = (a: string, b: string): boolean => {
      const { pair } = page.get().compare;
      return a === pair?.a && b === pair.b;
    };
    this.table = new Question(
      (pair, signal) => host.call('compareTable', pair, signal),
      (table) => isPair(table.a.path, table.b.path),
    );
    this.flame = new Question(
      (query, signal) => host.call('compareFlame', query, signal),
      (flame) => {
        const isShown = isPair(flame.a, flame.b);
        // The focused item may no longer exist.
        if (isShown) this.focused = flame.focus.map(({ call }) => flame.calls[call].id);
        return isShown;
      },
    );
    this.series = new Question((query, signal) => host.call('series', query, signal));
    page.watch((state, before) => this.follow(state, before));
  }

  /** Changes the user's choices. */
  choose(change: Partial<CompareChoices>): void {
    this.page.update({ compare: { ...this.page.get().compare, ...change } });
  }

  /** Sets the width of the pictures; there is no request before that. */
  setPixels(pixels: number): void {
    const rounded = coarse(pixels);
    if (rounded === this.pixels || rounded <= 0) return;
    this.pixels = rounded;
    this.askFlame();
    this.askSeries();
  }

  /** Lets a call fill the width. @param focus ids of the calls down to it, outermost first; none for everything */
  focus(focus: readonly number[]): void {
    if (focus.length > MAX_FOCUS) return;
    this.focused = focus;
    this.askFlame();
  }

  /** Requests everything again, also after a failure. */
  ask(): void {
    if (this.pair === null) for (const question of [this.table, this.flame, this.series]) question.cancel();
    this.askTable();
    this.askFlame();
    this.askSeries();
  }

  /** The requested curves: A's, B's, then the others. */
  get shownSeries(): SeriesRef[] {
    const { pair, device, whole, others } = this.page.get().compare;
    if (pair === null) return [];
    const own = [pair.a, pair.b].map((path) => ({ path, device, whole }));
    return [...own, ...others].slice(0, MAX_SERIES);
  }

  private follow(state: ViewState, before: ViewState): void {
    const { compare, view, choices } = state;
    const old = before.compare;
    // Choices arrive again after each file.
    if (view !== before.view || choices !== before.choices) {
      this.ask();
      return;
    }
    if (compare === old) return;
    if (compare.pair !== old.pair) {
      for (const question of [this.table, this.flame, this.series]) question.forget();
      this.focused = [];
      this.ask();
      return;
    }
    if (compare.folded !== old.folded) this.focused = [];
    if (compare.folded !== old.folded || compare.width !== old.width || compare.pane !== old.pane) this.askFlame();
    const { device, whole, axis, others } = compare;
    if (device !== old.device || whole !== old.whole || axis !== old.axis || others !== old.others) this.askSeries();
  }

  /** Null while no comparison shows. */
  private get pair(): ComparePair | null {
    const { view, compare, choices } = this.page.get();
    const { pair } = compare;
    const isThere = (path: string | undefined): boolean => choices?.some((choice) => choice.path === path) === true;
    return view === 'compare' && isThere(pair?.a) && isThere(pair?.b) ? pair : null;
  }

  private askTable(): void {
    if (this.pair !== null) this.table.send(this.pair);
  }

  private askFlame(): void {
    const { pair, pixels, focused: focus } = this;
    const { pane, width, folded } = this.page.get().compare;
    if (pair !== null && pixels > 0 && pane === 'flame') this.flame.send({ ...pair, width, folded, focus, pixels });
  }

  private askSeries(): void {
    const { pixels, shownSeries: series } = this;
    if (this.pair !== null && pixels > 0) this.series.send({ series, axis: this.page.get().compare.axis, pixels });
  }
}
