/** The table tab: the numbers of everything that the page draws, one row for each. */
import type { TimelineSession } from '../actions/session.js';
import { curveRows, curveTable, rowName, type CurveRow } from '../chart/curveRows.js';
import { findItems, flameItems, type FlameItem } from '../flame/flameItems.js';
import { callName, flameTable, itemName } from '../flame/flameText.js';
import { allocationTable } from '../layer/bandTable.js';
import { mapTable } from '../map/mapText.js';
import { segmentTables } from '../map/segmentTable.js';
import type { FlameSort } from '../model/flameState.js';
import { coarse } from '../model/question.js';
import { runOf, type Questions } from '../model/questions.js';
import { drawableExtent } from '../model/range.js';
import type { Store } from '../model/store.js';
import { resize, TABLED, type Tabled, type ViewState } from '../model/viewState.js';
import {
  bytesColumn,
  DataTable,
  nameColumn,
  textColumn,
  type Cell,
  type Column,
  placeCell,
  countColumn,
} from '../parts/dataTable.js';
import { createPane, type Tab } from '../parts/pane.js';
import { createSearch } from '../parts/search.js';
import type { TableData } from '../parts/tableData.js';
import { beforeText, partName, stepsText } from '../run/runText.js';
import { t } from '../../src/core/text/translate.js';
import { strings } from '../text/strings.js';
import { createChoice } from '../ui/choice.js';
import { el } from '../ui/dom.js';
import { countText } from '../../src/core/text/numberText.js';
import { formatShare } from '../text/format.js';

const MAX_PEAKS = 40;

/** A shown table, and its saved form. */
interface Shown {
  elements: HTMLElement[];
  saved: () => TableData | null;
}

export function createTableView(store: Store<ViewState>, session: TimelineSession, questions: Questions): Tab {
  const label = t('Table of');
  const which = createChoice<Tabled>({
    label,
    names: {
      curve: t('Curve'),
      allocations: t('Series in view'),
      calls: t('Calls'),
      segments: t('Segments'),
      run: t('Snapshots of the run'),
    },
    onPick: (tabled) => store.update({ tabled }),
  });
  const scroller = el('div', { class: 'scroller', tabindex: '0' });
  const search = createSearch(store);
  const view = createPane({ class: 'tabled', label, head: [which.element], search, scroller });
  let shown: Shown | null = null;
  const open = (line: { file: string; line: number }): void => session.openSource(line);
  const button = (text: string, title: string, onPress: () => void): Cell => {
    const element = el('button', { class: 'link', title }, text);
    element.addEventListener('click', onPress);
    return { content: element };
  };

  const curve = (): Shown | null => {
    const { curve: answer, range } = store.get();
    if (answer === null || answer.events === 0) return null;
    const where = (row: CurveRow): string =>
      strings.instant(answer.axis === 'time' ? row.x : null, row.event, !answer.hasAllocations);
    const table = new DataTable<CurveRow>({
      class: 'curve-table',
      label: t('The visible curve: its ends, peaks and marks'),
    });
    table.show({
      columns: [
        nameColumn(t('Point'), (row) =>
          button(rowName(row), t('Show live memory: {0}', where(row)), () =>
            session.pin({ event: row.event, axis: answer.axis, x: row.x }),
          ),
        ),
        textColumn(t('Instant'), where),
        bytesColumn(strings.live, ({ live }) => live),
        bytesColumn(strings.reserved, ({ reserved }) => reserved),
      ],
      rows: curveRows(answer, range ?? drawableExtent(answer.extent), MAX_PEAKS),
    });
    return { elements: [table.element], saved: () => curveTable(answer) };
  };

  const allocations = (): Shown | null => {
    const { stacked, wholeBands } = store.get();
    const front = stacked ?? wholeBands;
    return front === null ? null : shownOf(allocationTable(front, open));
  };

  const calls = (): Shown | null => {
    const { answer: flame } = questions.flame;
    if (flame === null) return null;
    const { filter, flame: chosen } = store.get();
    const items = flameItems(flame);
    const found = findItems(items, filter, callName);
    const rows = filter.trim() === '' ? items : items.filter((_, index) => found.has(index));
    const table = new DataTable<FlameItem, FlameSort>({
      class: chosen.sort === 'call' ? 'flame-table in-order' : 'flame-table',
      label: t('Calls from the outermost down, with their live bytes'),
      onSort: (sort) => session.chooseFlame({ sort }),
      target: lineOf,
      open,
    });
    const top = items[flame.focus.length];
    const total = { ...top, self: items.reduce((sum, { self }) => sum + (self ?? 0), 0) };
    table.show({
      columns: callColumns(flame.liveBytes, total),
      rows,
      sort: chosen.sort,
      note: rows.length < items.length ? strings.shown(rows.length, items.length) : null,
      sums: [total],
    });
    return { elements: [table.element], saved: () => flameTable(items) };
  };

  const segments = (): Shown | null => {
    const { answer: map } = questions.map;
    if (map?.hasPlaces !== true) return null;
    return { elements: segmentTables(map, store), saved: () => mapTable(map) };
  };

  const run = (): Shown | null => {
    const answer = runOf(questions.run);
    if (answer === null) return null;
    const { selection } = store.get();
    const { parts } = answer;
    const table = new DataTable<number>({
      class: 'run-table',
      label: t('The whole run: one row for each snapshot'),
      isCurrent: (part) => parts[part].path === selection?.path,
    });
    table.show({
      columns: [
        nameColumn(strings.snapshot, (part) => {
          const name = partName(parts[part]);
          const show = (): void => session.showPart(answer, part);
          return { ...button(name, t('Show the snapshot of {0}', name), show), title: parts[part].path };
        }),
        bytesColumn(strings.live, (part) => parts[part].liveBytes),
        bytesColumn(strings.reserved, (part) => parts[part].reservedBytes),
        textColumn(t('Marked steps'), (part) => stepsText(answer, part)),
        textColumn(t('History'), (part) => beforeText(answer, part)),
      ],
      rows: parts.map((_, part) => part),
    });
    return shownOf(table);
  };

  const tables = { curve, allocations, calls, segments, run };
  const whyNothing = (tabled: Tabled): string => {
    if (tabled === 'segments' && questions.map.answer !== null) return strings.mapWithoutPlaces;
    return store.get().curve?.events === 0 ? strings.noEvents : t('Nothing to list yet.');
  };
  const draw = (): void => {
    const { pane, tabled } = store.get();
    if (pane !== 'table') return;
    which.show(
      tabled,
      TABLED.filter((one) => one !== 'run' || (runOf(questions.run)?.parts.length ?? 0) > 1),
    );
    search.hidden = tabled !== 'calls';
    shown = tables[tabled]();
    const { loading, error } = (tabled === 'calls' ? questions.flame : questions.map).store.get();
    const asked = tabled === 'calls' || tabled === 'segments';
    const failed = tabled === 'calls' ? strings.flameFailed : strings.mapFailed;
    view.stand({ loading: asked && loading, error: asked && error !== null ? failed(error) : null });
    scroller.replaceChildren(...(shown?.elements ?? [el('p', { class: 'secondary' }, whyNothing(tabled))]));
  };
  store.follow(
    ({ pane, tabled, curve, range, stacked, wholeBands, filter, flame, mapSort, selection }) =>
      pane === 'table' ? [tabled, curve, range, stacked, wholeBands, filter, flame, mapSort, selection] : [],
    draw,
  );
  for (const { store: own } of [questions.flame, questions.map, questions.run]) (own as Store<object>).watch(draw);
  new ResizeObserver(() => {
    const { clientWidth: mapPixels } = scroller;
    resize(store, { flamePixels: coarse(mapPixels), mapPixels });
  }).observe(scroller);
  return {
    element: view.element,
    saved: {
      label: strings.paneName.table,
      get what() {
        return store.get().tabled;
      },
      table: () => shown?.saved() ?? null,
    },
  };
}

function shownOf(table: Pick<DataTable<unknown>, 'element' | 'saved'>): Shown {
  return { elements: [table.element], saved: () => table.saved() };
}

function lineOf({ call }: FlameItem): { file: string; line: number } | null {
  return call?.mapped === true && call.line > 0 ? call : null;
}

function callColumns(live: number, total: FlameItem): Column<FlameItem, FlameSort>[] {
  const nameOf = (item: FlameItem): Cell => {
    if (item === total) return { content: strings.total };
    const content = el('span', { class: 'depth' }, placeCell(itemName(item), lineOf(item) !== null).content);
    content.style.setProperty('--depth', String(item.level - 1));
    return { content };
  };
  return [
    nameColumn(t('Call'), nameOf, 'call'),
    {
      text: t('Level'),
      kind: 'number',
      cell: (item) => ({ content: item === total ? '' : countText(item.level - 1) }),
    },
    bytesColumn(t('Own bytes'), ({ self }) => self, 'self'),
    bytesColumn(t('Bytes'), ({ bytes }) => bytes, 'bytes'),
    { text: strings.columnShare, kind: 'number', cell: ({ bytes }) => ({ content: formatShare(bytes, live) }) },
    countColumn(t('Blocks'), ({ blocks }) => blocks, 'blocks'),
  ];
}
