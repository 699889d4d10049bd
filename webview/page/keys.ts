/** Keys that work wherever the focus is, but in text fields. */
import type { ChartView } from './chartView.js';
import type { Help } from './help.js';

const ZOOM = 1.5;
const PAN = 0.1;

export function listenForKeys(chart: ChartView, help: Help): void {
  const actions: Partial<Record<string, () => void>> = {
    w: () => chart.zoom(1 / ZOOM),
    s: () => chart.zoom(ZOOM),
    a: () => chart.pan(-PAN),
    d: () => chart.pan(PAN),
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
