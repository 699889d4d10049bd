/** Asks how two snapshots differ, while that is what is shown. */
import {
  MOST_SERIES,
  type CompareFlame,
  type CompareFlameQuery,
  type ComparePair,
  type CompareTable,
  type SeriesAnswer,
  type SeriesQuery,
  type SeriesRef,
} from '../../src/protocol/compareData.js';
import { MOST_FOCUS } from '../../src/protocol/flameData.js';
import type { Host } from '../host.js';
import { Latest } from '../latest.js';
import { Store } from '../store.js';
import type { ViewState } from '../viewState.js';
import type { CompareChoices } from './compareState.js';

export interface CompareState {
  table: CompareTable | null;
  flame: CompareFlame | null;
  series: SeriesAnswer | null;
  /** Why one of them is not there, in a sentence each. */
  tableError: string | null;
  flameError: string | null;
  seriesError: string | null;
  loading: boolean;
  /** Ids of the calls down to the one that shall fill the width. */
  focus: readonly number[];
}

/** Steps of the widths that are asked for: a drag of the window's edge asks seldom. */
const STEP_OF_PIXELS = 64;

export class CompareSession {
  readonly store = new Store<CompareState>({
    table: null,
    flame: null,
    series: null,
    tableError: null,
    flameError: null,
    seriesError: null,
    loading: false,
    focus: [],
  });
  private pixels = 0;
  private readonly open = new Set<string>();
  private readonly table: Latest<ComparePair, CompareTable>;
  private readonly flame: Latest<CompareFlameQuery, CompareFlame>;
  private readonly series: Latest<SeriesQuery, SeriesAnswer>;

  constructor(
    private readonly page: Store<ViewState>,
    host: Pick<Host, 'call'>,
  ) {
    this.table = this.latest('table', (pair, signal) => host.call('compareTable', pair, signal), {
      answer: (table) => {
        const { pair } = page.get().compare;
        if (table.a.path === pair?.a && table.b.path === pair.b) this.store.update({ table, tableError: null });
      },
      failure: (tableError) => {
        this.store.update({ table: null, tableError: this.unlessGone(tableError) });
      },
    });
    this.flame = this.latest('flame', (query, signal) => host.call('compareFlame', query, signal), {
      answer: (flame) => {
        const { pair } = page.get().compare;
        if (flame.a !== pair?.a || flame.b !== pair.b) return;
        const focus = flame.focus.map(({ call }) => flame.calls[call].id);
        this.store.update({ flame, flameError: null, focus });
      },
      failure: (flameError) => {
        this.store.update({ flame: null, flameError: this.unlessGone(flameError) });
      },
    });
    this.series = this.latest('series', (query, signal) => host.call('series', query, signal), {
      answer: (series) => {
        this.store.update({ series, seriesError: null });
      },
      failure: (seriesError) => {
        this.store.update({ series: null, seriesError: this.unlessGone(seriesError) });
      },
    });
    page.watch((state, before) => {
      this.follow(state, before);
    });
  }

  /** Changes what is chosen. */
  choose(change: Partial<CompareChoices>): void {
    this.page.update({ compare: { ...this.page.get().compare, ...change } });
  }

  /** Tells how wide the pictures are; none is asked for before that is known. */
  setPixels(pixels: number): void {
    const rounded = Math.ceil(pixels / STEP_OF_PIXELS) * STEP_OF_PIXELS;
    if (rounded === this.pixels || rounded <= 0) return;
    this.pixels = rounded;
    this.askFlame();
    this.askSeries();
  }

  /** Lets a call fill the width. @param focus ids of the calls down to it, outermost first; none for everything */
  focus(focus: readonly number[]): void {
    if (focus.length > MOST_FOCUS) return;
    this.store.update({ focus });
    this.askFlame();
  }

  /** Asks for everything anew, after a failure too. */
  ask(): void {
    if (this.pair === null) this.store.update({ tableError: null, flameError: null, seriesError: null });
    this.askTable();
    this.askFlame();
    this.askSeries();
  }

  /** The curves that are asked for: A's, B's, then those beside them. */
  get shownSeries(): SeriesRef[] {
    const { pair, device, whole, others } = this.page.get().compare;
    if (pair === null) return [];
    const own = [pair.a, pair.b].map((path) => ({ path, device, whole }));
    return [...own, ...others].slice(0, MOST_SERIES);
  }

  private follow(state: ViewState, before: ViewState): void {
    const { compare, view, choices } = state;
    const old = before.compare;
    // Choices are told anew whenever a file was read.
    if (view !== before.view || choices !== before.choices) {
      this.ask();
      return;
    }
    if (compare === old) return;
    if (compare.pair !== old.pair) {
      this.store.update({ table: null, flame: null, series: null, focus: [] });
      this.ask();
      return;
    }
    if (compare.folded !== old.folded) this.store.update({ focus: [] });
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

  /** What failed of a comparison that is not there any more is not shown: the page says that it is gone. */
  private unlessGone(failure: string): string | null {
    return this.pair === null ? null : failure;
  }

  private askTable(): void {
    const { pair } = this;
    if (pair !== null)
      this.begin('table', () => {
        this.table.request(pair);
      });
  }

  private askFlame(): void {
    const { pair, pixels } = this;
    const { pane, width, folded } = this.page.get().compare;
    if (pair === null || pixels === 0 || pane !== 'flame') return;
    const { focus } = this.store.get();
    this.begin('flame', () => {
      this.flame.request({ ...pair, width, folded, focus, pixels });
    });
  }

  private askSeries(): void {
    const { pair, pixels } = this;
    if (pair === null || pixels === 0) return;
    const { axis } = this.page.get().compare;
    this.begin('series', () => {
      this.series.request({ series: this.shownSeries, axis, pixels });
    });
  }

  private begin(name: string, ask: () => void): void {
    this.open.add(name);
    this.store.update({ loading: true });
    ask();
  }

  private latest<Question, Answer>(
    name: string,
    ask: (question: Question, signal: AbortSignal) => Promise<Answer>,
    on: { answer: (answer: Answer) => void; failure: (sentence: string) => void },
  ): Latest<Question, Answer> {
    return new Latest(ask, {
      answer: on.answer,
      failure: (error) => {
        on.failure(error instanceof Error ? error.message : String(error));
      },
      settled: () => {
        this.open.delete(name);
        this.store.update({ loading: this.open.size > 0 });
      },
    });
  }
}
