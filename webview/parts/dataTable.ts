/** Every table of the page: columns define the cells of a row, and their sort order. */
import { el } from '../ui/dom.js';
import type { TableData } from './tableData.js';
import { byteText, countText } from '../../src/core/text/numberText.js';
import { formatExactBytes } from '../text/format.js';
import { t } from '../../src/core/text/translate.js';
import { strings } from '../text/strings.js';
import type { SourceLine } from '../model/viewState.js';

/** Rows per page. */
const PAGE = 200;

/** The text of a cell, and its tooltip. */
export interface Cell {
  content: Node | string;
  title?: string;
  /** What a saved table has in place of the text. */
  value?: number;
  class?: string;
}

export interface Column<Row, Sort extends string = string> {
  text: string;
  /** Sort key, order and comparison of a column that sorts. Without a comparison the rows stay as they are. */
  sort?: { by: Sort; order: 'ascending' | 'descending'; compare?: (a: Row, b: Row) => number };
  /** `number` is aligned to the right, `place` names the row. */
  kind?: 'number' | 'place' | 'function' | 'share' | 'secondary';
  cell: (row: Row) => Cell;
}

interface TableOptions<Row, Sort extends string> {
  class: string;
  /** Describes the rows. */
  label: string;
  onSort?: (by: Sort) => void;
  /** The line that a row leads to; its first link is a button. */
  target?: (row: Row) => SourceLine | null;
  open?: (line: SourceLine) => void;
  /** The row that is pointed out. */
  isCurrent?: (row: Row) => boolean;
}

interface TableContent<Row, Sort extends string> {
  columns: readonly Column<Row, Sort>[];
  /** The rows, in the order of those that are equal by the sort key. */
  rows: readonly Row[];
  sort?: Sort;
  /** Shown above the sums of a part. */
  note?: string | null;
  /** Rows of sums, the total last. */
  sums?: readonly Row[];
}

export class DataTable<Row, Sort extends string = string> {
  readonly element: HTMLTableElement;
  private readonly head = el('tr');
  private readonly body = el('tbody');
  private readonly foot = el('tfoot');
  private shown: Pick<TableContent<Row, Sort>, 'columns' | 'rows'> = { columns: [], rows: [] };

  constructor(private readonly options: TableOptions<Row, Sort>) {
    this.element = el(
      'table',
      { class: `data-table ${options.class}`, 'aria-label': options.label },
      el('thead', {}, this.head),
      this.body,
      this.foot,
    );
    this.body.addEventListener('keydown', (event) => {
      if (this.moveFocus(event.key)) event.preventDefault();
    });
  }

  show({ columns, rows, sort, note = null, sums = [] }: TableContent<Row, Sort>): void {
    this.head.replaceChildren(...columns.map((column) => this.headOf(column, sort)));
    this.body.replaceChildren();
    const compare = columns.find((column) => column.sort?.by === sort)?.sort?.compare;
    this.shown = { columns, rows: compare === undefined ? rows : [...rows].sort(compare) };
    this.append(columns, this.shown.rows, 0);
    const caption = note === null ? [] : [el('tr', {}, el('td', { colspan: String(columns.length) }, note))];
    const last = sums.length - 1;
    const feet = sums.map((row, index) =>
      el('tr', { class: index === last ? 'total' : '' }, ...columns.map((column) => cellOf(column, row))),
    );
    this.foot.replaceChildren(...caption, ...feet);
  }

  /** All rows in their order, also those of further pages. */
  get rows(): readonly Row[] {
    return this.shown.rows;
  }

  /** All rows with exact numbers. */
  saved(): TableData {
    const { columns, rows } = this.shown;
    const valueOf = ({ content, value }: Cell): string | number =>
      value ?? (typeof content === 'string' ? content : (content.textContent ?? '')).trim();
    return {
      columns: columns.map(({ text }) => text),
      rows: rows.map((row) => columns.map(({ cell }) => valueOf(cell(row)))),
    };
  }

  /** Scrolls to the row that is pointed out, if there is one. */
  revealCurrent(): void {
    this.body.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }

  private headOf({ text, kind, sort }: Column<Row, Sort>, by: Sort | undefined): HTMLElement {
    const head = el('th', { class: kind === undefined || kind === 'place' ? '' : kind, scope: 'col' });
    if (sort === undefined) {
      head.append(text);
      return head;
    }
    const button = el('button', { class: 'sort', title: t('Sort by {0}', text) }, text);
    button.addEventListener('click', () => this.options.onSort?.(sort.by));
    head.append(button);
    head.setAttribute('aria-sort', sort.by === by ? sort.order : 'none');
    return head;
  }

  private append(columns: readonly Column<Row, Sort>[], rows: readonly Row[], from: number): void {
    this.body.append(...rows.slice(from, from + PAGE).map((row) => this.rowOf(columns, row)));
    const next = from + PAGE;
    if (next >= rows.length) return;
    const more = el('button', { class: 'link' }, t('Show {0} more', countText(Math.min(PAGE, rows.length - next))));
    const holder = el('tr', {}, el('td', { colspan: String(columns.length) }, more));
    more.addEventListener('click', () => {
      holder.remove();
      this.append(columns, rows, next);
      this.links()[next]?.focus();
    });
    this.body.append(holder);
  }

  private rowOf(columns: readonly Column<Row, Sort>[], row: Row): HTMLElement {
    const { target, open, isCurrent } = this.options;
    const element = el('tr', {}, ...columns.map((column) => cellOf(column, row)));
    if (isCurrent?.(row) === true) element.setAttribute('aria-current', 'true');
    const line = target?.(row) ?? null;
    if (line === null || open === undefined) return element;
    element.classList.add('opens');
    // The row's own listener sees the click on its link, and the Enter that becomes one.
    element.addEventListener('click', () => {
      if (document.getSelection()?.isCollapsed !== false) open(line);
    });
    return element;
  }

  /** Up and down go from line to line, as in a list. */
  private moveFocus(key: string): boolean {
    const links = this.links();
    const at = links.findIndex((link) => link === document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: links.length - 1 }[key];
    if (at < 0 || to === undefined || to < 0 || to >= links.length) return false;
    links[to].focus();
    return true;
  }

  private links(): HTMLButtonElement[] {
    return [...this.body.querySelectorAll<HTMLButtonElement>('.place button')];
  }
}

function cellOf<Row, Sort extends string>({ kind, cell }: Column<Row, Sort>, row: Row): HTMLElement {
  const { content, title, class: own = '' } = cell(row);
  const attributes = { class: `${kind ?? ''} ${own}`.trim(), title };
  return kind === 'place' ? el('th', { ...attributes, scope: 'row' }, content) : el('td', attributes, content);
}

/** A column of numbers. @param by its sort key, largest first and unknown ones last; without, it does not sort */
function numberColumn<Row, Sort extends string>(
  text: string,
  valueOf: (row: Row) => number | null,
  cellOfValue: (value: number | null) => Cell,
  by: Sort | undefined,
): Column<Row, Sort> {
  const compare = (a: Row, b: Row): number => (valueOf(b) ?? -1) - (valueOf(a) ?? -1);
  const cell = (row: Row): Cell => cellOfValue(valueOf(row));
  return { text, kind: 'number', cell, ...(by !== undefined && { sort: { by, order: 'descending', compare } }) };
}

export function bytesColumn<Row, Sort extends string>(
  text: string,
  bytesOf: (row: Row) => number | null,
  by?: Sort,
): Column<Row, Sort> {
  return numberColumn(text, bytesOf, bytesCell, by);
}

export function countColumn<Row, Sort extends string>(
  text: string,
  countOf: (row: Row) => number | null,
  by?: Sort,
): Column<Row, Sort> {
  return numberColumn(text, countOf, countCell, by);
}

export function textColumn<Row, Sort extends string>(text: string, textOf: (row: Row) => string): Column<Row, Sort> {
  return { text, cell: (row) => ({ content: textOf(row) }) };
}

/** The column that names the rows. @param by its sort key @param compare their order by it, by default that of the rows */
export function nameColumn<Row, Sort extends string>(
  text: string,
  cell: (row: Row) => Cell,
  by?: Sort,
  compare?: (a: Row, b: Row) => number,
): Column<Row, Sort> {
  const sort = by === undefined ? {} : { sort: { by, order: 'ascending' as const, ...(compare && { compare }) } };
  return { text, kind: 'place', cell, ...sort };
}

/** Short text, with the exact number as tooltip. @param bytes null if unknown */
export function bytesCell(bytes: number | null): Cell {
  if (bytes === null) return { content: strings.unknown };
  return { content: byteText(bytes), title: formatExactBytes(bytes), value: bytes };
}

function countCell(count: number | null): Cell {
  return count === null ? { content: strings.unknown } : { content: countText(count), value: count };
}

export function textCell(content: string): Cell {
  return { content, title: content };
}

/** The name of a row: a link where it leads to a line. */
export function placeCell(name: string, opens: boolean): Cell {
  return { content: opens ? el('button', { class: 'link', title: strings.openPlace(name) }, name) : name };
}
