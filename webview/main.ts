/** The entry of the timeline's webview. */
import './text/language.js';
import { showApp } from './app.js';
import { CompareSession } from './compare/compareSession.js';
import { afterQuiet } from './ui/dom.js';
import { Exporter } from './parts/exporter.js';
import { FlameSession } from './flame/flameSession.js';
import { connectHost } from './model/host.js';
import { BandSession } from './layer/bandSession.js';
import { AllocatedSession } from './live/allocatedSession.js';
import { MapSession } from './map/mapSession.js';
import { RunSession } from './run/runSession.js';
import { TimelineSession } from './actions/session.js';
import { Store } from './model/store.js';
import './styles.css';
import { WhatIfSession } from './whatIf/whatIfSession.js';
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
const allocated = new AllocatedSession(store, host);
const flames = new FlameSession(store, host);
const maps = new MapSession(store, host);
const whatIfs = new WhatIfSession(store, host);
const compares = new CompareSession(store, host);
const runs = new RunSession(store, session, host);
const root = document.getElementById('app');
if (root === null) throw new Error('The page has no place for the timeline.');
showApp(root, store, {
  session,
  bands,
  allocated,
  flames,
  maps,
  whatIfs,
  runs,
  compares,
  exporter: new Exporter(host),
});
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
