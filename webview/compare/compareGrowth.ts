/** The growth between two snapshots: by line as a table, by call as a difference flame graph. */
import type { CompareRow } from '../../src/protocol/compareData.js';
import { COMPARE_WIDTHS, type CompareWidth } from '../../src/protocol/compareData.js';
import { el, setText } from '../dom.js';
import { FlameGraph } from '../flame/flameGraph.js';
import type { Exporter } from '../export/exporter.js';
import { createExportMenu } from '../export/exportMenu.js';
import { comparedName } from '../export/savedName.js';
import { comparedFlameTable, comparedTable } from '../export/savedTables.js';
import { createMessage } from '../message.js';
import type { TimelineSession } from '../session.js';
import type { Store } from '../store.js';
import { strings } from '../strings.js';
import { createButton } from '../ui/button.js';
import { createCheckbox } from '../ui/checkbox.js';
import { createRadioGroup } from '../ui/radioGroup.js';
import { createTextField } from '../ui/textField.js';
import type { ViewState } from '../viewState.js';
import { comparedDress, comparedItems, comparedText, type ComparedItem } from './compareFlame.js';
import { filterCompared, sortCompared } from './compareRows.js';
import type { CompareSession } from './compareSession.js';
import { COMPARE_PANES, type ComparePane } from './compareState.js';
import { CompareTableView } from './compareTable.js';

export function createCompareGrowth(
  store: Store<ViewState>,
  session: TimelineSession,
  compares: CompareSession,
  exporter: Exporter,
): HTMLElement {
  const panes = createRadioGroup<ComparePane>({
    label: strings.comparePane,
    items: COMPARE_PANES.map((value) => ({ value, text: strings.comparePaneName[value] })),
    onPick: (pane) => {
      compares.choose({ pane });
    },
  });
  const filter = createTextField({
    label: strings.filter,
    placeholder: strings.filterPlaceholder,
    onInput: (text) => {
      compares.choose({ filter: text });
    },
  });
  filter.element.classList.add('filter');
  const table = new CompareTableView({
    sort: (sort) => {
      compares.choose({ sort });
    },
    open: (line) => {
      session.openSource(line);
    },
  });
  const widths = createRadioGroup<CompareWidth>({
    label: strings.compareWidth,
    items: COMPARE_WIDTHS.map((value) => ({ value, text: strings.compareWidthName[value] })),
    onPick: (width) => {
      compares.choose({ width });
    },
  });
  const fold = createCheckbox({
    text: strings.foldLibraries,
    onChange: (folded) => {
      compares.choose({ folded });
    },
  });
  const back = (): void => {
    compares.focus(compares.store.get().focus.slice(0, -1));
  };
  const everything = (): void => {
    compares.focus([]);
  };
  const backButton = createButton({ text: strings.flameBack, hint: strings.flameBackHint, onPress: back });
  const wholeButton = createButton({ text: strings.flameWhole, hint: strings.compareWholeHint, onPress: everything });
  const failure = createMessage('error', {
    text: strings.retry,
    onPress: () => {
      compares.ask();
    },
  });
  const openFailure = createMessage('error');
  const readout = el('p', { class: 'flame-readout', attributes: { 'aria-hidden': 'true' } });
  let items: readonly ComparedItem[] = [];
  let rows: readonly CompareRow[] = [];
  const graph = new FlameGraph(strings.compareTree, {
    focus: (item) => {
      if (item.path.join() !== compares.store.get().focus.join()) compares.focus(item.path);
    },
    open: ({ call }) => {
      if (call?.mapped === true && call.line > 0) session.openSource(call);
      else store.update({ openError: strings.callNotMapped });
    },
    look: (item) => {
      const compared = items.find((one) => one === item);
      setText(readout, compared === undefined ? '' : comparedText(compared));
    },
    back,
    everything,
  });
  const flameTools = el(
    'span',
    { class: 'together' },
    widths.element,
    fold.element,
    backButton.element,
    wholeButton.element,
  );
  const tableScroller = el('div', { class: 'scroller' }, table.element);
  const flameScroller = el('div', { class: 'scroller flame-scroller' }, graph.element);
  const hint = el('p', { class: 'aside chart-hint' }, strings.compareFlameHint);

  const tableMenu = createExportMenu(exporter, {
    name: () => comparedName(store.get(), 'growth'),
    table: () => {
      const { table: answer } = compares.store.get();
      if (answer === null) return null;
      const isWhole = answer.otherLines > 0 && rows.length === answer.rows.length;
      return comparedTable(rows, isWhole ? answer.others : null);
    },
  });
  const flameMenu = createExportMenu(exporter, {
    name: () => comparedName(store.get(), 'growth-by-call'),
    picture: () => (items.length === 0 ? null : graph.picture()),
    table: () => (items.length === 0 ? null : comparedFlameTable(items)),
  });

  const showTable = (): void => {
    const { table: answer } = compares.store.get();
    const { sort, filter: words } = store.get().compare;
    table.element.hidden = answer === null;
    rows = answer === null ? [] : sortCompared(filterCompared(answer.rows, words), sort);
    if (answer !== null) table.show(answer, rows, sort);
  };
  compares.store.watch((state, old) => {
    if (state.table !== old.table) showTable();
    failure.show(state.flameError === null ? null : strings.compareFailed(state.flameError));
    for (const button of [backButton, wholeButton]) button.setEnabled(state.focus.length > 0);
    if (state.flame === old.flame) return;
    graph.element.hidden = state.flame === null;
    items = state.flame === null ? [] : comparedItems(state.flame);
    graph.show(items, state.flame?.focus.length ?? 0, (_, index) => comparedDress(items[index]));
  });
  store.watch(({ compare, openError }, old) => {
    openFailure.show(openError);
    const { pane, width, folded, sort } = compare;
    panes.show(pane, COMPARE_PANES);
    widths.show(width, COMPARE_WIDTHS);
    fold.show(folded);
    filter.show(compare.filter);
    const isTable = pane === 'table';
    filter.element.hidden = tableScroller.hidden = tableMenu.hidden = !isTable;
    flameTools.hidden = flameMenu.hidden = flameScroller.hidden = readout.hidden = hint.hidden = isTable;
    if (sort !== old.compare.sort || compare.filter !== old.compare.filter) showTable();
  });
  return el(
    'section',
    { class: 'live compare-growth', attributes: { 'aria-label': strings.compareGrowth } },
    el('div', { class: 'live-head' }, el('h2', {}, strings.compareGrowth), panes.element, flameTools, filter.element),
    failure.element,
    openFailure.element,
    tableScroller,
    flameScroller,
    readout,
    hint,
    tableMenu,
    flameMenu,
  );
}
