import { visibleText } from '../../src/core/text/plainText.js';

export type TableCell = string | number | null;

/** A table as it leaves the page: exact numbers, no texts that only a reader on the screen needs. */

export interface TableData {
  /** Names of the columns, with units. */
  columns: readonly string[];
  rows: readonly (readonly TableCell[])[];
}

/** The start of a formula in a spreadsheet. */
const FORMULA = /^(?=\s*[=+\-@＝＋－＠])/;

/**
 * Comma-separated values as in RFC 4180. Cells that a spreadsheet would compute as a formula begin with an apostrophe.
 */
export function csvOf({ columns, rows }: TableData): string {
  return [columns, ...rows].map((row) => `${row.map((cell) => cellText(cell)).join(',')}\r\n`).join('');
}

/** Columns separated by tabs, for the clipboard. */
export function clipboardText({ columns, rows }: TableData): string {
  return [columns, ...rows].map((row) => `${row.map(protectedText).join('\t')}\n`).join('');
}

function cellText(cell: TableCell): string {
  const text = protectedText(cell);
  return /[",;]/.test(text) || (typeof cell === 'string' && text !== cell) ? `"${text.replaceAll('"', '""')}"` : text;
}

function protectedText(cell: TableCell): string {
  if (typeof cell === 'string') return visibleText(cell).replace(FORMULA, "'");
  return cell === null ? '' : String(cell);
}
