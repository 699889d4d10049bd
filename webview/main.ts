/** The entry of the timeline's webview. */
import './text/language.js';
import { showApp } from './app.js';
import { afterQuiet } from './ui/dom.js';
import { connectHost } from './model/host.js';
import { BandSession } from './layer/bandSession.js';
import { TimelineSession } from './actions/session.js';
import { createQuestions } from './model/questions.js';
import { Store } from './model/store.js';
import './styles.css';
import { persisted, persistedChanged, restored } from './model/viewState.js';

/** Delay before the view is stored, in milliseconds. */
const SAVE_DELAY_MS = 200;

const host = connectHost({
  state: (state) => session.receiveState(state),
  cursor: (cursorLine) => store.update({ cursorLine }),
  reading: (readSoFar) => store.update({ readSoFar }),
});
const store = new Store(restored(host.saved()));
const session = new TimelineSession(store, host);
const bands = new BandSession(store, host);
const questions = createQuestions(store, host);
const root = document.getElementById('app');
if (root === null) throw new Error('The page has no place for the timeline.');
showApp(root, store, { session, bands, questions, host });
// A window may be closed before its snapshots are read again.
const save = (): void => host.save(persisted({ ...store.get(), ...session.awaited }));
// Not at each frame of a zoom; the page stores the rest when it closes.
const saveSoon = afterQuiet(SAVE_DELAY_MS, save);
store.watch((state, before) => {
  if (persistedChanged(state, before)) saveSoon();
});
window.addEventListener('pagehide', save);
// A hidden panel may have lost messages, answers among them.
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible') session.refresh();
});
session.refresh();
