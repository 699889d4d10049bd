/** The map as numbers: a row for each segment that is drawn, one for the others, and their sum. */
import type { MapSegment, MemoryMapAnswer } from '../../src/protocol/mapData.js';
import { el } from '../dom.js';
import { formatCount } from '../format.js';
import { strings } from '../strings.js';
import { bytesCell, headCell } from '../table/cells.js';
import { kindText } from './mapText.js';

type Amounts = Pick<MapSegment, 'reservedBytes' | 'liveBytes' | 'freeBytes' | 'largestFreeBytes'>;

export function createSegmentTable(map: MemoryMapAnswer): HTMLElement {
  const heads = el(
    'tr',
    {},
    headCell(strings.columnAddress),
    headCell(strings.columnPoolAndKind),
    headCell(strings.columnStream),
    headCell(strings.columnSize, 'number'),
    headCell(strings.live, 'number'),
    headCell(strings.columnFree, 'number'),
    headCell(strings.columnLargestFree, 'number'),
    headCell(strings.columnPinned),
  );
  const rows = map.segments.map((segment) => segmentRow(map, segment));
  const { others, total } = map;
  if (others.segments > 0) {
    rows.push(row(strings.restOfSegments, ['', ''], others, formatCount(others.pinnedSegments)));
  }
  return el(
    'table',
    { class: 'segment-table' },
    el('caption', {}, strings.segmentTable),
    el('thead', {}, heads),
    el('tbody', {}, ...rows),
    el('tfoot', {}, row(strings.total, ['', ''], total, formatCount(total.pinnedSegments))),
  );
}

function segmentRow({ pools }: MemoryMapAnswer, segment: MapSegment): HTMLElement {
  const pool = pools[segment.pool];
  const where = [kindText(pool), pool.stream === '' ? strings.unknown : pool.stream];
  return row(segment.address, where, segment, segment.isPinned ? strings.pinned : '');
}

function row(name: string, where: readonly string[], amounts: Amounts, pinned: string): HTMLElement {
  return el(
    'tr',
    {},
    el('th', { class: 'address', attributes: { scope: 'row' } }, name),
    ...where.map((text) => el('td', {}, text)),
    bytesCell(amounts.reservedBytes),
    bytesCell(amounts.liveBytes),
    bytesCell(amounts.freeBytes),
    bytesCell(amounts.largestFreeBytes),
    el('td', {}, pinned),
  );
}
