/** The growth by line: a row for each line and bucket, a foot that is the difference of the live bytes. */
import type { CompareCell, CompareRow, CompareTable } from '../../src/protocol/compareData.js';
import { el } from '../dom.js';
import { formatBytes, formatCount, formatExactBytes } from '../format.js';
import { ownerName } from '../layer/bandText.js';
import { strings } from '../strings.js';
import type { SourceLine } from '../viewState.js';
import { COMPARE_SORTS, type CompareSort } from './compareState.js';
import { growthOf, growthText, signedExactBytes } from './growthText.js';

/** So many rows at once; more on request. */
const PAGE = 200;
/** Columns that need to know which blocks moved. */
const OF_FLOW: readonly CompareSort[] = ['survived', 'born', 'freed'];

export class CompareTableView {
  readonly element: HTMLTableElement;
  private readonly head = el('tr');
  private readonly body = el('tbody');
  private readonly foot = el('tfoot');

  constructor(private readonly on: { sort(by: CompareSort): void; open(line: SourceLine): void }) {
    this.element = el(
      'table',
      { class: 'compare-table', attributes: { 'aria-label': strings.compareTable } },
      el('thead', {}, this.head),
      this.body,
      this.foot,
    );
    this.body.addEventListener('keydown', (event) => {
      if (this.moveFocus(event.key)) event.preventDefault();
    });
  }

  /** @param rows those that match the filter, in order */
  show(table: CompareTable, rows: readonly CompareRow[], sort: CompareSort): void {
    const columns = COMPARE_SORTS.filter((column) => table.total.flow !== null || !OF_FLOW.includes(column));
    this.head.replaceChildren(
      ...columns.map((column) => this.headOf(column, column === sort)),
      el('th', { attributes: { scope: 'col' } }, strings.columnFunction),
    );
    this.body.replaceChildren();
    this.append(rows, columns, 0);
    const foot = (name: string, cell: CompareCell, kind: string): HTMLElement =>
      el('tr', { class: kind }, ...columns.map((column) => cellOf(column, cell, name)), el('td'));
    this.foot.replaceChildren(
      ...(rows.length < table.rows.length ? [this.note(strings.shown(rows.length, table.rows.length), columns)] : []),
      ...(table.otherLines === 0 ? [] : [foot(strings.otherLines(table.otherLines), table.others, '')]),
      foot(strings.total, table.total, 'total'),
    );
  }

  private note(text: string, columns: readonly CompareSort[]): HTMLElement {
    return el('tr', {}, el('td', { attributes: { colspan: String(columns.length + 1) } }, text));
  }

  private append(rows: readonly CompareRow[], columns: readonly CompareSort[], from: number): void {
    this.body.append(...rows.slice(from, from + PAGE).map((row) => this.rowOf(row, columns)));
    const next = from + PAGE;
    if (next >= rows.length) return;
    const more = el('button', { class: 'link' }, strings.showMore(Math.min(PAGE, rows.length - next)));
    const holder = el('tr', {}, el('td', { attributes: { colspan: String(columns.length + 1) } }, more));
    more.addEventListener('click', () => {
      holder.remove();
      this.append(rows, columns, next);
      this.buttons()[next]?.focus();
    });
    this.body.append(holder);
  }

  private rowOf(row: CompareRow, columns: readonly CompareSort[]): HTMLElement {
    const name = ownerName(row, false);
    const { place } = row;
    const element = el('tr', {}, ...columns.map((column) => cellOf(column, row, name, place?.mapped === true)));
    element.append(el('td', { class: 'function' }, place?.function ?? ''));
    if (place?.mapped === true) {
      element.classList.add('opens');
      element.addEventListener('click', () => {
        if (document.getSelection()?.isCollapsed !== false) this.on.open(place);
      });
    }
    return element;
  }

  private headOf(column: CompareSort, isSorted: boolean): HTMLElement {
    const text = strings.compareColumn[column];
    const button = el('button', { class: 'sort', title: strings.sortBy(text) }, text);
    button.addEventListener('click', () => {
      this.on.sort(column);
    });
    const sorted = !isSorted ? 'none' : column === 'line' ? 'ascending' : 'descending';
    const kind = column === 'line' ? '' : 'number';
    return el('th', { class: kind, attributes: { scope: 'col', 'aria-sort': sorted } }, button);
  }

  /** Up and down go from line to line, as in a list. */
  private moveFocus(key: string): boolean {
    const buttons = this.buttons();
    const at = buttons.findIndex((button) => button === document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: buttons.length - 1 }[key];
    if (at < 0 || to === undefined || to < 0 || to >= buttons.length) return false;
    buttons[to].focus();
    return true;
  }

  private buttons(): HTMLButtonElement[] {
    return [...this.body.querySelectorAll<HTMLButtonElement>('.place button')];
  }
}

/** @param opens the name is a button; the row's own listener sees its click, and the Enter that becomes one */
function cellOf(column: CompareSort, cell: CompareCell, name: string, opens = false): HTMLElement {
  switch (column) {
    case 'line': {
      const text = opens ? el('button', { class: 'link', title: strings.openPlace(name) }, name) : name;
      return el('th', { class: 'place', attributes: { scope: 'row' } }, text);
    }
    case 'growthBytes': {
      const { growthBytes } = cell;
      const kind = `number growth of-${growthOf(growthBytes)}`;
      return el('td', { class: kind, title: signedExactBytes(growthBytes) }, growthText(growthBytes));
    }
    case 'bytesA':
    case 'bytesB':
      return el('td', { class: 'number', title: formatExactBytes(cell[column]) }, formatBytes(cell[column]));
    case 'survived':
    case 'born':
    case 'freed': {
      const { bytes, blocks } = cell.flow?.[column] ?? { bytes: 0, blocks: 0 };
      const text = blocks === 0 ? '–' : strings.bytesInBlocks(formatBytes(bytes), formatCount(blocks));
      return el('td', { class: 'number', title: formatExactBytes(bytes) }, text);
    }
    case 'blocks':
      return el('td', { class: 'number' }, `${formatCount(cell.blocksA)} → ${formatCount(cell.blocksB)}`);
  }
}
