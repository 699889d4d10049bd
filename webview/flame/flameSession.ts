/** Asks what is live by call at the instant that is looked into, while that is what is shown. */
import { MOST_FOCUS, type Flame, type FlameQuery } from '../../src/protocol/flameData.js';
import type { Host } from '../host.js';
import { currentCurve, isShown, Question } from '../question.js';
import type { Store } from '../store.js';
import type { ViewState } from '../viewState.js';
import type { FlameChoices, FlameMeasure } from './flameState.js';

/** Steps of the width that is asked for: a drag of the window's edge asks seldom. */
const STEP_OF_PIXELS = 64;

export class FlameSession {
  private pixels = 0;
  private readonly question: Question<FlameQuery, Flame>;

  constructor(
    private readonly page: Store<ViewState>,
    host: Pick<Host, 'call'>,
  ) {
    this.question = new Question(
      (query, signal) => host.call('flame', query, signal),
      (flame) => isShown(flame, page.get()),
    );
    this.store.watch(({ answer: flame }, before) => {
      if (flame === null || flame === before.answer) return;
      const focus = flame.focus.map(({ call }) => flame.calls[call].id);
      // What is focused may not be there any more.
      if (focus.join() !== page.get().flame.focus.join()) this.choose({ focus });
    });
    page.watch((state, before) => {
      if (state.selection !== before.selection) {
        this.choose({ focus: [] });
        this.question.forget();
      }
      const isAsked = asksFlame(state);
      if (isAsked !== asksFlame(before) || state.curve !== before.curve || state.pin?.event !== before.pin?.event) {
        this.ask();
      }
    });
  }

  get store(): Question<FlameQuery, Flame>['store'] {
    return this.question.store;
  }

  /** Tells how wide the graph is; nothing is asked before that is known. */
  setPixels(pixels: number): void {
    const rounded = Math.ceil(pixels / STEP_OF_PIXELS) * STEP_OF_PIXELS;
    if (rounded === this.pixels || rounded <= 0) return;
    this.pixels = rounded;
    this.ask();
  }

  /** Changes what is chosen, without asking. */
  choose(change: Partial<FlameChoices>): void {
    this.page.update({ flame: { ...this.page.get().flame, ...change } });
  }

  /** Lets a call fill the width. @param focus ids of the calls down to it, outermost first; none for everything */
  focus(focus: readonly number[]): void {
    if (focus.length > MOST_FOCUS) return;
    this.choose({ focus });
    this.ask();
  }

  measureBy(measure: FlameMeasure): void {
    this.choose({ measure });
    this.ask();
  }

  fold(folded: boolean): void {
    // The calls down to what is focused may be others now.
    this.choose({ folded, focus: [] });
    this.ask();
  }

  /** Asks anew, after a failure too. */
  ask(): void {
    const state = this.page.get();
    const curve = currentCurve(state);
    if (!asksFlame(state) || curve === null || this.pixels === 0) return;
    const { path, device } = curve;
    const { folded, focus, measure } = state.flame;
    const event = state.pin?.event ?? curve.events - 1;
    const over = measure === 'live' ? null : { axis: curve.axis, window: state.range };
    this.question.ask({ path, device, event, over, folded, focus, pixels: this.pixels });
  }
}

/** True while calls are shown, as a graph or as a table. */
function asksFlame({ pane, tabled }: ViewState): boolean {
  return pane === 'flame' || (pane === 'table' && tabled === 'calls');
}
