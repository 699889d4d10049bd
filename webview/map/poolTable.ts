/** The map's numbers: one row for each pool, stream and kind of segment, and their sum. */
import type { MapPool, MemoryMapAnswer } from '../../src/protocol/mapData.js';
import { el } from '../dom.js';
import { formatBytes, formatCount, formatExactBytes } from '../format.js';
import { strings } from '../strings.js';
import { poolText } from './mapText.js';

type Sums = Omit<MapPool, 'pool' | 'stream' | 'kind'>;

export function createPoolTable({ pools, total }: MemoryMapAnswer): HTMLElement {
  const head = (text: string, kind = 'number'): HTMLElement =>
    el('th', { class: kind, attributes: { scope: 'col' } }, text);
  const heads = el(
    'tr',
    {},
    head(strings.columnPool, ''),
    head(strings.columnSegments),
    head(strings.reserved),
    head(strings.live),
    head(strings.columnFree),
    head(strings.columnLargestFree),
    head(strings.columnPinned),
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
  const bytes = (of: number): HTMLElement =>
    el('td', { class: 'number', title: formatExactBytes(of) }, formatBytes(of));
  const count = (of: number): HTMLElement => el('td', { class: 'number' }, formatCount(of));
  return el(
    'tr',
    {},
    el('th', { attributes: { scope: 'row' } }, name),
    count(sums.segments),
    bytes(sums.reservedBytes),
    bytes(sums.liveBytes),
    bytes(sums.freeBytes),
    bytes(sums.largestFreeBytes),
    count(sums.pinnedSegments),
  );
}
