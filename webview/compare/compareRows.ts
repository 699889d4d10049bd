/** The rows of the growth by line: sorted, filtered and summed. */
import type { CompareRow } from '../../src/protocol/compareData.js';
import { ownerName } from '../layer/bandText.js';
import type { CompareSort } from './compareState.js';

/** A sorted copy; what grew most, or is largest, first. */
export function sortCompared(rows: readonly CompareRow[], sort: CompareSort): CompareRow[] {
  if (sort === 'line') return [...rows].sort(byLine);
  const figure = (row: CompareRow): number => {
    switch (sort) {
      case 'growthBytes':
      case 'bytesA':
      case 'bytesB':
        return row[sort];
      case 'survived':
      case 'born':
      case 'freed':
        return row.flow?.[sort].bytes ?? 0;
      case 'blocks':
        return row.blocksB - row.blocksA;
    }
  };
  return [...rows].sort((a, b) => figure(b) - figure(a) || b.bytesB - a.bytesB || byLine(a, b));
}

/** The rows whose place has every word of `filter` in it, whatever the case. */
export function filterCompared(rows: readonly CompareRow[], filter: string): CompareRow[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter((row) => {
    const text = ownerName(row, 'whole').toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

function byLine(a: CompareRow, b: CompareRow): number {
  if (a.place === null || b.place === null) return Number(a.place === null) - Number(b.place === null);
  const files = a.place.file < b.place.file ? -1 : Number(a.place.file > b.place.file);
  return files || a.place.line - b.place.line;
}
