/** The search in a tab: lines, stacks or calls. It ends with the tab. */
import type { Store } from '../model/store.js';
import { t } from '../../src/core/text/translate.js';
import '../ui/toolkit.js';
import type { ViewState } from '../model/viewState.js';

export function createSearch(store: Store<ViewState>): HTMLElement {
  const field = document.createElement('vscode-text-field');
  // The toolkit makes this the label, and overwrites an aria-label.
  field.textContent = t('Search');
  field.placeholder = t('Search ( / )');
  field.classList.add('search');
  field.addEventListener('input', () => store.update({ filter: field.value }));
  store.watch(({ filter }) => {
    if (field.value !== filter) field.value = filter;
  });
  return field;
}
