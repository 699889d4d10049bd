/** The comparison as tables that are saved. */
import type { CompareCell, CompareRow, SeriesAnswer } from '../../src/protocol/compareData.js';
import { callCells } from '../flame/flameText.js';
import { ownerName } from '../layer/bandText.js';
import type { TableCell, TableData } from '../parts/tableData.js';
import type { ComparedItem } from './compareFlame.js';

/** A line, or a sum of some under a name. */
export type ComparedRow = CompareRow | (CompareCell & { name: string; place?: never });

export function comparedTable(rows: readonly ComparedRow[]): TableData {
  return {
    columns: [
      ...['file', 'line', 'function', 'bytes_a', 'bytes_b', 'growth_bytes', 'blocks_a', 'blocks_b'],
      ...['survived_bytes', 'survived_blocks', 'new_bytes', 'new_blocks', 'freed_bytes', 'freed_blocks'],
    ],
    rows: rows.map((row) => {
      const { place, flow } = row;
      return [
        ...[place?.file ?? ('name' in row ? row.name : ownerName(row, 'whole')), place?.line ?? null],
        ...[place?.function ?? '', row.bytesA, row.bytesB, row.growthBytes, row.blocksA, row.blocksB],
        ...[flow?.survived.bytes ?? null, flow?.survived.blocks ?? null, flow?.allocated.bytes ?? null],
        ...[flow?.allocated.blocks ?? null, flow?.freed.bytes ?? null, flow?.freed.blocks ?? null],
      ];
    }),
  };
}

export function comparedFlameTable(items: readonly ComparedItem[]): TableData {
  return {
    columns: ['depth', 'call', 'file', 'line', 'bytes_a', 'bytes_b', 'growth_bytes', 'blocks_a', 'blocks_b'],
    rows: items.map((item) => {
      const { bytesA, bytesB, blocksA, blocksB } = item;
      return [...callCells(item), bytesA, bytesB, bytesB - bytesA, blocksA, blocksB];
    }),
  };
}

/** The points of all curves, one curve after the other. @param names of the curves */
export function seriesTable({ axis, curves }: SeriesAnswer, names: readonly string[]): TableData {
  return {
    columns: ['curve', axis === 'time' ? 'time_us' : axis, 'live_bytes'],
    rows: curves.flatMap(({ x, live }, index) =>
      Array.from(x, (at, point): TableCell[] => [names[index], at, live[point]]),
    ),
  };
}
