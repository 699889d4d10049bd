/** Under the chart: what is live at the pinned instant as a flame graph, with what finds, folds and leads back. */
import { el, setText } from '../dom.js';
import type { Exporter } from '../export/exporter.js';
import { createExportMenu } from '../export/exportMenu.js';
import { savedName } from '../export/savedName.js';
import { flameTable } from '../export/savedTables.js';
import { formatShare } from '../format.js';
import { whenOf } from '../instant.js';
import { createMessage } from '../message.js';
import type { TimelineSession } from '../session.js';
import type { Store } from '../store.js';
import { strings } from '../strings.js';
import { createButton } from '../ui/button.js';
import { createCheckbox } from '../ui/checkbox.js';
import { createProgress } from '../ui/progress.js';
import { createRadioGroup } from '../ui/radioGroup.js';
import { createTextField } from '../ui/textField.js';
import type { ViewState } from '../viewState.js';
import { FlameGraph } from './flameGraph.js';
import { bytesThrough, findItems, flameItems, type FlameItem } from './flameItems.js';
import { FLAME_MEASURES, type FlameMeasure, type FlameSession, type FlameState } from './flameSession.js';
import { byteTime, callName, itemClasses, itemText, shortName } from './flameText.js';

export function createFlameView(
  store: Store<ViewState>,
  session: TimelineSession,
  flames: FlameSession,
  exporter: Exporter,
): HTMLElement {
  const heading = el('h2', { attributes: { id: 'flame-heading' } }, strings.flame);
  const fold = createCheckbox({
    text: strings.foldLibraries,
    onChange: (folded) => {
      flames.fold(folded);
    },
  });
  const measure = createRadioGroup<FlameMeasure>({
    label: strings.flameMeasure,
    items: FLAME_MEASURES.map((value) => ({ value, text: strings.flameMeasureName[value] })),
    onPick: (value) => {
      flames.measureBy(value);
    },
  });
  const back = (): void => {
    flames.focus(flames.store.get().focus.slice(0, -1));
  };
  const everything = (): void => {
    flames.focus([]);
  };
  const backButton = createButton({ text: strings.flameBack, hint: strings.flameBackHint, onPress: back });
  const wholeButton = createButton({ text: strings.flameWhole, hint: strings.flameWholeHint, onPress: everything });
  const find = createTextField({
    label: strings.find,
    placeholder: strings.findPlaceholder,
    onInput: (text) => {
      flames.store.update({ find: text });
    },
  });
  find.element.classList.add('filter');
  const progress = createProgress(strings.loading);
  const failure = createMessage('error', {
    text: strings.retry,
    onPress: () => {
      flames.ask();
    },
  });
  const openFailure = createMessage('error');
  const summary = el('p', { class: 'summary', attributes: { role: 'status' } });
  const readout = el('p', { class: 'flame-readout', attributes: { 'aria-hidden': 'true' } });
  const graph = new FlameGraph(strings.flameTree, {
    focus: (item) => {
      if (item.path.join() !== flames.store.get().focus.join()) flames.focus(item.path);
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
  const scroller = el('div', { class: 'scroller flame-scroller' }, graph.element);
  new ResizeObserver(() => {
    flames.setPixels(scroller.clientWidth);
  }).observe(scroller);

  let items: readonly FlameItem[] = [];
  const show = (state: FlameState, before: FlameState): void => {
    const { flame, loading, error, folded, focus } = state;
    fold.show(folded);
    measure.show(state.measure, FLAME_MEASURES);
    find.show(state.find);
    backButton.setEnabled(focus.length > 0);
    wholeButton.setEnabled(focus.length > 0);
    progress.show(loading);
    failure.show(error === null ? null : strings.flameFailed(error));
    graph.element.hidden = flame === null;
    const changed = flame !== before.flame;
    if (changed) {
      items = flame === null ? [] : flameItems(flame);
      graph.show(items, flame?.focus.length ?? 0, (item) => ({
        text: shortName(item),
        label: flame === null ? '' : itemText(item, flame),
        classes: itemClasses(item),
      }));
    }
    if (changed || state.find !== before.find) {
      const found = findItems(items, state.find, callName);
      graph.mark(found);
      setText(summary, flame === null ? '' : summaryOf(state, store.get(), items, found));
    }
  };
  flames.store.watch(show);
  store.watch(({ pin, curve, openError }) => {
    const { flame } = flames.store.get();
    openFailure.show(openError);
    scroller.classList.toggle('stale', flame !== null && flame.event !== (pin?.event ?? (curve?.events ?? 0) - 1));
  });

  return el(
    'section',
    { class: 'live flame', attributes: { 'aria-labelledby': 'flame-heading' } },
    el(
      'div',
      { class: 'live-head' },
      heading,
      measure.element,
      fold.element,
      el('span', { class: 'together' }, backButton.element, wholeButton.element),
      find.element,
      progress.element,
    ),
    summary,
    failure.element,
    openFailure.element,
    scroller,
    readout,
    el('p', { class: 'aside chart-hint' }, strings.flameHint),
    createExportMenu(exporter, {
      name: () => savedName(store.get(), 'flame'),
      picture: () => (items.length === 0 ? null : graph.picture()),
      table: () => (items.length === 0 ? null : flameTable(items)),
    }),
  );
}

function summaryOf(
  { flame, find }: FlameState,
  { pin, curve }: ViewState,
  items: readonly FlameItem[],
  found: ReadonlySet<number>,
): string {
  if (flame === null) return '';
  const when = pin === null ? strings.atTheEnd : whenOf(flame, curve);
  const { over, liveBytes } = flame;
  const live =
    over === null ? strings.flameSummary(when, liveBytes) : strings.meanSummary(liveBytes, byteTime(liveBytes, over));
  if (find.trim() === '') return `${live}.`;
  const bytes = bytesThrough(items, found);
  return `${live}. ${strings.found(found.size, bytes, formatShare(bytes, flame.liveBytes))}`;
}
