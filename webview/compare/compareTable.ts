/** The growth by line: its columns, the line first, and its order. */
import type { CompareCell, CompareRow } from '../../src/protocol/compareData.js';
import { formatBytes, formatCount, formatExactBytes } from '../format.js';
import { ownerName } from '../layer/bandText.js';
import { strings } from '../strings.js';
import { byLine } from '../table/rowOrder.js';
import { bytesCell, placeCell, textCell, type Cell, type Column } from '../table/dataTable.js';
import { COMPARE_SORTS, type CompareSort } from './compareState.js';
import { growthOf, growthText, signedExactBytes } from './growthText.js';

/** A line, or a sum of some under a name. */
export type ComparedRow = CompareRow | (CompareCell & { name: string; place?: never });

/** @param hasFlow false if survivors are unknown */
export function compareColumns(hasFlow: boolean): Column<ComparedRow, CompareSort>[] {
  const of = (by: CompareSort): Column<ComparedRow, CompareSort> => ({
    text: strings.compareColumn[by],
    kind: by === 'line' ? 'place' : 'number',
    sort: { by, order: by === 'line' ? 'ascending' : 'descending' },
    cell: (row) => cellOf(by, row),
  });
  const flow: readonly CompareSort[] = ['survived', 'allocated', 'freed'];
  return [
    ...COMPARE_SORTS.filter((by) => hasFlow || !flow.includes(by)).map(of),
    { text: strings.columnFunction, kind: 'function', cell: ({ place }) => textCell(place?.function ?? '') },
  ];
}

function cellOf(by: CompareSort, row: ComparedRow): Cell {
  switch (by) {
    case 'line':
      if ('name' in row) return { content: row.name };
      return placeCell(ownerName(row, 'whole'), row.place?.mapped === true);
    case 'growthBytes': {
      const { growthBytes } = row;
      return {
        content: growthText(growthBytes),
        title: signedExactBytes(growthBytes),
        class: `growth of-${growthOf(growthBytes)}`,
      };
    }
    case 'bytesA':
    case 'bytesB':
      return bytesCell(row[by]);
    case 'survived':
    case 'allocated':
    case 'freed': {
      const { bytes, blocks } = row.flow?.[by] ?? { bytes: 0, blocks: 0 };
      const content = blocks === 0 ? '–' : strings.bytesInBlocks(formatBytes(bytes), formatCount(blocks));
      return { content, title: formatExactBytes(bytes) };
    }
    case 'blocks':
      return { content: `${formatCount(row.blocksA)} → ${formatCount(row.blocksB)}` };
  }
}

/** A sorted copy, the largest change or value first. */
export function sortCompared(rows: readonly CompareRow[], sort: CompareSort): CompareRow[] {
  if (sort === 'line') return [...rows].sort(byPlace);
  const figure = (row: CompareRow): number => {
    switch (sort) {
      case 'growthBytes':
        return Math.abs(row.growthBytes);
      case 'bytesA':
      case 'bytesB':
        return row[sort];
      case 'survived':
      case 'allocated':
      case 'freed':
        return row.flow?.[sort].bytes ?? 0;
      case 'blocks':
        return row.blocksB - row.blocksA;
    }
  };
  return [...rows].sort((a, b) => figure(b) - figure(a) || b.bytesB - a.bytesB || byPlace(a, b));
}

function byPlace(a: CompareRow, b: CompareRow): number {
  return byLine(a.place, b.place);
}
