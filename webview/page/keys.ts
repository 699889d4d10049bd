/** Keys that work wherever the focus is, but in text fields. */
import type { ChartView } from './chartView.js';
import { drawableExtent, panRange, zoomRange } from '../model/range.js';
import type { Help } from './help.js';
import type { TimelineSession } from '../actions/session.js';
import type { Store } from '../model/store.js';
import type { ViewState } from '../model/viewState.js';

const ZOOM = 1.5;
const PAN = 0.1;

export function listenForKeys(store: Store<ViewState>, session: TimelineSession, chart: ChartView, help: Help): void {
  const move = (change: 'pan' | 'zoom', by: number): void => {
    const { curve, range } = store.get();
    if (curve === null) return;
    const visible = range ?? drawableExtent(curve.extent);
    session.setRange(change === 'pan' ? panRange(visible, by) : zoomRange(visible, chart.focus(visible), by));
  };
  const actions: Partial<Record<string, () => void>> = {
    w: () => move('zoom', 1 / ZOOM),
    s: () => move('zoom', ZOOM),
    a: () => move('pan', -PAN),
    d: () => move('pan', PAN),
    '[': () => chart.toStep(-1),
    ']': () => chart.toStep(1),
    m: () => chart.mark(),
    '/': () => search()?.focus(),
    '?': () => help.toggle(),
  };
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isWriting(event)) return;
    const action = actions[event.key];
    if (action === undefined || (help.dialog.open && event.key !== '?')) return;
    event.preventDefault();
    action();
  });
}

function search(): HTMLElement | null {
  return [...document.querySelectorAll<HTMLElement>('.search')].find((field) => field.offsetParent !== null) ?? null;
}

function isWriting(event: KeyboardEvent): boolean {
  const target = event.composedPath().at(0);
  return target instanceof HTMLInputElement ? target.type === 'text' : target instanceof HTMLTextAreaElement;
}
