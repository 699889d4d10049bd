/** Between the chart and what is under it: which view of the instant is shown. */
import { el } from './dom.js';
import type { Store } from './store.js';
import { strings } from './strings.js';
import { createRadioGroup } from './ui/radioGroup.js';
import { PANES, type Pane, type ViewState } from './viewState.js';

export function createPaneSwitch(store: Store<ViewState>): HTMLElement {
  const panes = createRadioGroup<Pane>({
    label: strings.pane,
    items: PANES.map((value) => ({ value, text: strings.paneName[value] })),
    onPick: (pane) => {
      store.update({ pane });
    },
  });
  store.watch(({ pane }) => {
    panes.show(pane, PANES);
  });
  return el('div', { class: 'panes' }, panes.element);
}
