/** The tabs of lines and stacks: live at the cursor, or allocated in view and still live. */
import type { AllocatedIn, LiveAt, OwnerSums, LiveLine } from '../../src/protocol/timelineData.js';
import { el } from '../ui/dom.js';
import { liveTable } from './rows.js';
import { whenOf } from '../text/instant.js';
import { swatchOf } from '../layer/swatches.js';
import type { Question } from '../model/question.js';
import { createPane, type Tab } from '../parts/pane.js';
import { fileAndLine } from '../../src/core/text/pathText.js';
import { pathEnd } from '../text/place.js';
import { createSearch } from '../parts/search.js';
import type { TimelineSession } from '../actions/session.js';
import type { Store } from '../model/store.js';
import { strings } from '../text/strings.js';
import {
  DataTable,
  bytesColumn,
  countColumn,
  nameColumn,
  placeCell,
  textCell,
  type Cell,
  type Column,
} from '../parts/dataTable.js';
import { filterRows } from '../parts/rowOrder.js';
import { createChoice } from '../ui/choice.js';
import type { Listing, LiveSort, ViewState } from '../model/viewState.js';
import { ownerRows, sortRows, sumOf, tellApart, type LiveRow } from './rows.js';
import { formatShare } from '../text/format.js';

export function createLiveView(
  store: Store<ViewState>,
  session: TimelineSession,
  allocated: Question<'allocatedIn'>,
): Tab {
  let shown: readonly LiveRow[] = [];
  const listing = createChoice<Listing>({
    label: strings.listing,
    names: strings.listingName,
    onPick: (value) => store.update({ listing: value }),
  });
  const table = new DataTable<ListRow, LiveSort>({
    class: 'live-table',
    label: strings.liveTable,
    onSort: (sort) => store.update({ sort }),
    target: (row) => (row.kind === 'line' && row.line.mapped ? row.line : null),
    open: (line) => session.openSource(line),
    isCurrent: (row) => row.kind === 'line' && row.pointedOut,
  });
  const nothing = el('p', { class: 'secondary' }, strings.nothingMatches);
  const scroller = el('div', { class: 'scroller', attributes: { tabindex: '0' } }, table.element, nothing);
  const pane = createPane({
    class: 'lines',
    label: strings.liveTable,
    head: [listing.element],
    search: createSearch(store),
    scroller,
    retry: () => {
      (store.get().listing === 'allocated' ? allocated : session.live).retry();
    },
  });

  const listed = (): Listed | null => listedIn(store.get(), allocated.answer);
  const draw = (): void => {
    const state = store.get();
    const shownList = listed();
    if (shownList === null) return;
    const { sums, bytes, name } = shownList;
    const all = ownerRows(sums, bytes, state.highlight);
    const rows = sortRows(filterRows(all, state.filter, textOf), state.sort);
    shown = rows;
    const sum = (name: string, of: readonly LiveRow[]) => ({ kind: 'sum' as const, name, ...sumOf(of) });
    const total = { ...sum(`${strings.total} ${name}`, all), bytes };
    table.show({
      columns: liveColumns(bytes, tellApart(all), (row) => (row.kind === 'line' ? swatchOf(state, row.line) : null)),
      rows,
      sort: state.sort,
      sums: rows.length === all.length ? [total] : [sum(strings.shown(rows.length, all.length), rows), total],
    });
    nothing.hidden = rows.length > 0 || state.filter === '';
  };
  const stand = (): void => {
    const state = store.get();
    const { pin, live, curve } = state;
    const { loading, error } = (state.listing === 'live' ? session.live : allocated).store.get();
    const event = pin?.event ?? (curve?.events ?? 0) - 1;
    listing.show(state.listing);
    pane.stand({ loading, error: error === null ? null : strings.liveFailed(error) });
    scroller.classList.toggle('stale', state.listing === 'live' && live !== null && live.event !== event);
    const summary = listed()?.summary;
    scroller.hidden = summary === undefined;
    pane.summarize(summary ?? '');
  };
  const follow = (): void => {
    draw();
    table.revealCurrent();
  };
  store.follow(({ listing, live }) => [listing === 'live' ? live : null], follow);
  allocated.store.follow(({ answer }) => [answer], follow);
  store.follow(({ sort, filter, highlight, wholeBands }) => [sort, filter, highlight, wholeBands], draw);
  store.watch(stand);
  for (const question of [session.live, allocated]) (question.store as Store<object>).watch(stand);

  return {
    element: pane.element,
    saved: {
      label: strings.listing,
      get what() {
        return store.get().listing;
      },
      table: () => (listed() === null ? null : liveTable(shown)),
    },
  };
}

interface Listed {
  sums: OwnerSums;
  /** The sum of the rows, and its name. */
  bytes: number;
  name: string;
  summary: string;
}

/** The shown list, or null. */
function listedIn(state: ViewState, allocated: AllocatedIn | null): Listed | null {
  const { live } = state;
  if (state.listing === 'live') {
    if (live === null) return null;
    const { liveBytes: bytes } = live;
    return { sums: live, bytes, name: strings.totalIsLive(bytes), summary: summaryOf(live, state) };
  }
  if (allocated === null) return null;
  const { aliveBytes: bytes } = allocated;
  return { sums: allocated, bytes, name: strings.totalIsAlive(bytes), summary: allocatedSummary(allocated) };
}

function summaryOf(live: LiveAt, state: ViewState): string {
  const places = placesOf(live);
  return strings.summary(whenOf(live, state), live.liveBytes, live.reservedBytes, places, largestOf(live));
}

function allocatedSummary(allocated: AllocatedIn): string {
  if (allocated.last < allocated.first) return strings.nothingAllocated;
  const { aliveBytes, aliveBlocks, allocatedBytes, allocatedBlocks } = allocated;
  return strings.allocatedSummary(
    { aliveBytes, aliveBlocks, allocatedBytes, allocatedBlocks },
    placesOf(allocated),
    largestOf(allocated),
  );
}

/** How many lines there are; a line may have several stacks. */
function placesOf({ lines }: OwnerSums): number {
  return new Set(lines.map(({ file, line, function: name }) => `${file}\n${line}\n${name}`)).size;
}

function largestOf({ lines }: OwnerSums): string | null {
  const largest = lines.at(0);
  return largest === undefined ? null : strings.lineWithBytes(largest.file, largest.line, largest.bytes);
}

/** The filtered text: the visible text of a row. */
function textOf(row: LiveRow): string {
  if (row.kind !== 'line') return strings[row.kind];
  const { file, line, function: name, frames } = row.line;
  return [`${fileAndLine({ file, line })} ${name}`, ...(frames ?? []).map((frame) => frame.function)].join(' ');
}

/** A row of the list, or a sum of some. */
type ListRow = LiveRow | { kind: 'sum'; name: string; bytes: number; blocks: number };

/** @param whole the total of the rows @param callers frames that distinguish stacks of one line */
function liveColumns(
  whole: number,
  callers: ReadonlyMap<LiveLine, string>,
  swatch: (row: ListRow) => HTMLElement | null,
): Column<ListRow, LiveSort>[] {
  return [
    bytesColumn(strings.columnBytes, ({ bytes }) => bytes, 'bytes'),
    { text: strings.columnShare, kind: 'share', cell: (row) => shareCell(row, whole) },
    countColumn(strings.columnBlocks, ({ blocks }) => blocks, 'blocks'),
    nameColumn(strings.columnLine, (row) => lineCell(row, callers, swatch(row)), 'line'),
    { text: strings.columnFunction, kind: 'function', cell: functionCell },
  ];
}

function shareCell({ kind, bytes }: ListRow, whole: number): Cell {
  const percent = el('span', { class: 'percent' }, formatShare(bytes, whole));
  if (kind === 'sum') return { content: percent };
  const bar = el('span', { class: 'bar', attributes: { 'aria-hidden': 'true' } });
  bar.style.setProperty('--share', String(Math.min(1, Math.max(0, bytes / whole))));
  return { content: el('span', {}, bar, percent) };
}

function lineCell(row: ListRow, callers: ReadonlyMap<LiveLine, string>, swatch: HTMLElement | null): Cell {
  const content = el('span', {}, ...(swatch === null ? [] : [swatch]));
  if (row.kind === 'sum') content.append(row.name);
  else if (row.kind !== 'line') content.append(strings[row.kind]);
  else {
    if (row.pointedOut) content.append(el('span', { class: 'pointer', title: strings.pointedOut }, '▶ '));
    const name = fileAndLine({ ...row.line, file: pathEnd(row.line.file) });
    content.append(el('span', { class: 'name' }, placeCell(name, row.line.mapped).content));
    const caller = callers.get(row.line);
    if (caller !== undefined) content.append(el('span', { class: 'caller' }, `← ${caller}`));
    if (!row.line.mapped) content.append(el('span', { class: 'secondary' }, `(${strings.notMapped})`));
  }
  return row.kind === 'line' ? { content, title: fileAndLine(row.line) } : { content };
}

function functionCell(row: ListRow): Cell {
  if (row.kind === 'sum') return { content: '' };
  if (row.kind === 'line') return stackCell(row.line);
  const hints = {
    library: strings.libraryHint,
    beforeRecording: strings.beforeRecordingHint,
    noStack: strings.noStackHint,
    unexplained: strings.unexplainedHint,
  };
  return { content: hints[row.kind], class: 'secondary' };
}

/** The function of a line; of a stack, who called whom. */
function stackCell({ frames, hiddenFrames, function: name }: LiveLine): Cell {
  if (frames === null) return textCell(name);
  const title = [
    ...frames.map((frame) => `${fileAndLine(frame)} ${frame.function}`),
    ...(hiddenFrames === 0 ? [] : [strings.hiddenNative(hiddenFrames)]),
  ];
  return { content: frames.map((frame) => frame.function).join(' \u2190 '), title: title.join('\n') };
}
