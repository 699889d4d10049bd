/** The table of what is live: one row for each line and bucket, a total that is the live bytes, sortable heads. */
import type { LiveLine } from '../../src/protocol/timelineData.js';
import { el } from '../dom.js';
import { formatBytes, formatCount, formatExactBytes, formatShare } from '../format.js';
import { placeText } from '../place.js';
import { strings } from '../strings.js';
import type { LiveSort } from '../viewState.js';
import { sumOf, type LiveRow } from './rows.js';

/** So many rows at once; more on request. */
const PAGE = 200;

/** What the rows of a table are parts of. */
export interface Whole {
  bytes: number;
  /** Says what it is, with the exact bytes. */
  name: string;
}

export interface LiveTableHandlers {
  sort(by: LiveSort): void;
  open(line: LiveLine): void;
}

export class LiveTable {
  readonly element: HTMLTableElement;
  private readonly body = el('tbody');
  private readonly foot = el('tfoot');
  private readonly heads: Record<LiveSort, HTMLTableCellElement>;

  constructor(private readonly on: LiveTableHandlers) {
    this.heads = {
      bytes: this.sortableHead('bytes', strings.columnBytes, 'number'),
      blocks: this.sortableHead('blocks', strings.columnBlocks, 'number'),
      line: this.sortableHead('line', strings.columnLine, ''),
    };
    const head = (text: string): HTMLElement => el('th', { attributes: { scope: 'col' } }, text);
    const { bytes, blocks, line } = this.heads;
    const heads = el('tr', {}, bytes, head(strings.columnShare), blocks, line, head(strings.columnFunction));
    this.element = el(
      'table',
      { class: 'live-table', attributes: { 'aria-labelledby': 'live-heading' } },
      el('thead', {}, heads),
      this.body,
      this.foot,
    );
    this.body.addEventListener('keydown', (event) => {
      if (this.moveFocus(event.key)) event.preventDefault();
    });
  }

  /**
   * @param rows those that match the filter, in order
   * @param all how many there are without the filter
   */
  show(whole: Whole, rows: readonly LiveRow[], all: number, sort: LiveSort): void {
    for (const [by, head] of Object.entries(this.heads)) {
      head.setAttribute('aria-sort', by !== sort ? 'none' : by === 'line' ? 'ascending' : 'descending');
    }
    this.body.replaceChildren();
    this.append(whole, rows, 0);
    this.foot.replaceChildren(...this.footRows(whole, rows, all));
  }

  /** Scrolls to the line that led here, if it is live. */
  revealPointedOut(): void {
    this.body.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }

  private append(whole: Whole, rows: readonly LiveRow[], from: number): void {
    this.body.append(...rows.slice(from, from + PAGE).map((row) => this.rowOf(row, whole)));
    const next = from + PAGE;
    if (next >= rows.length) return;
    const more = el('button', { class: 'link' }, strings.showMore(Math.min(PAGE, rows.length - next)));
    const holder = el('tr', {}, el('td', { attributes: { colspan: '5' } }, more));
    more.addEventListener('click', () => {
      holder.remove();
      this.append(whole, rows, next);
      this.buttons()[next]?.focus();
    });
    this.body.append(holder);
  }

  private rowOf(row: LiveRow, whole: Whole): HTMLElement {
    const share = formatShare(row.bytes, whole.bytes);
    const bar = el('span', { class: 'bar', attributes: { 'aria-hidden': 'true' } });
    bar.style.setProperty('--share', String(Math.min(1, Math.max(0, row.bytes / whole.bytes))));
    const element = el(
      'tr',
      {},
      el('td', { class: 'number', title: formatExactBytes(row.bytes) }, formatBytes(row.bytes)),
      el('td', { class: 'share' }, bar, el('span', { class: 'percent' }, share)),
      el('td', { class: 'number' }, formatCount(row.blocks)),
      ...(row.kind === 'line' ? this.lineCells(row.line, row.pointedOut) : bucketCells(row.kind)),
    );
    if (row.kind === 'line' && row.pointedOut) element.setAttribute('aria-current', 'true');
    if (row.kind === 'line' && row.line.mapped) {
      element.classList.add('opens');
      element.addEventListener('click', () => {
        if (document.getSelection()?.isCollapsed !== false) this.on.open(row.line);
      });
    }
    return element;
  }

  private lineCells(line: LiveLine, pointedOut: boolean): HTMLElement[] {
    const where = placeText(line.file, line.line);
    const place = el('td', { class: 'place' });
    if (pointedOut) place.append(el('span', { class: 'pointer', title: strings.pointedOut }, '▶ '));
    if (line.mapped) {
      // The row's own listener sees the click, and the Enter that becomes one.
      place.append(el('button', { class: 'link', title: strings.openLine(line.file, line.line) }, where));
    } else {
      place.append(el('span', {}, where), el('span', { class: 'aside' }, ` (${strings.notMapped})`));
    }
    const { text, title } = functionText(line);
    return [place, el('td', { class: 'function', title }, text)];
  }

  private footRows(whole: Whole, rows: readonly LiveRow[], all: number): HTMLElement[] {
    const total = el(
      'tr',
      { class: 'total' },
      el('td', { class: 'number', title: formatExactBytes(whole.bytes) }, formatBytes(whole.bytes)),
      el('td', { class: 'share' }, formatShare(whole.bytes, whole.bytes)),
      el('td', { class: 'number' }, formatCount(sumOf(rows).blocks)),
      el('th', { attributes: { scope: 'row', colspan: '2' } }, `${strings.total} ${whole.name}`),
    );
    if (rows.length === all) return [total];
    const shown = sumOf(rows);
    const part = el(
      'tr',
      {},
      el('td', { class: 'number', title: formatExactBytes(shown.bytes) }, formatBytes(shown.bytes)),
      el('td', { class: 'share' }, formatShare(shown.bytes, whole.bytes)),
      el('td', { class: 'number' }, formatCount(shown.blocks)),
      el('th', { attributes: { scope: 'row', colspan: '2' } }, strings.shown(rows.length, all)),
    );
    return [part, total];
  }

  private sortableHead(by: LiveSort, text: string, kind: string): HTMLTableCellElement {
    const button = el('button', { class: 'sort', title: strings.sortBy(text) }, text);
    button.addEventListener('click', () => {
      this.on.sort(by);
    });
    return el('th', { class: kind, attributes: { scope: 'col' } }, button);
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
    return [...this.body.querySelectorAll<HTMLButtonElement>('td.place button')];
  }
}

/** The function of a line; of a stack, who called whom. */
function functionText({ frames, function: name }: LiveLine): { text: string; title: string } {
  if (frames === null) return { text: name, title: name };
  return {
    text: frames.map((frame) => frame.function).join(' \u2190 '),
    title: frames.map((frame) => `${placeText(frame.file, frame.line)} ${frame.function}`).join('\n'),
  };
}

function bucketCells(kind: Exclude<LiveRow['kind'], 'line'>): HTMLElement[] {
  const hint = {
    library: strings.libraryHint,
    beforeRecording: strings.beforeRecordingHint,
    noStack: strings.noStackHint,
    unexplained: strings.unexplainedHint,
  }[kind];
  return [el('td', { class: 'place' }, strings[kind]), el('td', { class: 'aside' }, hint)];
}
