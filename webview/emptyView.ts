/** What is shown while there is no snapshot: how to make one, and a button that opens one. */
import { el } from './dom.js';
import { createMessage } from './message.js';
import type { TimelineSession } from './session.js';
import type { Store } from './store.js';
import { strings } from './strings.js';
import { createButton } from './ui/button.js';
import type { ViewState } from './viewState.js';

export function createEmptyView(store: Store<ViewState>, session: TimelineSession): HTMLElement {
  const open = createButton({
    text: strings.openSnapshot,
    kind: 'primary',
    onPress: () => session.openSnapshot(),
  });
  const failure = createMessage('error', {
    text: strings.retry,
    onPress: () => session.refresh(),
  });
  const invitation = el(
    'div',
    {},
    el('h2', {}, strings.noSnapshots),
    el('p', {}, strings.noSnapshotsHelp),
    el('pre', {}, el('code', {}, strings.recordingCode)),
    open.element,
  );
  const reading = createMessage('hint');
  const view = el('section', { class: 'empty' }, failure.element, reading.element, invitation);
  store.watch((state) => {
    const { choices, choicesError } = state;
    failure.show(choicesError === null ? null : strings.readyFailed(choicesError));
    const empty = choices?.length === 0;
    reading.show(empty && state.reading ? strings.readingSnapshots : null);
    invitation.hidden = !empty || state.reading;
    view.hidden = choicesError === null && !empty;
  });
  return view;
}
