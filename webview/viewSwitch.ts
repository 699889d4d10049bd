/** At the top of the page: one history, or two snapshots side by side. */
import { comparable } from './choiceGroups.js';
import { el } from './dom.js';
import type { Store } from './store.js';
import { strings } from './strings.js';
import { createRadioGroup } from './ui/radioGroup.js';
import { VIEWS, type View, type ViewState } from './viewState.js';

export function createViewSwitch(store: Store<ViewState>): HTMLElement {
  const views = createRadioGroup<View>({
    label: strings.view,
    items: VIEWS.map((value) => ({ value, text: strings.viewName[value] })),
    onPick: (view) => {
      store.update({ view });
    },
  });
  const element = el('div', { class: 'views' }, views.element);
  store.watch(({ view, choices }) => {
    views.show(view, VIEWS);
    // One snapshot alone cannot be compared; the way back is always there.
    element.hidden = view === 'timeline' && comparable(choices).length < 2;
  });
  return element;
}
