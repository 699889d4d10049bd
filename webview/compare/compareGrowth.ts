/** The growth between two snapshots: by line as a table, by call as a difference flame graph. */
import type { CompareRow } from '../../src/protocol/compareData.js';
import type { CompareWidth } from '../../src/protocol/compareData.js';
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
import { createChoice } from '../ui/choice.js';
import { createTabs } from '../ui/tabs.js';
import { DataTable } from '../table/dataTable.js';
import type { ViewState } from '../viewState.js';
import { comparedDress, comparedItems, comparedText, type ComparedItem } from './compareFlame.js';
import { filterCompared, sortCompared } from './compareRows.js';
import type { CompareSession } from './compareSession.js';
import { COMPARE_PANES, type ComparePane, type CompareSort } from './compareState.js';
import { compareColumns, type ComparedRow } from './compareColumns.js';

export function createCompareGrowth(
  store: Store<ViewState>,
  session: TimelineSession,
  compares: CompareSession,
  exporter: Exporter,
): HTMLElement {
  const panes = createTabs<ComparePane>({
    label: strings.comparePane,
    items: COMPARE_PANES.map((value) => ({
      value,
      text: strings.comparePaneName[value],
    })),
    onPick: (pane) => {
      compares.choose({ pane });
    },
  });
  const table = new DataTable<ComparedRow, CompareSort>({
    class: 'compare-table',
    label: strings.compareTable,
    onSort: (sort) => {
      compares.choose({ sort });
    },
    target: ({ place = null }) => (place?.mapped === true ? place : null),
    open: (line) => {
      session.openSource(line);
    },
  });
  const widths = createChoice<CompareWidth>({
    label: strings.compareWidth,
    names: strings.compareWidthName,
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
  const backButton = createButton({
    text: strings.flameBack,
    hint: strings.flameBackHint,
    onPress: back,
  });
  const wholeButton = createButton({
    text: strings.flameWhole,
    hint: strings.compareWholeHint,
    onPress: everything,
  });
  const failure = createMessage('error', {
    text: strings.retry,
    onPress: () => {
      compares.ask();
    },
  });
  const openFailure = createMessage('error');
  const readout = el('p', {
    class: 'flame-readout',
    attributes: { 'aria-hidden': 'true' },
  });
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
  const tableScroller = el('div', { class: 'scroller', attributes: { tabindex: '0' } }, table.element);
  const flameScroller = el('div', { class: 'scroller flame-scroller' }, graph.element);

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
    table: () => (items.length === 0 ? null : comparedFlameTable(items)),
  });

  const showTable = (): void => {
    const { table: answer } = compares.store.get();
    const { compare, filter } = store.get();
    table.element.hidden = answer === null;
    rows = answer === null ? [] : sortCompared(filterCompared(answer.rows, filter), compare.sort);
    if (answer === null) return;
    const others = {
      ...answer.others,
      name: strings.otherLines(answer.otherLines),
    };
    table.show({
      columns: compareColumns(answer.total.flow !== null),
      rows,
      sort: compare.sort,
      note: rows.length < answer.rows.length ? strings.shown(rows.length, answer.rows.length) : null,
      sums: [...(answer.otherLines === 0 ? [] : [others]), { ...answer.total, name: strings.total }],
    });
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
  const views: Record<ComparePane, HTMLElement> = {
    table: el('section', { class: 'live' }, el('div', { class: 'live-head' }, tableMenu), tableScroller),
    flame: el(
      'section',
      { class: 'live flame' },
      el(
        'div',
        { class: 'live-head' },
        widths.element,
        fold.element,
        el('span', { class: 'together' }, backButton.element, wholeButton.element),
        flameMenu,
      ),
      failure.element,
      flameScroller,
      readout,
    ),
  };
  store.watch(({ compare, openError, filter }, old) => {
    openFailure.show(openError);
    const { pane, width, folded, sort } = compare;
    panes.show(pane, views[pane]);
    widths.show(width);
    fold.show(folded);
    if (sort !== old.compare.sort || filter !== old.filter) showTable();
  });
  return el(
    'section',
    {
      class: 'lower compare-growth',
      attributes: { 'aria-label': strings.compareGrowth },
    },
    openFailure.element,
    panes.element,
  );
}
