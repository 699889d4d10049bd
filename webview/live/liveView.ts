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
import { t, tCount } from '../../src/core/text/translate.js';
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
import { bucketName, byRow, ownerRows, sumOf, tellApart, type ListRow, type LiveRow } from './rows.js';
import { formatShare, formatExactBytes } from '../text/format.js';
import { byteText, countText } from '../../src/core/text/numberText.js';

export function createLiveView(
  store: Store<ViewState>,
  session: TimelineSession,
  allocated: Question<'allocatedIn'>,
): Tab {
  const label = t('Live memory by line');
  const listing = createChoice<Listing>({
    label: t('Live memory'),
    names: { live: t('At cursor'), allocated: t('Allocated in view, still live') },
    onPick: (value) => store.update({ listing: value }),
  });
  const table = new DataTable<ListRow, LiveSort>({
    class: 'live-table',
    label,
    onSort: (sort) => store.update({ sort }),
    target: (row) => (row.kind === 'line' && row.line.mapped ? row.line : null),
    open: (line) => session.openSource(line),
    isCurrent: (row) => row.kind === 'line' && row.pointedOut,
  });
  const nothing = el('p', { class: 'secondary' }, t('No line matches the filter.'));
  const scroller = el('div', { class: 'scroller', tabindex: '0' }, table.element, nothing);
  const pane = createPane({
    class: 'lines',
    label,
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
    const rows = filterRows(all, state.filter, textOf);
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
    pane.stand({ loading, error: error === null ? null : t('The live memory could not be read: {0}', error) });
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
      label: t('Live memory'),
      get what() {
        return store.get().listing;
      },
      table: () => (listed() === null ? null : liveTable(table.rows)),
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
    return {
      sums: live,
      bytes,
      name: t('= live bytes, {0}', formatExactBytes(bytes)),
      summary: summaryOf(live, state),
    };
  }
  if (allocated === null) return null;
  const { aliveBytes: bytes } = allocated;
  return {
    sums: allocated,
    bytes,
    name: t('= allocated in view and live at the end, {0}', formatExactBytes(bytes)),
    summary: allocatedSummary(allocated),
  };
}

function summaryOf(live: LiveAt, state: ViewState): string {
  const when = whenOf(live, state);
  const { reservedBytes: reserved, liveBytes } = live;
  const amount =
    reserved === null
      ? t('{0}: {1} live', when, byteText(liveBytes))
      : t('{0}: {1} live of {2} reserved', when, byteText(liveBytes), byteText(reserved));
  const largest = largestOf(live);
  return largest === null
    ? t('{0}, none of it held by a line of Python.', amount)
    : t('{0}, held by {1}, most by {2}.', amount, placesOf(live), largest);
}

function allocatedSummary(sums: AllocatedIn): string {
  if (sums.last < sums.first) return t('No event in view.');
  const allocated = tCount(
    sums.allocatedBlocks,
    '{1} in 1 allocation in view',
    '{1} in {0} allocations in view',
    byteText(sums.allocatedBytes),
  );
  if (sums.aliveBlocks === 0) return t('{0}; none is live at the end.', allocated);
  const [bytes, blocks] = [byteText(sums.aliveBytes), countText(sums.aliveBlocks)];
  const largest = largestOf(sums);
  return largest === null
    ? t('{0}; {1} in {2} are live at the end.', allocated, bytes, blocks)
    : t('{0}; {1} in {2} are live at the end, of {3}, most of {4}.', allocated, bytes, blocks, placesOf(sums), largest);
}

/** How many lines there are; a line may have several stacks. */
function placesOf({ lines }: OwnerSums): string {
  const { size } = new Set(lines.map(({ file, line, function: name }) => `${file}\n${line}\n${name}`));
  return tCount(size, '1 line', '{0} lines');
}

function largestOf({ lines }: OwnerSums): string | null {
  const largest = lines.at(0);
  if (largest === undefined) return null;
  return `${fileAndLine({ ...largest, file: pathEnd(largest.file) })} (${byteText(largest.bytes)})`;
}

/** The filtered text: the visible text of a row. */
function textOf(row: LiveRow): string {
  if (row.kind !== 'line') return bucketName(row);
  const { file, line, function: name, frames } = row.line;
  return [`${fileAndLine({ file, line })} ${name}`, ...(frames ?? []).map((frame) => frame.function)].join(' ');
}

/** @param whole the total of the rows @param callers frames that distinguish stacks of one line */
function liveColumns(
  whole: number,
  callers: ReadonlyMap<LiveLine, string>,
  swatch: (row: ListRow) => HTMLElement | null,
): Column<ListRow, LiveSort>[] {
  return [
    bytesColumn(t('Bytes'), ({ bytes }) => bytes, 'bytes'),
    { text: strings.columnShare, kind: 'share', cell: (row) => shareCell(row, whole) },
    countColumn(t('Blocks'), ({ blocks }) => blocks, 'blocks'),
    nameColumn(t('Line'), (row) => lineCell(row, callers, swatch(row)), 'line', byRow),
    { text: strings.columnFunction, kind: 'function', cell: functionCell },
  ];
}

function shareCell({ kind, bytes }: ListRow, whole: number): Cell {
  const percent = el('span', { class: 'percent' }, formatShare(bytes, whole));
  if (kind === 'sum') return { content: percent };
  const bar = el('span', { class: 'bar', 'aria-hidden': 'true' });
  bar.style.setProperty('--share', String(Math.min(1, Math.max(0, bytes / whole))));
  return { content: el('span', {}, bar, percent) };
}

function lineCell(row: ListRow, callers: ReadonlyMap<LiveLine, string>, swatch: HTMLElement | null): Cell {
  const content = el('span', {}, ...(swatch === null ? [] : [swatch]));
  if (row.kind !== 'line') content.append(bucketName(row));
  else {
    if (row.pointedOut) content.append(el('span', { class: 'pointer', title: t('The line you came from') }, '▶ '));
    const name = fileAndLine({ ...row.line, file: pathEnd(row.line.file) });
    content.append(el('span', { class: 'name' }, placeCell(name, row.line.mapped).content));
    const caller = callers.get(row.line);
    if (caller !== undefined) content.append(el('span', { class: 'caller' }, `← ${caller}`));
    if (!row.line.mapped) content.append(el('span', { class: 'secondary' }, `(${t('not in this workspace')})`));
  }
  return row.kind === 'line' ? { content, title: fileAndLine(row.line) } : { content };
}

function functionCell(row: ListRow): Cell {
  if (row.kind === 'sum') return { content: '' };
  if (row.kind === 'line') return stackCell(row.line);
  const hints = {
    library: t('No line of yours is on the stack'),
    beforeRecording: t('Allocated before the recording began'),
    noStack: t('Allocated where no Python ran, or recorded without stacks'),
    unexplained: t('Difference between the history and the list of blocks'),
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
