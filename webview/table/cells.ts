/** Cells that the tables of the page have in common. */
import { el } from '../dom.js';
import { formatBytes, formatExactBytes } from '../format.js';
import { strings } from '../strings.js';

/** Three digits to read, the exact number on hover and for copies of the table. @param bytes null where not known */
export function bytesCell(bytes: number | null): HTMLTableCellElement {
  return bytes === null
    ? el('td', { class: 'number' }, strings.unknown)
    : el('td', { class: 'number', title: formatExactBytes(bytes) }, formatBytes(bytes));
}

/** @param kind `number` where the column is one of numbers */
export function headCell(text: string, kind = ''): HTMLTableCellElement {
  return el('th', { class: kind, attributes: { scope: 'col' } }, text);
}

/** The head of a column that sorts when it is pressed. */
export function sortHead(text: string, kind: string, onSort: () => void): HTMLTableCellElement {
  const button = el('button', { class: 'sort', title: strings.sortBy(text) }, text);
  button.addEventListener('click', onSort);
  return el('th', { class: kind, attributes: { scope: 'col' } }, button);
}
