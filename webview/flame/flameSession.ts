/** Requests live memory by call at the selected instant, while it is visible. */
import { MAX_FOCUS, type Flame, type FlameQuery } from '../../src/protocol/flameData.js';
import type { Host } from '../host.js';
import { coarse, currentCurve, isShown, Question } from '../question.js';
import type { Store } from '../store.js';
import type { ViewState } from '../viewState.js';
import type { FlameChoices, FlameMeasure } from './flameState.js';

export class FlameSession extends Question<FlameQuery, Flame> {
  private pixels = 0;

  constructor(
    private readonly page: Store<ViewState>,
    host: Pick<Host, 'call'>,
  ) {
    super(
      (query, signal) => host.call('flame', query, signal),
      (flame) => isShown(flame, page.get()),
    );
    this.store.watch(({ answer: flame }, before) => {
      if (flame === null || flame === before.answer) return;
      const focus = flame.focus.map(({ call }) => flame.calls[call].id);
      // The focused item may no longer exist.
      if (focus.join() !== page.get().flame.focus.join()) this.choose({ focus });
    });
    page.watch((state, before) => {
      if (state.selection !== before.selection) {
        this.choose({ focus: [] });
        this.forget();
      }
      const isAsked = asksFlame(state);
      if (isAsked !== asksFlame(before) || state.curve !== before.curve || state.pin?.event !== before.pin?.event) {
        this.ask();
      }
    });
  }

  /** Sets the width of the graph; there is no request before that. */
  setPixels(pixels: number): void {
    const rounded = coarse(pixels);
    if (rounded === this.pixels || rounded <= 0) return;
    this.pixels = rounded;
    this.ask();
  }

  /** Changes the choices without a request. */
  choose(change: Partial<FlameChoices>): void {
    this.page.update({ flame: { ...this.page.get().flame, ...change } });
  }

  /** Lets a call fill the width. @param focus ids of the calls down to it, outermost first; none for everything */
  focus(focus: readonly number[]): void {
    if (focus.length > MAX_FOCUS) return;
    this.choose({ focus });
    this.ask();
  }

  measureBy(measure: FlameMeasure): void {
    this.choose({ measure });
    this.ask();
  }

  fold(folded: boolean): void {
    // The path to the focused call may have changed.
    this.choose({ folded, focus: [] });
    this.ask();
  }

  /** Requests it again, also after a failure. */
  ask(): void {
    const state = this.page.get();
    const curve = currentCurve(state);
    if (!asksFlame(state) || curve === null || this.pixels === 0) return;
    const { path, device } = curve;
    const { folded, focus, measure } = state.flame;
    const event = state.pin?.event ?? curve.events - 1;
    const over = measure === 'live' ? null : { axis: curve.axis, window: state.range };
    this.send({ path, device, event, over, folded, focus, pixels: this.pixels });
  }
}

/** True while calls are shown, as a graph or as a table. */
function asksFlame({ pane, tabled }: ViewState): boolean {
  return pane === 'flame' || (pane === 'table' && tabled === 'calls');
}
