/** The map's numbers: one row for each pool, stream and kind of segment, and their sum. */
import type { MapPool, MemoryMapAnswer } from '../../src/protocol/mapData.js';
import { el } from '../dom.js';
import { formatCount } from '../format.js';
import { strings } from '../strings.js';
import { bytesCell, headCell } from '../table/cells.js';
import { poolText } from './mapText.js';

type Sums = Omit<MapPool, 'pool' | 'stream' | 'kind'>;

export function createPoolTable({ pools, total }: MemoryMapAnswer): HTMLElement {
  const heads = el(
    'tr',
    {},
    headCell(strings.columnPool),
    headCell(strings.columnSegments, 'number'),
    headCell(strings.reserved, 'number'),
    headCell(strings.live, 'number'),
    headCell(strings.columnFree, 'number'),
    headCell(strings.columnLargestFree, 'number'),
    headCell(strings.columnPinned, 'number'),
  );
  const rows = pools.map((pool) => rowOf(poolText(pool), pool));
  return el(
    'table',
    { class: 'pool-table' },
    el('caption', {}, strings.poolTable),
    el('thead', {}, heads),
    el('tbody', {}, ...rows),
    el('tfoot', {}, rowOf(strings.total, total)),
  );
}

function rowOf(name: string, sums: Sums): HTMLElement {
  const count = (of: number): HTMLElement => el('td', { class: 'number' }, formatCount(of));
  return el(
    'tr',
    {},
    el('th', { attributes: { scope: 'row' } }, name),
    count(sums.segments),
    bytesCell(sums.reservedBytes),
    bytesCell(sums.liveBytes),
    bytesCell(sums.freeBytes),
    bytesCell(sums.largestFreeBytes),
    count(sums.pinnedSegments),
  );
}
