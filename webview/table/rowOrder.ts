/** What every list of lines is searched by, and its order by line. */
import type { SourceLine } from '../viewState.js';

/** The rows whose text has every word of `filter` in it, whatever the case. `textOf` is what the user sees of a row. */
export function filterRows<Row>(rows: readonly Row[], filter: string, textOf: (row: Row) => string): Row[] {
  const terms = filter.toLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter((row) => {
    const text = textOf(row).toLowerCase();
    return terms.every((term) => text.includes(term));
  });
}

/** By file, then number; what has no line comes last. */
export function byLine(a: SourceLine | null, b: SourceLine | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  const files = a.file < b.file ? -1 : Number(a.file > b.file);
  return files || a.line - b.line;
}
