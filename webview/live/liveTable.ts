/** The table of what is live: one row for each line and bucket, a total that is the live bytes, sortable heads. */
import type { LiveLine } from '../../src/protocol/timelineData.js';
import { el } from '../dom.js';
import { formatCount, formatShare } from '../format.js';
import { placeText } from '../place.js';
import { strings } from '../strings.js';
import { bytesCell, headCell, sortHead } from '../table/cells.js';
import { PagedRows } from '../table/pagedRows.js';
import type { LiveSort } from '../viewState.js';
import { sumOf, type LiveRow } from './rows.js';

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
  private readonly body = new PagedRows();
  private readonly foot = el('tfoot');
  private readonly heads: Record<LiveSort, HTMLTableCellElement>;

  constructor(private readonly on: LiveTableHandlers) {
    const sortable = (by: LiveSort, text: string, kind: string): HTMLTableCellElement =>
      sortHead(text, kind, () => {
        this.on.sort(by);
      });
    this.heads = {
      bytes: sortable('bytes', strings.columnBytes, 'number'),
      blocks: sortable('blocks', strings.columnBlocks, 'number'),
      line: sortable('line', strings.columnLine, ''),
    };
    const { bytes, blocks, line } = this.heads;
    const heads = el('tr', {}, bytes, headCell(strings.columnShare), blocks, line, headCell(strings.columnFunction));
    this.element = el(
      'table',
      { class: 'live-table', attributes: { 'aria-labelledby': 'live-heading' } },
      el('thead', {}, heads),
      this.body.element,
      this.foot,
    );
  }

  /**
   * @param rows those that match the filter, in order
   * @param all how many there are without the filter
   */
  show(whole: Whole, rows: readonly LiveRow[], all: number, sort: LiveSort): void {
    for (const [by, head] of Object.entries(this.heads)) {
      head.setAttribute('aria-sort', by !== sort ? 'none' : by === 'line' ? 'ascending' : 'descending');
    }
    this.body.show(rows, 5, (row) => this.rowOf(row, whole));
    this.foot.replaceChildren(...this.footRows(whole, rows, all));
  }

  /** Scrolls to the line that led here, if it is live. */
  revealPointedOut(): void {
    this.body.element.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }

  private rowOf(row: LiveRow, whole: Whole): HTMLElement {
    const share = formatShare(row.bytes, whole.bytes);
    const bar = el('span', { class: 'bar', attributes: { 'aria-hidden': 'true' } });
    bar.style.setProperty('--share', String(Math.min(1, Math.max(0, row.bytes / whole.bytes))));
    const element = el(
      'tr',
      {},
      bytesCell(row.bytes),
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
      bytesCell(whole.bytes),
      el('td', { class: 'share' }, formatShare(whole.bytes, whole.bytes)),
      el('td', { class: 'number' }, formatCount(sumOf(rows).blocks)),
      el('th', { attributes: { scope: 'row', colspan: '2' } }, `${strings.total} ${whole.name}`),
    );
    if (rows.length === all) return [total];
    const shown = sumOf(rows);
    const part = el(
      'tr',
      {},
      bytesCell(shown.bytes),
      el('td', { class: 'share' }, formatShare(shown.bytes, whole.bytes)),
      el('td', { class: 'number' }, formatCount(shown.blocks)),
      el('th', { attributes: { scope: 'row', colspan: '2' } }, strings.shown(rows.length, all)),
    );
    return [part, total];
  }
}

/** The function of a line; of a stack, who called whom. */
function functionText({ frames, hiddenFrames, function: name }: LiveLine): { text: string; title: string } {
  if (frames === null) return { text: name, title: name };
  return {
    text: frames.map((frame) => frame.function).join(' \u2190 '),
    title: [
      ...frames.map((frame) => `${placeText(frame.file, frame.line)} ${frame.function}`),
      ...(hiddenFrames === 0 ? [] : [strings.hiddenNative(hiddenFrames)]),
    ].join('\n'),
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
