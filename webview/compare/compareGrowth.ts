/** The growth between two snapshots: by line as a table, by call as a difference flame graph. */
import type { CompareRow, CompareWidth, CompareCell } from '../../src/protocol/compareData.js';
import { el } from '../ui/dom.js';
import { createFlamePane } from '../flame/flamePane.js';
import type { Saved } from '../parts/saveMenu.js';
import { comparedName } from '../parts/savedName.js';
import { comparedFlameTable, comparedTable } from './compareTables.js';
import { createMessage } from '../parts/message.js';
import { createPane, type QueryPane } from '../parts/pane.js';
import { createSearch } from '../parts/search.js';
import type { TimelineSession } from '../actions/session.js';
import type { Store } from '../model/store.js';
import { strings } from '../text/strings.js';
import { createChoice } from '../ui/choice.js';
import { createTabs } from '../ui/tabs.js';
import { DataTable, bytesCell, placeCell, textCell, type Cell, type Column } from '../parts/dataTable.js';
import { filterRows, byLine } from '../parts/rowOrder.js';
import { ownerName } from '../layer/bandText.js';
import type { ViewState } from '../model/viewState.js';
import { comparedDress, comparedItems, comparedText, type ComparedItem } from './compareFlame.js';
import type { CompareSession } from './compareSession.js';
import { COMPARE_PANES, type ComparePane, type CompareSort, COMPARE_SORTS } from '../model/compareState.js';
import { byteText, countText } from '../../src/core/text/numberText.js';
import { formatExactBytes } from '../text/format.js';
import { growthOf, growthText, signedExactBytes } from './growthText.js';

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
  const retry = (): void => compares.retry();
  const flame = createFlamePane(store, session, {
    label: strings.comparePaneName.flame,
    tree: strings.compareTree,
    measure: widths.element,
    focused: () => store.get().compareFocus,
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
      search: createSearch(store),
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
    flame.showControls(store.get().compare.folded, store.get().compareFocus.length > 0);
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
    flame.showControls(folded, store.get().compareFocus.length > 0);
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

/** A line, or a sum of some under a name. */
type ComparedRow = CompareRow | (CompareCell & { name: string; place?: never });

/** @param hasFlow false if survivors are unknown */
function compareColumns(hasFlow: boolean): Column<ComparedRow, CompareSort>[] {
  const of = (by: CompareSort): Column<ComparedRow, CompareSort> => ({
    text: strings.compareColumn[by],
    kind: by === 'line' ? 'place' : 'number',
    sort: { by, order: by === 'line' ? 'ascending' : 'descending' },
    cell: (row) => cellOf(by, row),
  });
  const flow: readonly CompareSort[] = ['survived', 'allocated', 'freed'];
  return [
    ...COMPARE_SORTS.filter((by) => hasFlow || !flow.includes(by)).map(of),
    { text: strings.columnFunction, kind: 'function', cell: ({ place }) => textCell(place?.function ?? '') },
  ];
}

function cellOf(by: CompareSort, row: ComparedRow): Cell {
  switch (by) {
    case 'line':
      if ('name' in row) return { content: row.name };
      return placeCell(ownerName(row, 'whole'), row.place?.mapped === true);
    case 'growthBytes': {
      const { growthBytes } = row;
      return {
        content: growthText(growthBytes),
        title: signedExactBytes(growthBytes),
        class: `growth of-${growthOf(growthBytes)}`,
      };
    }
    case 'bytesA':
    case 'bytesB':
      return bytesCell(row[by]);
    case 'survived':
    case 'allocated':
    case 'freed': {
      const { bytes, blocks } = row.flow?.[by] ?? { bytes: 0, blocks: 0 };
      const content = blocks === 0 ? '–' : strings.bytesInBlocks(byteText(bytes), countText(blocks));
      return { content, title: formatExactBytes(bytes) };
    }
    case 'blocks':
      return { content: `${countText(row.blocksA)} → ${countText(row.blocksB)}` };
  }
}

/** A sorted copy, the largest change or value first. */
function sortCompared(rows: readonly CompareRow[], sort: CompareSort): CompareRow[] {
  if (sort === 'line') return [...rows].sort(byPlace);
  const figure = (row: CompareRow): number => {
    switch (sort) {
      case 'growthBytes':
        return Math.abs(row.growthBytes);
      case 'bytesA':
      case 'bytesB':
        return row[sort];
      case 'survived':
      case 'allocated':
      case 'freed':
        return row.flow?.[sort].bytes ?? 0;
      case 'blocks':
        return row.blocksB - row.blocksA;
    }
  };
  return [...rows].sort((a, b) => figure(b) - figure(a) || b.bytesB - a.bytesB || byPlace(a, b));
}

function byPlace(a: CompareRow, b: CompareRow): number {
  return byLine(a.place, b.place);
}
