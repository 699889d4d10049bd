/** The search of every list of lines, and its order by line. */
import type { SourceLine } from '../model/viewState.js';

/** The rows whose visible text (`textOf`) has every word of `filter`, in any case. */
export function filterRows<Row>(rows: readonly Row[], filter: string, textOf: (row: Row) => string): Row[] {
  const terms = filter.toLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter((row) => {
    const text = textOf(row).toLowerCase();
    return terms.every((term) => text.includes(term));
  });
}

/** Orders by file, then by line. Rows without a line come last. */
export function byLine(a: SourceLine | null, b: SourceLine | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  const files = a.file < b.file ? -1 : Number(a.file > b.file);
  return files || a.line - b.line;
}
