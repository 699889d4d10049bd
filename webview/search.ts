/** One search for all tabs: lines, stacks, calls and tables. */
import type { Store } from './store.js';
import { strings } from './strings.js';
import { createTextField } from './ui/textField.js';
import type { ViewState } from './viewState.js';

export function createSearch(store: Store<ViewState>): HTMLElement {
  const field = createTextField({
    label: strings.search,
    placeholder: strings.searchPlaceholder,
    onInput: (filter) => store.update({ filter }),
  });
  field.element.classList.add('search');
  store.watch(({ filter }) => field.show(filter));
  return field.element;
}
