/** The page: one toolbar, one overview, the chart, and below a splitter the tabs and the selection. It never scrolls. */
import { ChartView } from './page/chartView.js';
import { createLegend } from './chart/legend.js';
import { createCompareView } from './compare/compareView.js';
import type { CompareSession } from './compare/compareSession.js';
import { createControls } from './page/controls.js';
import { el, setText } from './ui/dom.js';
import { createEmptyView } from './page/emptyView.js';
import type { Exporter } from './parts/exporter.js';
import { createSaveMenu } from './parts/saveMenu.js';
import { savedName } from './parts/savedName.js';
import { curveTable } from './chart/curveRows.js';
import { createFlameView } from './flame/flameView.js';
import type { FlameSession } from './flame/flameSession.js';
import { createHelp } from './page/help.js';
import { listenForKeys } from './page/keys.js';
import { createBandKey } from './layer/bandKey.js';
import type { BandSession } from './layer/bandSession.js';
import { createSelection } from './layer/selection.js';
import type { AllocatedSession } from './live/allocatedSession.js';
import { createLiveView } from './live/liveView.js';
import { createMapView } from './map/mapView.js';
import type { MapSession } from './map/mapSession.js';
import { createFailure, createMessage } from './parts/message.js';
import type { RunSession } from './run/runSession.js';
import { createRunView } from './run/runView.js';
import type { TimelineSession } from './actions/session.js';
import { createSplitter } from './parts/splitter.js';
import type { Store } from './model/store.js';
import { strings, MARK_SIGNS } from './text/strings.js';
import { createTableView } from './page/tableView.js';
import { watchTheme } from './ui/theme.js';
import { createTabs } from './ui/tabs.js';
import { createWhatIfView } from './whatIf/whatIfView.js';
import type { WhatIfSession } from './whatIf/whatIfSession.js';
import { PANES, resize, type Pane, type ViewState } from './model/viewState.js';

/** The sessions: each requests one part from the extension. */
interface Sessions {
  session: TimelineSession;
  bands: BandSession;
  allocated: AllocatedSession;
  flames: FlameSession;
  maps: MapSession;
  whatIfs: WhatIfSession;
  runs: RunSession;
  compares: CompareSession;
  exporter: Exporter;
}

/** Fills the page's root with the timeline. */
export function showApp(root: HTMLElement, store: Store<ViewState>, sessions: Sessions): void {
  const { session, bands, allocated, flames, maps, whatIfs, runs, compares, exporter } = sessions;
  const help = createHelp();
  const chartView = new ChartView(store, session);
  const chart = {
    label: strings.chart,
    name: () => savedName(store.get(), 'timeline'),
    picture: () => chartView.picture(),
    table: () => {
      const { curve } = store.get();
      return curve === null ? null : curveTable(curve);
    },
  };
  const live = createLiveView(store, session, allocated);
  const contents: Record<Pane, ReturnType<typeof createLiveView>> = {
    lines: live,
    stacks: live,
    flame: createFlameView(store, session, flames),
    map: createMapView(store, session, maps),
    whatIf: createWhatIfView(store, whatIfs),
    table: createTableView(store, { session, flames, maps, runs }),
  };
  const menu = createSaveMenu(exporter, () => {
    const { curve, pane } = store.get();
    return curve?.events === 0 ? [contents[pane].saved] : [chart, contents[pane].saved];
  });
  const controls = createControls(store, session, menu, help.button);
  const run = createRunView(store, session, runs);
  const failure = createFailure(() => session.curve.retry());
  const bandFailure = createFailure(() => bands.retry());
  const noEvents = createMessage('hint');
  const openFailure = createMessage('error');
  const untrusted = createMessage('error');
  const history = el(
    'section',
    { class: 'history', attributes: { 'aria-label': strings.chart } },
    failure.element,
    noEvents.element,
    bandFailure.element,
    createLegend(store, createBandKey(store)),
    chartView.element,
  );
  const tabs = createTabs<Pane>({
    label: strings.pane,
    items: PANES.map((value) => ({ value, text: strings.paneName[value] })),
    onPick: (pane) => store.update({ pane }),
  });
  const lower = el('div', { class: 'lower' }, tabs.element, createSelection(store, session));
  const timeline = el(
    'div',
    { class: 'timeline' },
    createEmptyView(store, session),
    controls,
    createFailed(store, session),
    el('div', { class: 'overview' }, run, untrusted.element, openFailure.element),
    history,
  );
  timeline.append(createSplitter(store, timeline), lower);
  const compare = createCompareView(store, session, compares, exporter);
  root.append(el('h1', { class: 'visually-hidden' }, strings.title), timeline, help.dialog);
  listenForKeys(store, session, chartView, help);

  // While the plot is hidden, the page sets the width of requests.
  new ResizeObserver(() => {
    if (chartView.element.offsetParent === null) resize(store, { plotWidth: timeline.clientWidth });
  }).observe(timeline);
  // Elements with colors of the chart update them.
  watchTheme(() => {
    const { stacked, wholeBands } = store.get();
    store.update({ stacked: stacked && { ...stacked }, wholeBands: wholeBands && { ...wholeBands } });
  });
  // A search ends with its tab.
  store.watch((state, before) => {
    if (tabOf(state) !== tabOf(before)) store.update({ filter: '' });
  });
  runs.store.watch(() => untrusted.show(runs.contradiction()));
  store.watch(({ choices, curve, curveError, layer, bandsError, openError, pane, view, selection }, before) => {
    if (selection !== before.selection) untrusted.show(runs.contradiction());
    timeline.hidden = view !== 'timeline';
    // Not in the DOM while hidden: not measured, searched or read by screen readers.
    if (view !== 'compare') compare.remove();
    else if (!compare.isConnected) timeline.after(compare);
    const something = choices !== null && choices.length > 0;
    const flat = curve?.events === 0;
    timeline.classList.toggle('empty-page', !something);
    timeline.classList.toggle('flat', flat);
    tabs.show(pane, contents[pane].element);
    failure.show(curveError === null ? null : strings.curveFailed(curveError));
    noEvents.show(flat ? strings.noEvents : null);
    bandFailure.show(bandsError === null || !layer ? null : strings.bandsFailed(bandsError));
    openFailure.show(openError);
    chartView.element.hidden = flat;
  });
}

function tabOf({ view, pane, tabled, compare }: ViewState): string {
  return [view, view === 'compare' ? compare.pane : pane, tabled].join();
}

function createFailed(store: Store<ViewState>, session: TimelineSession): HTMLElement {
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
