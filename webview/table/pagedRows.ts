/** The body of a long table: a page of rows at once, more on request, and its links walked by arrow keys. */
import { el } from '../dom.js';
import { strings } from '../strings.js';

/** So many rows at once. */
const PAGE = 200;

export class PagedRows {
  readonly element = el('tbody');

  constructor() {
    this.element.addEventListener('keydown', (event) => {
      if (this.moveFocus(event.key)) event.preventDefault();
    });
  }

  /** @param columns of the table */
  show<Row>(rows: readonly Row[], columns: number, rowOf: (row: Row) => HTMLElement): void {
    this.element.replaceChildren();
    this.append(rows, columns, rowOf, 0);
  }

  private append<Row>(rows: readonly Row[], columns: number, rowOf: (row: Row) => HTMLElement, from: number): void {
    this.element.append(...rows.slice(from, from + PAGE).map(rowOf));
    const next = from + PAGE;
    if (next >= rows.length) return;
    const more = el('button', { class: 'link' }, strings.showMore(Math.min(PAGE, rows.length - next)));
    const holder = el('tr', {}, el('td', { attributes: { colspan: String(columns) } }, more));
    more.addEventListener('click', () => {
      holder.remove();
      this.append(rows, columns, rowOf, next);
      this.buttons()[next]?.focus();
    });
    this.element.append(holder);
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
    return [...this.element.querySelectorAll<HTMLButtonElement>('.place button')];
  }
}
