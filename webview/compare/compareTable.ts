/** The growth by line: a row for each line and bucket, a foot that is the difference of the live bytes. */
import type { CompareCell, CompareRow, CompareTable } from '../../src/protocol/compareData.js';
import { el } from '../dom.js';
import { formatBytes, formatCount, formatExactBytes } from '../format.js';
import { ownerName } from '../layer/bandText.js';
import { strings } from '../strings.js';
import { bytesCell, headCell, sortHead } from '../table/cells.js';
import { PagedRows } from '../table/pagedRows.js';
import type { SourceLine } from '../viewState.js';
import { COMPARE_SORTS, type CompareSort } from './compareState.js';
import { growthOf, growthText, signedExactBytes } from './growthText.js';

/** Columns that need to know which blocks moved. */
const OF_FLOW: readonly CompareSort[] = ['survived', 'born', 'freed'];

export class CompareTableView {
  readonly element: HTMLTableElement;
  private readonly head = el('tr');
  private readonly body = new PagedRows();
  private readonly foot = el('tfoot');

  constructor(private readonly on: { sort(by: CompareSort): void; open(line: SourceLine): void }) {
    this.element = el(
      'table',
      { class: 'compare-table', attributes: { 'aria-label': strings.compareTable } },
      el('thead', {}, this.head),
      this.body.element,
      this.foot,
    );
  }

  /** @param rows those that match the filter, in order */
  show(table: CompareTable, rows: readonly CompareRow[], sort: CompareSort): void {
    const columns = COMPARE_SORTS.filter((column) => table.total.flow !== null || !OF_FLOW.includes(column));
    this.head.replaceChildren(
      ...columns.map((column) => this.headOf(column, column === sort)),
      headCell(strings.columnFunction),
    );
    this.body.show(rows, columns.length + 1, (row) => this.rowOf(row, columns));
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

  private rowOf(row: CompareRow, columns: readonly CompareSort[]): HTMLElement {
    const name = ownerName(row, 'whole');
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
    const head = sortHead(text, column === 'line' ? '' : 'number', () => {
      this.on.sort(column);
    });
    head.setAttribute('aria-sort', !isSorted ? 'none' : column === 'line' ? 'ascending' : 'descending');
    return head;
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
      return bytesCell(cell[column]);
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
