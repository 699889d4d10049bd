/** The growth between two snapshots: by line as a table, by call as a difference flame graph. */
import type { CompareRow, CompareWidth } from '../../src/protocol/compareData.js';
import { el } from '../dom.js';
import { createFlamePane } from '../flame/flamePane.js';
import type { Saved } from '../export/saveMenu.js';
import { comparedName } from '../export/savedName.js';
import { comparedFlameTable, comparedTable } from '../export/savedTables.js';
import { createMessage } from '../message.js';
import { createPane, type QueryPane } from '../pane.js';
import type { TimelineSession } from '../session.js';
import type { Store } from '../store.js';
import { strings } from '../strings.js';
import { createChoice } from '../ui/choice.js';
import { createTabs } from '../ui/tabs.js';
import { DataTable } from '../table/dataTable.js';
import { filterRows } from '../table/rowOrder.js';
import { ownerName } from '../layer/bandText.js';
import type { ViewState } from '../viewState.js';
import { comparedDress, comparedItems, comparedText, type ComparedItem } from './compareFlame.js';
import type { CompareSession } from './compareSession.js';
import { COMPARE_PANES, type ComparePane, type CompareSort } from './compareState.js';
import { compareColumns, sortCompared, type ComparedRow } from './compareTable.js';

export function createCompareGrowth(
  store: Store<ViewState>,
  session: TimelineSession,
  compares: CompareSession,
): { element: HTMLElement; saved: () => Saved } {
  const panes = createTabs<ComparePane>({
    label: strings.comparePane,
    items: COMPARE_PANES.map((value) => ({ value, text: strings.comparePaneName[value] })),
    onPick: (pane) => compares.choose({ pane }),
  });
  const table = new DataTable<ComparedRow, CompareSort>({
    class: 'compare-table',
    label: strings.compareTable,
    onSort: (sort) => compares.choose({ sort }),
    target: ({ place = null }) => (place?.mapped === true ? place : null),
    open: (line) => session.openSource(line),
  });
  const widths = createChoice<CompareWidth>({
    label: strings.compareWidth,
    names: strings.compareWidthName,
    onPick: (width) => compares.choose({ width }),
  });
  let items: readonly ComparedItem[] = [];
  let rows: readonly CompareRow[] = [];
  const retry = (): void => compares.ask();
  const flame = createFlamePane(store, session, {
    label: strings.comparePaneName.flame,
    tree: strings.compareTree,
    measure: widths.element,
    focused: () => compares.focused,
    focus: (path) => compares.focus(path),
    fold: (folded) => compares.choose({ folded }),
    textOf: (item) => {
      const compared = items.find((one) => one === item);
      return compared === undefined ? '' : comparedText(compared);
    },
    retry,
  });
  const views: Record<ComparePane, QueryPane> = {
    table: createPane({
      class: 'growth-table',
      label: strings.comparePaneName.table,
      head: [],
      scroller: el('div', { class: 'scroller', attributes: { tabindex: '0' } }, table.element),
      retry,
    }),
    flame,
  };
  const saved: Record<ComparePane, Saved> = {
    table: {
      label: strings.compareGrowth,
      name: () => comparedName(store.get(), 'growth'),
      table: () => {
        const { answer } = compares.table.store.get();
        if (answer === null) return null;
        const isWhole = answer.otherLines > 0 && rows.length === answer.rows.length;
        return comparedTable(rows, isWhole ? answer.others : null);
      },
    },
    flame: {
      label: strings.comparePaneName.flame,
      name: () => comparedName(store.get(), 'growth-by-call'),
      table: () => (items.length === 0 ? null : comparedFlameTable(items)),
    },
  };

  const showTable = (): void => {
    const { answer } = compares.table.store.get();
    const { compare, filter } = store.get();
    table.element.hidden = answer === null;
    rows =
      answer === null
        ? []
        : sortCompared(
            filterRows(answer.rows, filter, (row) => ownerName(row, 'whole')),
            compare.sort,
          );
    if (answer === null) return;
    const others = { ...answer.others, name: strings.otherLines(answer.otherLines) };
    table.show({
      columns: compareColumns(answer.total.flow !== null),
      rows,
      sort: compare.sort,
      note: rows.length < answer.rows.length ? strings.shown(rows.length, answer.rows.length) : null,
      sums: [...(answer.otherLines === 0 ? [] : [others]), { ...answer.total, name: strings.total }],
    });
  };
  const failed = (error: string | null): string | null => (error === null ? null : strings.compareFailed(error));
  compares.table.store.watch(({ answer, loading, error }, old) => {
    views.table.stand({ loading, error: failed(error) });
    if (answer !== old.answer) showTable();
  });
  compares.flame.store.watch(({ answer, loading, error }, old) => {
    views.flame.stand({ loading, error: failed(error) });
    flame.showControls(store.get().compare.folded, compares.focused.length > 0);
    if (answer === old.answer) return;
    flame.graph.element.hidden = answer === null;
    items = answer === null ? [] : comparedItems(answer);
    flame.graph.show(items, answer?.focus.length ?? 0, (_, index) => comparedDress(items[index]));
  });
  const openFailure = createMessage('error');
  store.watch(({ compare, openError, filter }, old) => {
    openFailure.show(openError);
    const { pane, width, folded, sort } = compare;
    panes.show(pane, views[pane].element);
    widths.show(width);
    flame.showControls(folded, compares.focused.length > 0);
    if (sort !== old.compare.sort || filter !== old.filter) showTable();
  });
  return {
    element: el(
      'section',
      { class: 'lower compare-growth', attributes: { 'aria-label': strings.compareGrowth } },
      openFailure.element,
      panes.element,
    ),
    saved: () => saved[store.get().compare.pane],
  };
}
