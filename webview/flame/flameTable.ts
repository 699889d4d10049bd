/** The flame graph as rows: a call each, as deep as in the graph, a foot that is the sum of what they allocated. */
import type { Flame } from '../../src/protocol/flameData.js';
import { el } from '../dom.js';
import { formatCount, formatShare } from '../format.js';
import { strings } from '../strings.js';
import { bytesCell, headCell, sortHead } from '../table/cells.js';
import { PagedRows } from '../table/pagedRows.js';
import type { SourceLine } from '../viewState.js';
import type { FlameItem } from './flameItems.js';
import { FLAME_SORTS, type FlameSort } from './flameState.js';
import { itemName } from './flameText.js';

const COLUMNS = 6;

export class FlameTable {
  readonly element: HTMLTableElement;
  private readonly body = new PagedRows();
  private readonly foot = el('tfoot');
  private readonly heads: Record<FlameSort, HTMLTableCellElement>;

  constructor(private readonly on: { sort(by: FlameSort): void; open(line: SourceLine): void }) {
    const sortable = (by: FlameSort, kind: string): HTMLTableCellElement =>
      sortHead(strings.flameColumn[by], kind, () => {
        this.on.sort(by);
      });
    this.heads = {
      call: sortable('call', ''),
      self: sortable('self', 'number'),
      bytes: sortable('bytes', 'number'),
      blocks: sortable('blocks', 'number'),
    };
    const { call, self, bytes, blocks } = this.heads;
    const level = headCell(strings.columnLevel, 'number');
    this.element = el(
      'table',
      { class: 'flame-table', attributes: { 'aria-label': strings.flameTable } },
      el('thead', {}, el('tr', {}, call, level, self, bytes, headCell(strings.columnShare, 'number'), blocks)),
      this.body.element,
      this.foot,
    );
  }

  /**
   * @param items all of the graph
   * @param rows those that are looked for
   */
  show(flame: Flame, items: readonly FlameItem[], rows: readonly FlameItem[], sort: FlameSort): void {
    for (const by of FLAME_SORTS) {
      const order = by === 'call' ? 'ascending' : 'descending';
      this.heads[by].setAttribute('aria-sort', by === sort ? order : 'none');
    }
    this.element.classList.toggle('in-order', sort === 'call');
    this.body.show(sortItems(rows, sort), COLUMNS, (item) => this.rowOf(item, flame));
    const note = el('tr', {}, el('td', { attributes: { colspan: String(COLUMNS) } }));
    note.cells[0].append(strings.shown(rows.length, items.length));
    this.foot.replaceChildren(...(rows.length < items.length ? [note] : []), totalRow(flame, items));
  }

  private rowOf(item: FlameItem, { liveBytes }: Flame): HTMLElement {
    const { call, level } = item;
    const name = itemName(item);
    const opens = call?.mapped === true && call.line > 0;
    const place = el('th', { class: 'place', attributes: { scope: 'row' } });
    place.style.setProperty('--depth', String(level - 1));
    // The row's own listener sees the click, and the Enter that becomes one.
    place.append(opens ? el('button', { class: 'link', title: strings.openPlace(name) }, name) : name);
    const row = el(
      'tr',
      {},
      place,
      el('td', { class: 'number' }, String(level - 1)),
      bytesCell(item.self),
      bytesCell(item.bytes),
      el('td', { class: 'number' }, formatShare(item.bytes, liveBytes)),
      el('td', { class: 'number' }, item.blocks === null ? strings.unknown : formatCount(item.blocks)),
    );
    if (opens) {
      row.classList.add('opens');
      row.addEventListener('click', () => {
        if (document.getSelection()?.isCollapsed !== false) this.on.open(call);
      });
    }
    return row;
  }
}

/** A sorted copy; what is not known comes last, and what is equal in the order of the graph. */
function sortItems(items: readonly FlameItem[], sort: FlameSort): FlameItem[] {
  if (sort === 'call') return [...items];
  return [...items].sort((a, b) => (b[sort] ?? -1) - (a[sort] ?? -1));
}

/** What all calls in view allocated themselves is what went through the topmost of which that is known. */
function totalRow({ focus, liveBytes }: Flame, items: readonly FlameItem[]): HTMLElement {
  const self = items.reduce((sum, item) => sum + (item.self ?? 0), 0);
  const { bytes, blocks } = items[focus.length];
  return el(
    'tr',
    { class: 'total' },
    el('th', { attributes: { scope: 'row', colspan: '2' } }, strings.total),
    bytesCell(self),
    bytesCell(bytes),
    el('td', { class: 'number' }, formatShare(bytes, liveBytes)),
    el('td', { class: 'number' }, blocks === null ? strings.unknown : formatCount(blocks)),
  );
}
