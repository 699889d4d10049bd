/** The growth between two snapshots: by line as a table, by call as a difference flame graph. */
import type { CompareRow, CompareWidth, CompareCell } from '../../src/protocol/compareData.js';
import { el } from '../ui/dom.js';
import { createFlamePane } from '../flame/flamePane.js';
import type { Saved } from '../parts/saveMenu.js';
import { comparedFlameTable, comparedTable } from './compareTables.js';
import type { Questions } from '../model/questions.js';
import { createMessage } from '../parts/message.js';
import { createPane, tabOf, type Tab } from '../parts/pane.js';
import { createSearch } from '../parts/search.js';
import type { TimelineSession } from '../actions/session.js';
import type { Store } from '../model/store.js';
import { t, tCount } from '../../src/core/text/translate.js';
import { strings } from '../text/strings.js';
import { createChoice } from '../ui/choice.js';
import { createTabs } from '../ui/tabs.js';
import { DataTable, bytesCell, placeCell, textCell, type Cell, type Column } from '../parts/dataTable.js';
import { filterRows, byLine } from '../parts/rowOrder.js';
import { ownerName } from '../layer/bandText.js';
import type { ViewState } from '../model/viewState.js';
import { comparedDress, comparedItems, comparedText, type ComparedItem } from './compareFlame.js';
import { COMPARE_PANES, type ComparePane, type CompareSort, COMPARE_SORTS } from '../model/compareState.js';
import { byteText, countText } from '../../src/core/text/numberText.js';
import { formatExactBytes } from '../text/format.js';
import { growthOf, growthText, signedExactBytes } from './growthText.js';

const PANE_NAMES: Record<ComparePane, string> = { table: t('Table'), flame: t('Difference flame graph') };
const COLUMNS: Record<CompareSort, string> = {
  line: t('Line'),
  bytesA: t('In A'),
  bytesB: t('In B'),
  growthBytes: t('Growth'),
  survived: t('Survived'),
  allocated: t('New'),
  freed: t('Freed'),
  blocks: t('Blocks'),
};

export function createCompareGrowth(
  store: Store<ViewState>,
  session: TimelineSession,
  questions: Questions,
): { element: HTMLElement; saved: () => Saved } {
  const panes = createTabs<ComparePane>({
    label: t('Growth shown as'),
    items: COMPARE_PANES.map((value) => ({ value, text: PANE_NAMES[value] })),
    onPick: (pane) => session.chooseCompared({ pane }),
  });
  const table = new DataTable<ComparedRow, CompareSort>({
    class: 'compare-table',
    label: t('Growth from A to B by line'),
    onSort: (sort) => session.chooseCompared({ sort }),
    target: ({ place = null }) => (place?.mapped === true ? place : null),
    open: (line) => session.openSource(line),
  });
  const widths = createChoice<CompareWidth>({
    label: t('Width of the boxes'),
    names: { either: t('The larger of A and B'), after: t('Live in B') },
    onPick: (width) => session.chooseCompared({ width }),
  });
  let items: readonly ComparedItem[] = [];
  let rows: readonly CompareRow[] = [];
  const retry = (): void => {
    for (const question of [questions.compareTable, questions.compareFlame, questions.series]) question.retry();
  };
  const flame = createFlamePane(store, session, {
    label: PANE_NAMES.flame,
    tree: t('Calls from the outermost down, with their growth from A to B'),
    measure: widths.element,
    focused: () => store.get().compareFocus,
    focus: (path) => session.focusCompared(path),
    fold: (folded) => session.chooseCompared({ folded }),
    textOf: (item) => {
      const compared = items.find((one) => one === item);
      return compared === undefined ? '' : comparedText(compared);
    },
    retry,
  });
  const list = createPane({
    class: 'growth-table',
    label: PANE_NAMES.table,
    head: [],
    search: createSearch(store),
    scroller: el('div', { class: 'scroller', tabindex: '0' }, table.element),
    retry,
  });

  const showTable = (): void => {
    const { answer } = questions.compareTable;
    const { compare, filter } = store.get();
    table.element.hidden = answer === null;
    if (answer === null) return;
    const found = filterRows(answer.rows, filter, (row) => ownerName(row, 'whole'));
    rows = sortCompared(found, compare.sort);
    const others = { ...answer.others, name: tCount(answer.otherLines, '1 smaller line', '{0} smaller lines') };
    table.show({
      columns: compareColumns(answer.total.flow !== null),
      rows,
      sort: compare.sort,
      note: rows.length < answer.rows.length ? strings.shown(rows.length, answer.rows.length) : null,
      sums: [...(answer.otherLines === 0 ? [] : [others]), { ...answer.total, name: strings.total }],
    });
  };
  store.follow(({ compare, filter }) => [compare.sort, filter], showTable);
  const failed = (reason: string): string => t('The snapshots could not be compared: {0}', reason);
  const label = t('Growth from A to B');
  const tabs: Record<ComparePane, Tab> = {
    table: tabOf(list, {
      question: questions.compareTable,
      render: showTable,
      table: ({ others, otherLines, rows: all }) =>
        comparedTable(rows, otherLines > 0 && rows.length === all.length ? others : null),
      failed,
      saved: { label, what: 'growth' },
    }),
    flame: tabOf(flame, {
      question: questions.compareFlame,
      render: (answer) => {
        flame.graph.element.hidden = answer === null;
        items = answer === null ? [] : comparedItems(answer);
        flame.graph.show(items, answer?.focus.length ?? 0, (_, index) => comparedDress(items[index]));
        // The focused call may no longer exist.
        if (answer !== null) session.focusCompared(answer.focus.map(({ call }) => answer.calls[call].id));
      },
      table: () => comparedFlameTable(items),
      failed,
      saved: { label: PANE_NAMES.flame, what: 'growth-by-call' },
    }),
  };
  const openFailure = createMessage('error');
  store.watch(({ compare, compareFocus, openError }) => {
    openFailure.show(openError);
    panes.show(compare.pane, tabs[compare.pane].element);
    widths.show(compare.width);
    flame.showControls(compare.folded, compareFocus.length > 0);
  });
  return {
    element: el('section', { class: 'lower compare-growth', 'aria-label': label }, openFailure.element, panes.element),
    saved: () => tabs[store.get().compare.pane].saved,
  };
}

/** A line, or a sum of some under a name. */
type ComparedRow = CompareRow | (CompareCell & { name: string; place?: never });

/** @param hasFlow false if survivors are unknown */
function compareColumns(hasFlow: boolean): Column<ComparedRow, CompareSort>[] {
  const of = (by: CompareSort): Column<ComparedRow, CompareSort> => ({
    text: COLUMNS[by],
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
      const content = blocks === 0 ? '–' : `${byteText(bytes)} · ${countText(blocks)}`;
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
