/** The growth between two snapshots: by line as a table, by call as a difference flame graph. */
import type { CompareWidth } from '../../src/protocol/compareData.js';
import { el } from '../ui/dom.js';
import { createFlamePane } from '../flame/flamePane.js';
import type { Saved } from '../parts/saveMenu.js';
import { comparedFlameTable, comparedTable, type ComparedRow } from './compareTables.js';
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
import { DataTable, placeCell, textCell, type Cell, type Column, nameColumn, bytesColumn } from '../parts/dataTable.js';
import { filterRows, byLine } from '../parts/rowOrder.js';
import { ownerName } from '../layer/bandText.js';
import type { ViewState } from '../model/viewState.js';
import { comparedDress, comparedItems, comparedText, type ComparedItem } from './compareFlame.js';
import { COMPARE_PANES, type ComparePane, type CompareSort } from '../model/compareState.js';
import { byteText, countText } from '../../src/core/text/numberText.js';
import { formatExactBytes } from '../text/format.js';
import { growthOf, growthText, signedExactBytes } from './growthText.js';

const PANE_NAMES: Record<ComparePane, string> = { table: t('Table'), flame: t('Difference flame graph') };
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
    const rows = filterRows(answer.rows, filter, (row) => ownerName(row, 'whole')).sort(
      (a, b) => b.bytesB - a.bytesB || byPlace(a, b),
    );
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
      table: ({ others, otherLines, rows }) =>
        comparedTable([
          ...table.rows,
          ...(otherLines > 0 && table.rows.length === rows.length ? [{ ...others, name: t('All other lines') }] : []),
        ]),
      failed,
      saved: { label, what: 'growth' },
    }),
    flame: tabOf(flame, {
      question: questions.compareFlame,
      render: (answer) => {
        flame.graph.element.hidden = answer === null;
        items = answer === null ? [] : comparedItems(answer);
        flame.graph.show(items, answer?.focus.length ?? 0, (_, index) => comparedDress(items[index]));
        flame.takeFocus(questions.compareFlame);
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

/** @param hasFlow false if survivors are unknown */
function compareColumns(hasFlow: boolean): Column<ComparedRow, CompareSort>[] {
  /** A column that sorts by a figure, the largest first. */
  const figures = (
    by: CompareSort,
    text: string,
    figure: (row: ComparedRow) => number,
    cell: (row: ComparedRow) => Cell,
  ): Column<ComparedRow, CompareSort> => ({
    ...{ text, kind: 'number', cell },
    sort: { by, order: 'descending', compare: (a, b) => figure(b) - figure(a) },
  });
  const flow = (by: 'survived' | 'allocated' | 'freed', text: string): Column<ComparedRow, CompareSort> => {
    const of = (row: ComparedRow) => row.flow?.[by] ?? { bytes: 0, blocks: 0 };
    const cell = (row: ComparedRow): Cell => {
      const { bytes, blocks } = of(row);
      const content = blocks === 0 ? '–' : `${byteText(bytes)} · ${countText(blocks)}`;
      return { content, title: formatExactBytes(bytes) };
    };
    return figures(by, text, (row) => of(row).bytes, cell);
  };
  return [
    nameColumn(
      t('Line'),
      (row) => ('name' in row ? { content: row.name } : placeCell(ownerName(row, 'whole'), row.place?.mapped === true)),
      'line',
      byPlace,
    ),
    figures(
      'growthBytes',
      t('Growth'),
      ({ growthBytes }) => Math.abs(growthBytes),
      ({ growthBytes }) => ({
        content: growthText(growthBytes),
        title: signedExactBytes(growthBytes),
        class: `growth of-${growthOf(growthBytes)}`,
      }),
    ),
    bytesColumn(t('In A'), ({ bytesA }) => bytesA, 'bytesA'),
    bytesColumn(t('In B'), ({ bytesB }) => bytesB, 'bytesB'),
    ...(hasFlow ? [flow('survived', t('Survived')), flow('allocated', t('New')), flow('freed', t('Freed'))] : []),
    figures(
      'blocks',
      t('Blocks'),
      ({ blocksA, blocksB }) => blocksB - blocksA,
      ({ blocksA, blocksB }) => ({ content: `${countText(blocksA)} → ${countText(blocksB)}` }),
    ),
    { text: strings.columnFunction, kind: 'function', cell: ({ place }) => textCell(place?.function ?? '') },
  ];
}

function byPlace(a: ComparedRow, b: ComparedRow): number {
  return byLine(a.place ?? null, b.place ?? null);
}
