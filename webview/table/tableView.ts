/** The table tab: the numbers of everything that the page draws, one row for each. */
import type { MapSegment, MemoryMapAnswer } from '../../src/protocol/mapData.js';
import type { RunCurve } from '../../src/protocol/runData.js';
import { curveRows, rowName, type CurveRow } from '../chart/curveRows.js';
import { drawableExtent } from '../chart/range.js';
import { el } from '../dom.js';
import type { Saved } from '../export/saveMenu.js';
import { savedName } from '../export/savedName.js';
import { curveTable, flameTable, mapTable } from '../export/savedTables.js';
import type { TableData } from '../export/tableData.js';
import { findItems, flameItems, type FlameItem } from '../flame/flameItems.js';
import type { FlameSession } from '../flame/flameSession.js';
import type { FlameSort } from '../flame/flameState.js';
import { callName, itemName } from '../flame/flameText.js';
import { formatCount, formatShare } from '../format.js';
import { groupName, seriesName } from '../layer/bandText.js';
import type { StackedBands } from '../layer/stackedBands.js';
import type { MapSession } from '../map/mapSession.js';
import { kindText, poolText } from '../map/mapText.js';
import { createPane } from '../pane.js';
import type { RunSession } from '../run/runSession.js';
import { beforeText, partName, stepsText } from '../run/runText.js';
import { createSearch } from '../search.js';
import type { TimelineSession } from '../session.js';
import type { Store } from '../store.js';
import { strings } from '../strings.js';
import { createChoice } from '../ui/choice.js';
import { coarse } from '../question.js';
import { resize, TABLED, type SegmentSort, type Tabled, type ViewState } from '../viewState.js';
import {
  bytesColumn,
  countColumn,
  DataTable,
  nameColumn,
  placeCell,
  tableOf,
  textColumn,
  type Cell,
  type Column,
} from './dataTable.js';

const MAX_PEAKS = 40;

interface Sources {
  session: TimelineSession;
  flames: FlameSession;
  maps: MapSession;
  runs: RunSession;
}

/** A shown table, and its saved form. */
interface Shown {
  elements: HTMLElement[];
  saved: () => TableData | null;
}

export function createTableView(store: Store<ViewState>, sources: Sources): { element: HTMLElement; saved: Saved } {
  const { session, flames, maps, runs } = sources;
  const which = createChoice<Tabled>({
    label: strings.tabled,
    names: strings.tabledName,
    onPick: (tabled) => store.update({ tabled }),
  });
  const scroller = el('div', { class: 'scroller', attributes: { tabindex: '0' } });
  const search = createSearch(store);
  const view = createPane({ class: 'tabled', label: strings.tabled, head: [which.element], search, scroller });
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
    const table = new DataTable<CurveRow>({ class: 'curve-table', label: strings.curveTable });
    table.show({
      columns: [
        nameColumn(strings.columnPoint, (row) =>
          button(rowName(row), strings.lookIntoAt(where(row)), () =>
            session.pin({ event: row.event, axis: answer.axis, x: row.x }),
          ),
        ),
        textColumn(strings.columnInstant, where),
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
    return front === null ? null : withElement(allocationTable(front, open));
  };

  const calls = (): Shown | null => {
    const { answer: flame } = flames.store.get();
    if (flame === null) return null;
    const { filter, flame: chosen } = store.get();
    const items = flameItems(flame);
    const found = findItems(items, filter, callName);
    const rows = filter.trim() === '' ? items : items.filter((_, index) => found.has(index));
    const table = new DataTable<FlameItem, FlameSort>({
      class: chosen.sort === 'call' ? 'flame-table in-order' : 'flame-table',
      label: strings.flameTable,
      onSort: (sort) => flames.choose({ sort }),
      target: lineOf,
      open,
    });
    const top = items[flame.focus.length];
    const total = { ...top, self: items.reduce((sum, { self }) => sum + (self ?? 0), 0) };
    table.show({
      columns: callColumns(flame.liveBytes, total),
      rows: sortItems(rows, chosen.sort),
      sort: chosen.sort,
      note: rows.length < items.length ? strings.shown(rows.length, items.length) : null,
      sums: [total],
    });
    return { elements: [table.element], saved: () => flameTable(items) };
  };

  const segments = (): Shown | null => {
    const { answer: map } = maps.store.get();
    if (map?.hasPlaces !== true) return null;
    return { elements: segmentTables(map, store), saved: () => mapTable(map) };
  };

  const run = (): Shown | null => {
    const answer = runs.run;
    if (answer === null) return null;
    const { selection } = store.get();
    const table = new DataTable<number>({
      class: 'run-table',
      label: strings.runTable,
      isCurrent: (part) => answer.parts[part].path === selection?.path,
    });
    table.show({
      columns: runColumns(answer, (part, name) => button(name, strings.showPartOf(name), () => runs.show(part))),
      rows: answer.parts.map((_, part) => part),
    });
    return withElement(table.element);
  };

  const tables = { curve, allocations, calls, segments, run };
  const whyNothing = (tabled: Tabled): string => {
    if (tabled === 'segments' && maps.store.get().answer !== null) return strings.mapWithoutPlaces;
    return store.get().curve?.events === 0 ? strings.noEvents : strings.nothingTabled;
  };
  const draw = (): void => {
    const { pane, tabled } = store.get();
    if (pane !== 'table') return;
    which.show(
      tabled,
      TABLED.filter((one) => one !== 'run' || (runs.run?.parts.length ?? 0) > 1),
    );
    search.hidden = tabled !== 'calls';
    shown = tables[tabled]();
    const { loading, error } = tabled === 'calls' ? flames.store.get() : maps.store.get();
    const asked = tabled === 'calls' || tabled === 'segments';
    const failed = tabled === 'calls' ? strings.flameFailed : strings.mapFailed;
    view.stand({ loading: asked && loading, error: asked && error !== null ? failed(error) : null });
    scroller.replaceChildren(...(shown?.elements ?? [el('p', { class: 'secondary' }, whyNothing(tabled))]));
  };
  store.watch((state, before) => {
    const keys = [
      'pane',
      'tabled',
      'curve',
      'range',
      'stacked',
      'wholeBands',
      'filter',
      'flame',
      'mapSort',
      'selection',
    ] as const;
    if (state === before || keys.some((key) => state[key] !== before[key])) draw();
  });
  for (const { store: own } of [flames, maps, runs]) (own as Store<object>).watch(draw);
  new ResizeObserver(() => {
    const { clientWidth: mapPixels } = scroller;
    resize(store, { flamePixels: coarse(mapPixels), mapPixels });
  }).observe(scroller);
  return {
    element: view.element,
    saved: {
      label: strings.paneName.table,
      name: () => savedName(store.get(), store.get().tabled),
      table: () => shown?.saved() ?? null,
    },
  };
}

function withElement(table: HTMLTableElement): Shown {
  return { elements: [table], saved: () => tableOf(table) };
}

function allocationTable(
  { values, bands, blockOffset }: StackedBands,
  open: (line: { file: string; line: number }) => void,
): HTMLTableElement {
  interface Band {
    series: number;
    highest: number;
    of: Float64Array;
  }
  const rows = values
    .map((of, series): Band => ({ series, of, highest: of.reduce((most, value) => Math.max(most, value), 0) }))
    .filter(({ highest }) => highest > 0)
    .sort((a, b) => b.highest - a.highest);
  const placeOf = ({ series }: Band) => bands.allSeries.at(series)?.place ?? null;
  const table = new DataTable<Band>({
    class: 'band-table',
    label: strings.bandTable,
    target: (row) => (placeOf(row)?.mapped === true ? placeOf(row) : null),
    open,
  });
  table.show({
    columns: [
      nameColumn(strings.columnBand, (row) =>
        placeCell(seriesName(bands, row.series, 'whole'), placeOf(row)?.mapped === true),
      ),
      textColumn(strings.columnGroup, ({ series }) => groupName(bands, series)),
      bytesColumn(strings.columnHighest, ({ highest }) => highest),
      bytesColumn(strings.columnFirst, ({ of }) => of[0]),
      bytesColumn(strings.columnLast, ({ of }) => of[of.length - 1]),
      countColumn(strings.columnAllocations, ({ series }) => blockOffset[series + 1] - blockOffset[series]),
    ],
    rows,
  });
  return table.element;
}

function lineOf({ call }: FlameItem): { file: string; line: number } | null {
  return call?.mapped === true && call.line > 0 ? call : null;
}

function callColumns(live: number, total: FlameItem): Column<FlameItem, FlameSort>[] {
  const { flameColumn: names } = strings;
  const nameOf = (item: FlameItem): Cell => {
    if (item === total) return { content: strings.total };
    const content = el('span', { class: 'depth' }, placeCell(itemName(item), lineOf(item) !== null).content);
    content.style.setProperty('--depth', String(item.level - 1));
    return { content };
  };
  return [
    nameColumn(names.call, nameOf, 'call'),
    {
      text: strings.columnLevel,
      kind: 'number',
      cell: (item) => ({ content: item === total ? '' : formatCount(item.level - 1) }),
    },
    bytesColumn(names.self, ({ self }) => self, 'self'),
    bytesColumn(names.bytes, ({ bytes }) => bytes, 'bytes'),
    { text: strings.columnShare, kind: 'number', cell: ({ bytes }) => ({ content: formatShare(bytes, live) }) },
    countColumn(names.blocks, ({ blocks }) => blocks, 'blocks'),
  ];
}

/** A sorted copy; unknown values come last, equal ones have the order of the graph. */
function sortItems(items: readonly FlameItem[], sort: FlameSort): FlameItem[] {
  if (sort === 'call') return [...items];
  return [...items].sort((a, b) => (b[sort] ?? -1) - (a[sort] ?? -1));
}

type Amounts = Pick<MapSegment, 'reservedBytes' | 'liveBytes' | 'freeBytes' | 'largestFreeBytes'>;
type SegmentRow = Amounts & { name: string; kind: string; stream: string; pinned: string };

/** A row for each segment that is drawn, one for the others, and their sum; the same by pool. */
function segmentTables(map: MemoryMapAnswer, store: Store<ViewState>): HTMLElement[] {
  const { others, total, pools } = map;
  const { mapSort } = store.get();
  const amounts = (['reservedBytes', 'liveBytes', 'freeBytes', 'largestFreeBytes'] as const).map(
    (by): Column<Amounts, SegmentSort> => bytesColumn(strings.segmentColumn[by], (row) => row[by], by),
  );
  const table = new DataTable<SegmentRow, SegmentSort>({
    class: 'segment-table',
    label: strings.segmentTable,
    onSort: (sort) => store.update({ mapSort: sort }),
  });
  const sumRow = (name: string, of: typeof total): SegmentRow => ({
    ...of,
    name,
    kind: '',
    stream: '',
    pinned: formatCount(of.pinnedSegments),
  });
  const rows = sortSegments(map.segments, mapSort).map((segment): SegmentRow => {
    const pool = pools[segment.pool];
    const stream = pool.stream === '' ? strings.unknown : pool.stream;
    return {
      ...segment,
      name: segment.address,
      kind: kindText(pool),
      stream,
      pinned: segment.isPinned ? strings.pinned : '',
    };
  });
  table.show({
    columns: [
      nameColumn(strings.columnAddress, ({ name }) => ({ content: name }), 'address'),
      textColumn(strings.columnPoolAndKind, ({ kind }) => kind),
      textColumn(strings.columnStream, ({ stream }) => stream),
      ...amounts,
      textColumn(strings.columnPinned, ({ pinned }) => pinned),
    ],
    rows: others.segments > 0 ? [...rows, sumRow(strings.restOfSegments, others)] : rows,
    sort: mapSort,
    sums: [sumRow(strings.total, total)],
  });
  type PoolRow = typeof total & { name: string };
  const byPool = new DataTable<PoolRow>({ class: 'pool-table', label: strings.poolTable });
  byPool.show({
    columns: [
      nameColumn(strings.columnPool, ({ name }) => ({ content: name })),
      countColumn(strings.columnSegments, ({ segments }) => segments),
      ...amounts.map(({ text, kind = 'number', cell }): Column<PoolRow> => ({ text, kind, cell })),
      countColumn(strings.columnPinned, ({ pinnedSegments }) => pinnedSegments),
    ],
    rows: pools.map((pool) => ({ ...pool, name: poolText(pool) })),
    sums: [{ ...total, name: strings.total }],
  });
  return [table.element, byPool.element];
}

/** A sorted copy: the lowest address first, or the largest value; equal ones have the order of the map. */
function sortSegments(segments: readonly MapSegment[], sort: SegmentSort): MapSegment[] {
  if (sort !== 'address') return [...segments].sort((a, b) => b[sort] - a[sort]);
  // Of two numbers without leading zeros the longer is the larger one.
  const byText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
  return [...segments].sort((a, b) => a.address.length - b.address.length || byText(a.address, b.address));
}

function runColumns(run: RunCurve, action: (part: number, name: string) => Cell): Column<number>[] {
  const { parts } = run;
  return [
    nameColumn(strings.snapshot, (part) => ({ ...action(part, partName(parts[part])), title: parts[part].path })),
    bytesColumn(strings.live, (part) => parts[part].liveBytes),
    bytesColumn(strings.reserved, (part) => parts[part].reservedBytes),
    textColumn(strings.columnSteps, (part) => stepsText(run, part)),
    textColumn(strings.columnHistory, (part) => beforeText(run, part)),
  ];
}
