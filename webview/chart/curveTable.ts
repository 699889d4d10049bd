/** The curve for those who cannot see it, or want its numbers: a table in the place of the plot. */
import type { TimelineWindow } from '../../src/protocol/timelineData.js';
import { el } from '../dom.js';
import { formatBytes, formatExactBytes } from '../format.js';
import type { TimelineSession } from '../session.js';
import type { Store } from '../store.js';
import { strings } from '../strings.js';
import type { ViewState } from '../viewState.js';
import { curveRows, type CurveRow } from './curveRows.js';
import { drawableExtent } from './range.js';

const PEAKS = 40;

export function createCurveTable(store: Store<ViewState>, session: TimelineSession): HTMLElement {
  const body = el('tbody');
  const head = (text: string, kind = ''): HTMLElement => el('th', { class: kind, attributes: { scope: 'col' } }, text);
  const table = el(
    'table',
    { class: 'curve-table' },
    el('caption', {}, strings.curveTable),
    el(
      'thead',
      {},
      el(
        'tr',
        {},
        head(strings.columnPoint),
        head(strings.columnInstant),
        head(strings.live, 'number'),
        head(strings.reserved, 'number'),
        head(strings.columnAction),
      ),
    ),
    body,
  );
  const region = el('div', { class: 'curve-region' }, table);
  store.watch((state, before) => {
    if (!state.curveAsTable || state.curve === null) return;
    const same = state.curve === before.curve && state.range === before.range && before.curveAsTable;
    if (same && body.childElementCount > 0) return;
    const { curve } = state;
    const rows = curveRows(curve, state.range ?? drawableExtent(curve.extent), PEAKS);
    body.replaceChildren(...rows.map((row) => rowOf(row, curve, session)));
  });
  return region;
}

function rowOf(row: CurveRow, curve: TimelineWindow, session: TimelineSession): HTMLElement {
  const where = strings.instant(curve.axis === 'time' ? row.x : null, row.event, !curve.hasAllocations);
  const button = el('button', { class: 'link', attributes: { 'aria-label': strings.lookIntoAt(where) } });
  button.append(strings.lookInto);
  button.addEventListener('click', () => {
    session.pin({ event: row.event, axis: curve.axis, x: row.x });
  });
  return el(
    'tr',
    {},
    el('th', { attributes: { scope: 'row' } }, nameOf(row)),
    el('td', {}, where),
    el('td', { class: 'number', title: formatExactBytes(row.live) }, formatBytes(row.live)),
    row.reserved === null
      ? el('td', { class: 'number' }, strings.unknown)
      : el('td', { class: 'number', title: formatExactBytes(row.reserved) }, formatBytes(row.reserved)),
    el('td', {}, button),
  );
}

function nameOf({ kind, label }: CurveRow): string {
  switch (kind) {
    case 'start':
      return strings.pointStart;
    case 'end':
      return strings.pointEnd;
    case 'lowest':
      return strings.pointLowest;
    case 'highest':
      return strings.pointHighest;
    case 'peak':
      return strings.pointPeak;
    default:
      return strings.mark({ kind, label });
  }
}
