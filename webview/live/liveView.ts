/** Under the chart: what is live at the pinned instant, in a sentence and in a table with a filter. */
import type { LiveAt } from '../../src/protocol/timelineData.js';
import { el, setText } from '../dom.js';
import { createMessage } from '../message.js';
import type { TimelineSession } from '../session.js';
import type { Store } from '../store.js';
import { strings } from '../strings.js';
import { createTextField } from '../ui/textField.js';
import type { ViewState } from '../viewState.js';
import { LiveTable } from './liveTable.js';
import { filterRows, liveRows, sortRows, type LiveRow } from './rows.js';

export function createLiveView(store: Store<ViewState>, session: TimelineSession): HTMLElement {
  const summary = el('p', { class: 'summary', attributes: { role: 'status' } });
  const hint = createMessage('hint');
  const failure = createMessage('error', {
    text: strings.retry,
    onPress: () => {
      session.retryLive();
    },
  });
  const openFailure = createMessage('error');
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
  const heading = el('h2', { attributes: { id: 'live-heading' } }, strings.liveHere);
  const head = el('div', { class: 'live-head' }, heading, filter.element);

  store.watch((state, before) => {
    const { live, pin } = state;
    hint.show(pin === null && state.curve !== null ? strings.noPin : null);
    failure.show(state.liveError === null ? null : strings.liveFailed(state.liveError));
    openFailure.show(state.openError);
    filter.show(state.filter);
    filter.element.hidden = live === null;
    scroller.hidden = live === null;
    scroller.classList.toggle('stale', live !== null && live.event !== pin?.event);
    setText(summary, live === null ? '' : summaryOf(live, state));
    const { sort, filter: words, highlight } = state;
    const same =
      live === before.live && sort === before.sort && words === before.filter && highlight === before.highlight;
    if (live === null || (same && state !== before)) return;
    const all = liveRows(live, highlight);
    const rows = sortRows(filterRows(all, words, textOf), sort);
    table.show(live, rows, all.length, sort);
    if (live !== before.live) table.revealPointedOut();
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
  );
}

function summaryOf(live: LiveAt, state: ViewState): string {
  const [largest] = live.lines;
  const named = live.lines.length === 0 ? null : strings.lineWithBytes(largest.file, largest.line, largest.bytes);
  return strings.summary(whenOf(live, state), live.liveBytes, live.reservedBytes, live.lines.length, named);
}

function whenOf(live: LiveAt, { curve }: ViewState): string {
  if (live.event < 0) return curve?.events === 0 ? strings.whenTaken : strings.atStart;
  const startUs = curve?.startUs ?? null;
  const time = live.timeUs !== null && startUs !== null ? live.timeUs - startUs : null;
  return strings.atInstant(strings.instant(time, live.event));
}

/** What a filter looks at: what the user sees of a row. */
function textOf(row: LiveRow): string {
  return row.kind === 'line' ? `${row.line.file}:${row.line.line} ${row.line.function}` : strings[row.kind];
}
