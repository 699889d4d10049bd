/** Under the chart: what is live at the pinned instant as a flame graph or table, with what finds, folds and leads back. */
import type { Flame } from '../../src/protocol/flameData.js';
import { el, setText } from '../dom.js';
import type { Exporter } from '../export/exporter.js';
import { createExportMenu } from '../export/exportMenu.js';
import { savedName } from '../export/savedName.js';
import { flameTable } from '../export/savedTables.js';
import type { TableData } from '../export/tableData.js';
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
import type { FlameSession } from './flameSession.js';
import { FLAME_MEASURES, type FlameMeasure } from './flameState.js';
import { FlameTable } from './flameTable.js';
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
    flames.focus(store.get().flame.focus.slice(0, -1));
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
      flames.choose({ find: text });
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
  const asTable = createCheckbox({
    text: strings.flameAsTable,
    onChange: (chosen) => {
      flames.choose({ asTable: chosen });
    },
  });
  const table = new FlameTable({
    sort: (sort) => {
      flames.choose({ sort });
    },
    open: (line) => {
      session.openSource(line);
    },
  });
  let items: readonly FlameItem[] = [];
  const scroller = el('div', { class: 'scroller flame-scroller' }, graph.element, table.element);
  const hint = el('p', { class: 'aside chart-hint' }, strings.flameHint);
  const name = (): string => savedName(store.get(), 'flame');
  const data = (): TableData | null => (items.length === 0 ? null : flameTable(items));
  const tableMenu = createExportMenu(exporter, { name, table: data });
  const graphMenu = createExportMenu(exporter, {
    name,
    picture: () => (items.length === 0 ? null : graph.picture()),
    table: data,
  });
  new ResizeObserver(() => {
    flames.setPixels(scroller.clientWidth);
  }).observe(scroller);

  const showParts = (): void => {
    const { flame } = flames.store.get();
    const { asTable: isTable } = store.get().flame;
    graph.element.hidden = flame === null || isTable;
    table.element.hidden = flame === null || !isTable;
    readout.hidden = hint.hidden = graphMenu.hidden = isTable;
    tableMenu.hidden = !isTable;
  };
  /** After an answer, or where other calls are looked for. */
  const showFound = (): void => {
    const { flame } = flames.store.get();
    const state = store.get();
    const { find: words, asTable: isTable, sort } = state.flame;
    const found = findItems(items, words, callName);
    graph.mark(found);
    setText(summary, flame === null ? '' : summaryOf(flame, state, items, found));
    if (flame === null || !isTable) return;
    const rows = words.trim() === '' ? items : items.filter((_, index) => found.has(index));
    table.show(flame, items, rows, sort);
  };
  flames.store.watch(({ flame, loading, error }, before) => {
    progress.show(loading);
    failure.show(error === null ? null : strings.flameFailed(error));
    showParts();
    if (flame === before.flame) return;
    items = flame === null ? [] : flameItems(flame);
    graph.show(items, flame?.focus.length ?? 0, (item) => ({
      text: shortName(item),
      label: flame === null ? '' : itemText(item, flame),
      classes: itemClasses(item),
    }));
    showFound();
  });
  store.watch((state, before) => {
    const { pin, curve, openError } = state;
    const { flame } = flames.store.get();
    openFailure.show(openError);
    scroller.classList.toggle('stale', flame !== null && flame.event !== (pin?.event ?? (curve?.events ?? 0) - 1));
    if (state.flame === before.flame && state !== before) return;
    const { folded, measure: measured, focus, find: words, asTable: isTable } = state.flame;
    fold.show(folded);
    measure.show(measured, FLAME_MEASURES);
    find.show(words);
    asTable.show(isTable);
    for (const button of [backButton, wholeButton]) button.setEnabled(focus.length > 0);
    showParts();
    showFound();
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
      asTable.element,
      el('span', { class: 'together' }, backButton.element, wholeButton.element),
      find.element,
      progress.element,
    ),
    summary,
    failure.element,
    openFailure.element,
    scroller,
    readout,
    hint,
    tableMenu,
    graphMenu,
  );
}

function summaryOf(
  flame: Flame,
  { pin, curve, flame: { find } }: ViewState,
  items: readonly FlameItem[],
  found: ReadonlySet<number>,
): string {
  const when = pin === null ? strings.atTheEnd : whenOf(flame, curve);
  const { over, liveBytes } = flame;
  const live =
    over === null ? strings.flameSummary(when, liveBytes) : strings.meanSummary(liveBytes, byteTime(liveBytes, over));
  if (find.trim() === '') return `${live}.`;
  const bytes = bytesThrough(items, found);
  return `${live}. ${strings.found(found.size, bytes, formatShare(bytes, flame.liveBytes))}`;
}
