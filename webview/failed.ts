/** The notice of a failed allocation: its line, its size, and a link. */
import { el, setText } from './dom.js';
import type { TimelineSession } from './session.js';
import type { Store } from './store.js';
import { MARK_SIGNS } from './strings.js';
import type { ViewState } from './viewState.js';

export function createFailed(store: Store<ViewState>, session: TimelineSession): HTMLElement {
  const sentence = el('button', { class: 'link' });
  const element = el('p', { class: 'failed mark of-outOfMemory' }, MARK_SIGNS.outOfMemory, sentence);
  sentence.addEventListener('click', () => {
    const failed = store.get().curve?.failed;
    if (failed == null) return;
    session.lookInto({ event: failed.event, axis: store.get().curve?.axis ?? 'events', x: failed.x });
    session.openBand({ place: failed.asked });
  });
  store.watch(({ curve }) => {
    const failed = curve?.failed ?? null;
    element.hidden = failed === null;
    setText(sentence, failed?.text ?? '');
  });
  return element;
}
