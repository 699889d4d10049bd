/** The map as numbers: a row for each segment that is drawn, one for the others, and their sum. */
import type { MapSegment, MemoryMapAnswer } from '../../src/protocol/mapData.js';
import { el } from '../dom.js';
import { formatCount } from '../format.js';
import { strings } from '../strings.js';
import { bytesCell, headCell, sortHead } from '../table/cells.js';
import type { SegmentSort } from '../viewState.js';
import { kindText } from './mapText.js';

type Amounts = Pick<MapSegment, 'reservedBytes' | 'liveBytes' | 'freeBytes' | 'largestFreeBytes'>;

export class SegmentTable {
  readonly element: HTMLTableElement;
  private readonly body = el('tbody');
  private readonly foot = el('tfoot');
  private readonly heads: Record<SegmentSort, HTMLTableCellElement>;

  constructor(onSort: (by: SegmentSort) => void) {
    const sortable = (by: SegmentSort, text: string, kind: string): HTMLTableCellElement =>
      sortHead(text, kind, () => {
        onSort(by);
      });
    this.heads = {
      address: sortable('address', strings.columnAddress, ''),
      reservedBytes: sortable('reservedBytes', strings.columnSize, 'number'),
      liveBytes: sortable('liveBytes', strings.live, 'number'),
      freeBytes: sortable('freeBytes', strings.columnFree, 'number'),
      largestFreeBytes: sortable('largestFreeBytes', strings.columnLargestFree, 'number'),
    };
    const { address, ...amounts } = this.heads;
    const heads = el('tr', {}, address, headCell(strings.columnPoolAndKind), headCell(strings.columnStream));
    heads.append(...Object.values(amounts), headCell(strings.columnPinned));
    this.element = el(
      'table',
      { class: 'segment-table' },
      el('caption', {}, strings.segmentTable),
      el('thead', {}, heads),
      this.body,
      this.foot,
    );
  }

  show(map: MemoryMapAnswer, sort: SegmentSort): void {
    for (const [by, head] of Object.entries(this.heads)) {
      const order = by === 'address' ? 'ascending' : 'descending';
      head.setAttribute('aria-sort', by === sort ? order : 'none');
    }
    const { others, total } = map;
    const rows = sortSegments(map.segments, sort).map((segment) => segmentRow(map, segment));
    if (others.segments > 0) {
      rows.push(row(strings.restOfSegments, ['', ''], others, formatCount(others.pinnedSegments)));
    }
    this.body.replaceChildren(...rows);
    this.foot.replaceChildren(row(strings.total, ['', ''], total, formatCount(total.pinnedSegments)));
  }
}

/** A sorted copy: the lowest address first, or what is largest; what is equal stays in the order of the map. */
function sortSegments(segments: readonly MapSegment[], sort: SegmentSort): MapSegment[] {
  if (sort !== 'address') return [...segments].sort((a, b) => b[sort] - a[sort]);
  // Of two numbers without leading zeros the longer is the larger one.
  const byText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
  return [...segments].sort((a, b) => a.address.length - b.address.length || byText(a.address, b.address));
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
