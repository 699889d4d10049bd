/** Puts the views together and decides which of them shows. */
import { ChartView } from './chart/chartView.js';
import { createCurveTable } from './chart/curveTable.js';
import { createLegend } from './chart/legend.js';
import { createControls } from './controls.js';
import { el } from './dom.js';
import { createEmptyView } from './emptyView.js';
import { createLiveView } from './live/liveView.js';
import { createMessage } from './message.js';
import type { TimelineSession } from './session.js';
import type { Store } from './store.js';
import { strings } from './strings.js';
import type { ViewState } from './viewState.js';

/** Fills the page's root with the timeline. */
export function showApp(root: HTMLElement, store: Store<ViewState>, session: TimelineSession): void {
  const failure = createMessage('error', {
    text: strings.retry,
    onPress: () => {
      session.retryCurve();
    },
  });
  const noEvents = createMessage('hint');
  const chart = new ChartView(store, session).element;
  const table = createCurveTable(store, session);
  const hint = el('p', { class: 'aside chart-hint' }, strings.chartHint);
  const history = el(
    'section',
    { class: 'history', attributes: { 'aria-label': strings.chart } },
    createLegend(store, session),
    failure.element,
    noEvents.element,
    chart,
    table,
    hint,
  );
  const controls = createControls(store, session);
  const live = createLiveView(store, session);
  // Without the plot, the page is as wide as what is asked for.
  new ResizeObserver(() => {
    if (chart.hidden) session.setPixels(history.clientWidth);
  }).observe(history);
  root.append(el('h1', { class: 'visually-hidden' }, strings.title));
  root.append(createEmptyView(store, session), controls, history, live);

  store.watch(({ choices, curve, curveError, curveAsTable }) => {
    const something = choices !== null && choices.length > 0;
    for (const part of [controls, history, live]) part.hidden = !something;
    const flat = curve?.events === 0;
    failure.show(curveError === null ? null : strings.curveFailed(curveError));
    noEvents.show(flat ? strings.noEvents : null);
    chart.hidden = curveAsTable || flat;
    hint.hidden = chart.hidden;
    table.hidden = !curveAsTable || flat || curve === null;
  });
}
