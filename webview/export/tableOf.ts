import type { TableData } from './tableData.js';

/** What a table on the page shows, with exact numbers where a cell has one in its title. */
export function tableOf(table: HTMLTableElement): TableData | null {
  const { tHead, tBodies } = table;
  const columns = [...(tHead?.rows[0]?.cells ?? [])].map((cell) => cell.textContent.trim());
  if (columns.length === 0 || tBodies.length === 0) return null;
  const rows = [...tBodies[0].rows].map((row) => [...row.cells].map(valueOf));
  return { columns, rows };
}

function valueOf(cell: HTMLTableCellElement): string | number {
  const shown = cell.textContent.trim();
  const exact = cell.classList.contains('number') ? (cell.title === '' ? shown : cell.title) : '';
  const digits = /^\u2212?[\d,]+(?= |$)/.exec(exact)?.[0];
  if (digits === undefined) return shown;
  return Number(digits.replaceAll(',', '').replace('\u2212', '-'));
}
