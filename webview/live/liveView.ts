/** Under the chart: what is live at the pinned instant, or what the view has brought, in a sentence and in a table. */
import type { BornIn, ListedBy, LiveAt, OwnerSums } from '../../src/protocol/timelineData.js';
import { el, setText } from '../dom.js';
import type { Exporter } from '../export/exporter.js';
import { createExportMenu } from '../export/exportMenu.js';
import { savedName } from '../export/savedName.js';
import { liveTable } from '../export/savedTables.js';
import { createMessage } from '../message.js';
import type { TimelineSession } from '../session.js';
import type { Store } from '../store.js';
import { placeText } from '../place.js';
import { strings } from '../strings.js';
import { createRadioGroup } from '../ui/radioGroup.js';
import { createTextField } from '../ui/textField.js';
import type { Listing, ViewState } from '../viewState.js';
import { whenOf } from '../instant.js';
import type { BornSession } from './bornSession.js';
import { LiveTable, type Whole } from './liveTable.js';
import { filterRows, ownerRows, sortRows, type LiveRow } from './rows.js';

const LISTINGS: readonly Listing[] = ['live', 'born'];
const LISTED_BY: readonly ListedBy[] = ['line', 'stack'];

export function createLiveView(
  store: Store<ViewState>,
  session: TimelineSession,
  born: BornSession,
  exporter: Exporter,
): HTMLElement {
  let shown: readonly LiveRow[] = [];
  const summary = el('p', { class: 'summary', attributes: { role: 'status' } });
  const hint = createMessage('hint');
  const failure = createMessage('error', {
    text: strings.retry,
    onPress: () => {
      if (store.get().listing === 'born') born.ask();
      else session.retryLive();
    },
  });
  const openFailure = createMessage('error');
  const listing = createRadioGroup<Listing>({
    label: strings.listing,
    items: LISTINGS.map((value) => ({ value, text: strings.listingName[value] })),
    onPick: (value) => {
      store.update({ listing: value });
    },
  });
  const listedBy = createRadioGroup<ListedBy>({
    label: strings.listedBy,
    items: LISTED_BY.map((value) => ({ value, text: strings.listedByName[value] })),
    onPick: (value) => {
      session.listBy(value);
    },
  });
  const filter = createTextField({
    label: strings.filter,
    placeholder: strings.filterPlaceholder,
    onInput: (text) => {
      store.update({ filter: text });
    },
  });
  filter.element.classList.add('filter');
  const table = new LiveTable({
    sort: (sort) => {
      store.update({ sort });
    },
    open: (line) => {
      session.openSource(line);
    },
  });
  const nothing = el('p', { class: 'aside' }, strings.nothingMatches);
  const scroller = el('div', { class: 'scroller' }, table.element, nothing);
  const heading = el('h2', { attributes: { id: 'live-heading' } });
  const head = el('div', { class: 'live-head' }, heading, listing.element, listedBy.element, filter.element);

  store.watch((state, before) => {
    const listed = listedIn(state);
    const { pin, live } = state;
    setText(heading, strings.listingHeading[state.listing]);
    listing.show(state.listing, LISTINGS);
    listedBy.show(state.listedBy, LISTED_BY);
    hint.show(state.listing === 'live' && pin === null && state.curve !== null ? strings.noPin : null);
    failure.show(state.liveError === null ? null : strings.liveFailed(state.liveError));
    openFailure.show(state.openError);
    filter.show(state.filter);
    filter.element.hidden = listed === null;
    scroller.hidden = listed === null;
    scroller.classList.toggle('stale', state.listing === 'live' && live !== null && live.event !== pin?.event);
    setText(summary, listed === null ? '' : listed.summary);
    const { sort, filter: words, highlight } = state;
    const same =
      listed?.sums === listedIn(before)?.sums &&
      sort === before.sort &&
      words === before.filter &&
      highlight === before.highlight;
    if (listed === null || (same && state !== before)) return;
    const all = ownerRows(listed.sums, listed.whole.bytes, highlight);
    const rows = sortRows(filterRows(all, words, textOf), sort);
    shown = rows;
    table.show(listed.whole, rows, all.length, sort);
    if (listed.sums !== listedIn(before)?.sums) table.revealPointedOut();
    nothing.hidden = rows.length > 0 || words === '';
  });

  return el(
    'section',
    { class: 'live', attributes: { 'aria-labelledby': 'live-heading' } },
    head,
    summary,
    hint.element,
    failure.element,
    openFailure.element,
    scroller,
    createExportMenu(exporter, {
      name: () => savedName(store.get(), store.get().listing),
      table: () => (listedIn(store.get()) === null ? null : liveTable(shown)),
    }),
  );
}

interface Listed {
  sums: OwnerSums;
  whole: Whole;
  summary: string;
}

/** What the list shows; null while there is nothing. */
function listedIn(state: ViewState): Listed | null {
  const { live, born } = state;
  if (state.listing === 'live') {
    if (live === null) return null;
    const whole = { bytes: live.liveBytes, name: strings.totalIsLive(live.liveBytes) };
    return { sums: live, whole, summary: summaryOf(live, state) };
  }
  if (born === null) return null;
  const whole = { bytes: born.aliveBytes, name: strings.totalIsAlive(born.aliveBytes) };
  return { sums: born, whole, summary: bornSummary(born) };
}

function summaryOf(live: LiveAt, state: ViewState): string {
  const places = placesOf(live);
  return strings.summary(whenOf(live, state.curve), live.liveBytes, live.reservedBytes, places, largestOf(live));
}

function bornSummary(born: BornIn): string {
  if (born.last < born.first) return strings.nothingBorn;
  const { aliveBytes, aliveBlocks, bornBytes, bornBlocks } = born;
  return strings.bornSummary({ aliveBytes, aliveBlocks, bornBytes, bornBlocks }, placesOf(born), largestOf(born));
}

/** How many lines there are; a line may have several stacks. */
function placesOf({ lines }: OwnerSums): number {
  return new Set(lines.map(({ file, line, function: name }) => `${file}\n${line}\n${name}`)).size;
}

function largestOf({ lines }: OwnerSums): string | null {
  const largest = lines.at(0);
  return largest === undefined ? null : strings.lineWithBytes(largest.file, largest.line, largest.bytes);
}

/** What a filter looks at: what the user sees of a row. */
function textOf(row: LiveRow): string {
  if (row.kind !== 'line') return strings[row.kind];
  const { file, line, function: name, frames } = row.line;
  return [`${placeText(file, line)} ${name}`, ...(frames ?? []).map((frame) => frame.function)].join(' ');
}
