/** The page: one toolbar, one overview, the chart, and below a splitter the tabs and the selection. It never scrolls. */
import { ChartView } from './page/chartView.js';
import { createLegend } from './chart/legend.js';
import { createCompareView } from './compare/compareView.js';
import { createControls } from './page/controls.js';
import { el, setText } from './ui/dom.js';
import { createEmptyView } from './page/emptyView.js';
import type { Host } from './model/host.js';
import { createSaveMenu } from './parts/saveMenu.js';
import { curveTable } from './chart/curveRows.js';
import { createFlameView } from './flame/flameView.js';
import { createHelp } from './page/help.js';
import { listenForKeys } from './page/keys.js';
import { createBandKey } from './layer/bandKey.js';
import type { BandSession } from './layer/bandSession.js';
import { createSelection } from './layer/selection.js';
import { createLiveView } from './live/liveView.js';
import { createMapView } from './map/mapView.js';
import { createFailure, createMessage } from './parts/message.js';
import { runOf, type Questions } from './model/questions.js';
import { contradiction } from './run/runText.js';
import type { Tab } from './parts/pane.js';
import { createRunView } from './run/runView.js';
import type { TimelineSession } from './actions/session.js';
import { createSplitter } from './parts/splitter.js';
import type { Store } from './model/store.js';
import { t } from '../src/core/text/translate.js';
import { strings, MARK_SIGNS } from './text/strings.js';
import { createTableView } from './page/tableView.js';
import { watchTheme } from './ui/theme.js';
import { createTabs } from './ui/tabs.js';
import { createWhatIfView } from './whatIf/whatIfView.js';
import { PANES, resize, type Pane, type ViewState } from './model/viewState.js';

/** What the page does, apart from drawing. */
interface Parts {
  session: TimelineSession;
  bands: BandSession;
  questions: Questions;
  host: Pick<Host, 'call'>;
}

/** Fills the page's root with the timeline. */
export function showApp(root: HTMLElement, store: Store<ViewState>, parts: Parts): void {
  const { session, bands, questions, host } = parts;
  const help = createHelp();
  const chartView = new ChartView(store, session);
  const chart = {
    label: strings.chart,
    what: 'timeline',
    picture: () => chartView.picture(),
    table: () => {
      const { curve } = store.get();
      return curve === null ? null : curveTable(curve);
    },
  };
  const live = createLiveView(store, session, questions.allocated);
  const contents: Record<Pane, Tab> = {
    lines: live,
    stacks: live,
    flame: createFlameView(store, session, questions.flame),
    map: createMapView(store, session, questions.map),
    whatIf: createWhatIfView(store, session, questions.whatIf),
    table: createTableView(store, session, questions),
  };
  const menu = createSaveMenu(store, host, () => {
    const { curve, pane } = store.get();
    return curve?.events === 0 ? [contents[pane].saved] : [chart, contents[pane].saved];
  });
  const controls = createControls(store, session, chartView, menu, help.button);
  const run = createRunView(store, session, questions.run);
  const failure = createFailure(() => session.curve.retry());
  const bandFailure = createFailure(() => bands.retry());
  const noEvents = createMessage('hint');
  const openFailure = createMessage('error');
  const untrusted = createMessage('error');
  const history = el(
    'section',
    { class: 'history', 'aria-label': strings.chart },
    failure.element,
    noEvents.element,
    bandFailure.element,
    createLegend(store, createBandKey(store)),
    chartView.element,
  );
  const tabs = createTabs<Pane>({
    label: t('Shown below the chart'),
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
  const compare = createCompareView(store, session, questions, host);
  root.append(el('h1', { class: 'visually-hidden' }, t('GPU memory timeline')), timeline, help.dialog);
  listenForKeys(chartView, help);

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
    if (nameOfTab(state) !== nameOfTab(before)) store.update({ filter: '' });
  });
  const showContradiction = (): void => {
    const run = runOf(questions.run);
    const { selection } = store.get();
    untrusted.show(run === null || selection === null ? null : contradiction(run, selection.path));
  };
  questions.run.store.watch(showContradiction);
  store.follow(({ selection }) => [selection], showContradiction);
  store.watch(({ choices, curve, curveError, layer, bandsError, openError, pane, view }) => {
    timeline.hidden = view !== 'timeline';
    // Not in the DOM while hidden: not measured, searched or read by screen readers.
    if (view !== 'compare') compare.remove();
    else if (!compare.isConnected) timeline.after(compare);
    const something = choices !== null && choices.length > 0;
    const flat = curve?.events === 0;
    timeline.classList.toggle('empty-page', !something);
    timeline.classList.toggle('flat', flat);
    tabs.show(pane, contents[pane].element);
    failure.show(curveError === null ? null : t('The curve could not be read: {0}', curveError));
    noEvents.show(flat ? strings.noEvents : null);
    bandFailure.show(bandsError === null || !layer ? null : t('The allocations could not be read: {0}', bandsError));
    openFailure.show(openError);
    chartView.element.hidden = flat;
  });
}

function nameOfTab({ view, pane, tabled, compare }: ViewState): string {
  return [view, view === 'compare' ? compare.pane : pane, tabled].join();
}

function createFailed(store: Store<ViewState>, session: TimelineSession): HTMLElement {
  const sentence = el('button', { class: 'link' });
  const element = el('p', { class: 'failed mark' }, MARK_SIGNS.outOfMemory, sentence);
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
