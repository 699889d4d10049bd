/** Live memory by call at the selected instant, while it is visible. */
import { MAX_FOCUS, type Flame, type FlameQuery } from '../../src/protocol/flameData.js';
import type { Host } from '../model/host.js';
import { currentCurve, Question } from '../model/question.js';
import type { Store } from '../model/store.js';
import type { ViewState } from '../model/viewState.js';
import type { FlameChoices } from '../model/flameState.js';

export class FlameSession extends Question<FlameQuery, Flame> {
  /** Changes the choices. A call of `focus` fills the width, if it still exists. */
  readonly choose: (change: Partial<FlameChoices>) => void;

  constructor(page: Store<ViewState>, host: Pick<Host, 'call'>) {
    super(page, { query: flameQuery, ask: (query, signal) => host.call('flame', query, signal) });
    this.choose = (change) => {
      if ((change.focus?.length ?? 0) <= MAX_FOCUS) page.update({ flame: { ...page.get().flame, ...change } });
    };
    this.store.watch(({ answer: flame }, before) => {
      if (flame === null || flame === before.answer) return;
      const focus = flame.focus.map(({ call }) => flame.calls[call].id);
      if (focus.join() !== page.get().flame.focus.join()) this.choose({ focus });
    });
  }
}

function flameQuery(state: ViewState): FlameQuery | null | undefined {
  const { pane, tabled, range, pin, flamePixels: pixels } = state;
  const curve = currentCurve(state);
  if (curve === null) return null;
  const isShown = pane === 'flame' || (pane === 'table' && tabled === 'calls');
  if (!isShown || pixels === 0) return undefined;
  const { path, device, axis, events } = curve;
  const { folded, focus, measure } = state.flame;
  const over = measure === 'live' ? null : { axis, window: range };
  return { path, device, event: pin?.event ?? events - 1, over, folded, focus, pixels };
}
