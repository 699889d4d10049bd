/** Under the chart: what is live at the pinned instant as a flame graph or table, with what finds, folds and leads back. */
import type { Flame } from '../../src/protocol/flameData.js';
import { el, setText } from '../dom.js';
import type { Exporter } from '../export/exporter.js';
import { createExportMenu } from '../export/exportMenu.js';
import { savedName } from '../export/savedName.js';
import { flameTable } from '../export/savedTables.js';
import { formatBytes, formatShare } from '../format.js';
import { cssOf } from '../layer/palette.js';
import { paintOf } from '../layer/swatches.js';
import { whenOf } from '../instant.js';
import { createMessage } from '../message.js';
import type { TimelineSession } from '../session.js';
import type { Store } from '../store.js';
import { strings } from '../strings.js';
import { createButton } from '../ui/button.js';
import { createCheckbox } from '../ui/checkbox.js';
import { createProgress } from '../ui/progress.js';
import { createChoice } from '../ui/choice.js';
import type { ViewState } from '../viewState.js';
import { FlameGraph } from './flameGraph.js';
import { bytesThrough, findItems, flameItems, type FlameItem } from './flameItems.js';
import type { FlameSession } from './flameSession.js';
import type { FlameMeasure } from './flameState.js';
import { byteTime, callName, itemClasses, itemText, shortName } from './flameText.js';

export function createFlameView(
  store: Store<ViewState>,
  session: TimelineSession,
  flames: FlameSession,
  exporter: Exporter,
): HTMLElement {
  const fold = createCheckbox({
    text: strings.foldLibraries,
    onChange: (folded) => {
      flames.fold(folded);
    },
  });
  const measure = createChoice<FlameMeasure>({
    label: strings.flameMeasure,
    names: strings.flameMeasureName,
    onPick: (value) => {
      flames.measureBy(value);
    },
  });
  const back = (): void => {
    flames.focus(store.get().flame.focus.slice(0, -1));
  };
  const everything = (): void => {
    flames.focus([]);
  };
  const backButton = createButton({
    text: strings.flameBack,
    hint: strings.flameBackHint,
    onPress: back,
  });
  const wholeButton = createButton({
    text: strings.flameWhole,
    hint: strings.flameWholeHint,
    onPress: everything,
  });
  const progress = createProgress(strings.loading);
  const failure = createMessage('error', {
    text: strings.retry,
    onPress: () => {
      flames.ask();
    },
  });
  const summary = el('p', { class: 'summary', attributes: { role: 'status' } });
  const readout = el('p', {
    class: 'flame-readout',
    attributes: { 'aria-hidden': 'true' },
  });
  const graph = new FlameGraph(strings.flameTree, {
    focus: (item) => {
      if (item.path.join() !== store.get().flame.focus.join()) flames.focus(item.path);
    },
    open: ({ call }) => {
      if (call?.mapped === true && call.line > 0) session.openSource(call);
      else store.update({ openError: strings.callNotMapped });
    },
    look: (item) => {
      const { flame } = flames.store.get();
      setText(readout, item === null || flame === null ? '' : itemText(item, flame));
    },
    back,
    everything,
  });
  let items: readonly FlameItem[] = [];
  const scroller = el('div', { class: 'scroller flame-scroller' }, graph.element);
  const menu = createExportMenu(exporter, {
    name: () => savedName(store.get(), 'flame'),
    table: () => (items.length === 0 ? null : flameTable(items)),
  });
  new ResizeObserver(() => {
    flames.setPixels(scroller.clientWidth);
  }).observe(scroller);

  /** After an answer, or where other calls are looked for. */
  const showFound = (): void => {
    const { flame } = flames.store.get();
    const state = store.get();
    const found = findItems(items, state.filter, callName);
    graph.mark(found);
    setText(summary, flame === null ? '' : summaryOf(flame, state, items, found));
  };
  const draw = (): void => {
    const { flame } = flames.store.get();
    graph.show(items, flame?.focus.length ?? 0, (item) => ({
      text: `${shortName(item)}  ${formatBytes(item.bytes)}`,
      fill: fillOf(store.get(), item),
      label: flame === null ? '' : itemText(item, flame),
      classes: itemClasses(item),
    }));
  };
  flames.store.watch(({ flame, loading, error }, before) => {
    progress.show(loading);
    failure.show(error === null ? null : strings.flameFailed(error));
    graph.element.hidden = flame === null;
    if (flame === before.flame) return;
    items = flame === null ? [] : flameItems(flame);
    draw();
    showFound();
  });
  store.watch((state, before) => {
    const { pin, curve, filter } = state;
    const { flame } = flames.store.get();
    scroller.classList.toggle('stale', flame !== null && flame.event !== (pin?.event ?? (curve?.events ?? 0) - 1));
    if (state.wholeBands !== before.wholeBands && state.pane === 'flame') draw();
    if (state.flame === before.flame && filter === before.filter && state !== before) return;
    const { folded, measure: measured, focus } = state.flame;
    fold.show(folded);
    measure.show(measured);
    for (const button of [backButton, wholeButton]) button.setEnabled(focus.length > 0);
    showFound();
  });

  return el(
    'section',
    { class: 'live flame', attributes: { 'aria-label': strings.flame } },
    el(
      'div',
      { class: 'live-head' },
      measure.element,
      fold.element,
      el('span', { class: 'together' }, backButton.element, wholeButton.element),
      summary,
      progress.element,
      menu,
    ),
    failure.element,
    scroller,
    readout,
  );
}

function summaryOf(flame: Flame, state: ViewState, items: readonly FlameItem[], found: ReadonlySet<number>): string {
  const when = whenOf(flame, state);
  const { over, liveBytes } = flame;
  const live =
    over === null ? strings.flameSummary(when, liveBytes) : strings.meanSummary(liveBytes, byteTime(liveBytes, over));
  if (state.filter.trim() === '') return `${live}.`;
  const bytes = bytesThrough(items, found);
  return `${live}. ${strings.found(found.size, bytes, formatShare(bytes, flame.liveBytes))}`;
}

/** The colour that the chart has for what a call allocates itself. */
function fillOf(state: ViewState, { call, self }: FlameItem): string | null {
  const paint = call === null || !call.mapped || (self ?? 0) === 0 ? null : paintOf(state, call);
  return paint === null ? null : cssOf(paint.fill);
}
