/** Puts the views together and decides which of them shows. */
import { ChartView } from './chart/chartView.js';
import { createCurveTable } from './chart/curveTable.js';
import { createLegend } from './chart/legend.js';
import { createCompareView } from './compare/compareView.js';
import type { CompareSession } from './compare/compareSession.js';
import { createControls } from './controls.js';
import { el } from './dom.js';
import { createEmptyView } from './emptyView.js';
import type { BornSession } from './live/bornSession.js';
import type { Exporter } from './export/exporter.js';
import { createExportMenu } from './export/exportMenu.js';
import { savedName } from './export/savedName.js';
import { curveTable } from './export/savedTables.js';
import { tableOf } from './export/tableOf.js';
import { createFlameView } from './flame/flameView.js';
import type { FlameSession } from './flame/flameSession.js';
import { createLiveView } from './live/liveView.js';
import { createMapView } from './map/mapView.js';
import type { MapSession } from './map/mapSession.js';
import { createMessage } from './message.js';
import { createBandCard } from './layer/bandCard.js';
import { createBandKey } from './layer/bandKey.js';
import type { BandSession } from './layer/bandSession.js';
import { createBandTable } from './layer/bandTable.js';
import { createMinimap } from './layer/minimap.js';
import { createPaneSwitch } from './paneSwitch.js';
import type { RunSession } from './run/runSession.js';
import { createRunTable } from './run/runTable.js';
import { createRunView } from './run/runView.js';
import type { TimelineSession } from './session.js';
import type { Store } from './store.js';
import { strings } from './strings.js';
import type { ViewState } from './viewState.js';
import { createViewSwitch } from './viewSwitch.js';

/** Those who talk to the extension, each about its part. */
export interface Sessions {
  session: TimelineSession;
  bands: BandSession;
  born: BornSession;
  flames: FlameSession;
  maps: MapSession;
  runs: RunSession;
  compares: CompareSession;
  exporter: Exporter;
}

/** Fills the page's root with the timeline. */
export function showApp(root: HTMLElement, store: Store<ViewState>, sessions: Sessions): void {
  const { session, bands, born, flames, maps, runs, compares, exporter } = sessions;
  const failure = createMessage('error', {
    text: strings.retry,
    onPress: () => {
      session.retryCurve();
    },
  });
  const noEvents = createMessage('hint');
  const chartView = new ChartView(store, session, bands);
  const chart = chartView.element;
  const minimap = createMinimap(store, session);
  const bandKey = createBandKey(store);
  const bandFailure = createMessage('error', {
    text: strings.retry,
    onPress: () => {
      bands.retry();
    },
  });
  const bandTable = createBandTable(store, session);
  const bandMenu = createExportMenu(exporter, {
    name: () => savedName(store.get(), 'allocations'),
    table: () => {
      const element = bandTable.querySelector('table');
      return element === null || bandTable.hidden ? null : tableOf(element);
    },
  });
  const table = el('div', { class: 'tables' }, createCurveTable(store, session), bandTable, bandMenu);
  const hint = el('p', { class: 'aside chart-hint' }, strings.chartHint);
  const chartMenu = createExportMenu(exporter, {
    name: () => savedName(store.get(), 'timeline'),
    picture: () => chartView.picture(),
    table: () => {
      const { curve } = store.get();
      return curve === null ? null : curveTable(curve);
    },
  });
  const history = el(
    'section',
    { class: 'history', attributes: { 'aria-label': strings.chart } },
    createLegend(store, session),
    failure.element,
    noEvents.element,
    bandFailure.element,
    chart,
    minimap,
    bandKey,
    table,
    hint,
    chartMenu,
  );
  const controls = createControls(store, session, bands);
  const live = createLiveView(store, session, born, exporter);
  const panes = createPaneSwitch(store);
  const flame = createFlameView(store, session, flames, exporter);
  const map = createMapView(store, session, maps, exporter);
  const card = createBandCard(store, session, bands);
  // Without the plot, the page is as wide as what is asked for.
  new ResizeObserver(() => {
    if (chart.hidden) session.setPixels(history.clientWidth);
  }).observe(history);
  root.append(el('h1', { class: 'visually-hidden' }, strings.title));
  const timeline = el(
    'div',
    { class: 'view' },
    createEmptyView(store, session),
    controls,
    createRunView(store, runs),
    createRunTable(store, runs, exporter),
    history,
    card,
    panes,
    live,
    flame,
    map,
  );
  const compare = createCompareView(store, session, compares, exporter);
  root.append(createViewSwitch(store), timeline);

  store.watch(({ choices, curve, curveError, curveAsTable, layer, bandsError, pane, view }) => {
    timeline.hidden = view !== 'timeline';
    // Out of the page while it is not looked at: nothing of it is measured, found or read.
    if (view !== 'compare') compare.remove();
    else if (!compare.isConnected) root.append(compare);
    const something = choices !== null && choices.length > 0;
    for (const part of [controls, history, panes]) part.hidden = !something;
    live.hidden = !something || pane !== 'list';
    flame.hidden = !something || pane !== 'flame';
    map.hidden = !something || pane !== 'map';
    const flat = curve?.events === 0;
    failure.show(curveError === null ? null : strings.curveFailed(curveError));
    noEvents.show(flat ? strings.noEvents : null);
    chart.hidden = curveAsTable || flat;
    hint.hidden = chart.hidden;
    chartMenu.hidden = flat;
    minimap.hidden = chart.hidden || !layer || curve?.hasAllocations === false;
    bandKey.hidden = minimap.hidden;
    bandFailure.show(bandsError === null || !layer ? null : strings.bandsFailed(bandsError));
    table.hidden = !curveAsTable || flat || curve === null;
  });
}
