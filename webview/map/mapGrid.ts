/** The segments as rows and their pieces as cells, each as wide as its bytes, walked by keys. */
import { PIECES, type MapSegment, type MemoryMapAnswer } from '../../src/protocol/mapData.js';
import { el } from '../dom.js';
import type { Picture } from '../picture/picture.js';
import { pictureOfBoxes } from '../picture/pictureOfBoxes.js';
import { strings } from '../strings.js';
import { ownerName } from '../layer/bandText.js';
import { ownerOfPiece, pieceText, poolText } from './mapText.js';

export interface MapGridHandlers {
  open(piece: number): void;
  /** What is under the mouse, or else where the keys are. */
  look(piece: number | null): void;
}

export class MapGrid {
  readonly element = el('div', {
    class: 'map-grid',
    attributes: { role: 'grid', 'aria-label': strings.mapGrid, 'aria-description': strings.mapHelp },
  });
  private cells: HTMLElement[] = [];
  private map: MemoryMapAnswer | null = null;
  private current = 0;

  constructor(private readonly on: MapGridHandlers) {
    const pieceOf = (event: Event): number => this.cells.indexOf(event.target as HTMLElement);
    const lookBack = (): void => {
      on.look(this.element.contains(document.activeElement) ? this.current : null);
    };
    this.element.addEventListener('click', (event) => {
      const piece = pieceOf(event);
      if (piece === -1) return;
      const again = piece === this.current && this.cells[piece].classList.contains('picked');
      this.moveTo(piece);
      this.cells[piece].classList.add('picked');
      if (again || event.ctrlKey || event.metaKey) on.open(piece);
    });
    this.element.addEventListener('mousemove', (event) => {
      const piece = pieceOf(event);
      if (piece === -1) lookBack();
      else on.look(piece);
    });
    this.element.addEventListener('mouseleave', lookBack);
    this.element.addEventListener('focusin', () => {
      on.look(this.current);
    });
    this.element.addEventListener('keydown', (event) => {
      if (!event.altKey && !event.shiftKey && this.key(event.key)) event.preventDefault();
    });
  }

  picture(): Picture {
    return pictureOfBoxes(
      this.element,
      this.element.querySelectorAll<HTMLElement>('.segment-label, .segment-bar, .piece'),
    );
  }

  show(map: MemoryMapAnswer): void {
    this.map = map;
    this.cells = Array.from(map.pieces.bytes, (_, piece) => cellOf(map, piece));
    const rows = map.segments.map((segment, row) => {
      const cells = this.cells.filter((_, piece) => map.pieces.row[piece] === row);
      return rowOf(map, segment, cells);
    });
    this.element.replaceChildren(...rows);
    this.current = 0;
    this.cells.at(0)?.setAttribute('tabindex', '0');
  }

  private key(key: string): boolean {
    const to = {
      ArrowLeft: this.current - 1,
      ArrowRight: this.current + 1,
      ArrowUp: this.inRow(-1),
      ArrowDown: this.inRow(1),
      Home: 0,
      End: this.cells.length - 1,
    }[key];
    if (to !== undefined) {
      if (to >= 0 && to < this.cells.length) this.moveTo(to);
      return true;
    }
    if (key !== 'Enter' || this.cells.length === 0) return false;
    this.on.open(this.current);
    return true;
  }

  /** The piece of the next row that lies where the current one begins; -1 if there is no such row. */
  private inRow(step: 1 | -1): number {
    if (this.map === null || this.cells.length === 0) return -1;
    const { pieces, segments } = this.map;
    const at = (row: number): { piece: number; from: number }[] => {
      let from = 0;
      const of: { piece: number; from: number }[] = [];
      pieces.row.forEach((its, piece) => {
        if (its !== row) return;
        of.push({ piece, from });
        from += pieces.bytes[piece] / segments[row].reservedBytes;
      });
      return of;
    };
    const row = pieces.row[this.current];
    const here = at(row).find(({ piece }) => piece === this.current)?.from ?? 0;
    return at(row + step).findLast(({ from }) => from <= here)?.piece ?? -1;
  }

  private moveTo(piece: number): void {
    const before = this.cells[this.current];
    before.setAttribute('tabindex', '-1');
    if (piece !== this.current) before.classList.remove('picked');
    this.current = piece;
    this.cells[piece].setAttribute('tabindex', '0');
    this.cells[piece].focus();
    this.on.look(piece);
  }
}

function cellOf(map: MemoryMapAnswer, piece: number): HTMLElement {
  const { kind, bytes, liveBytes } = map.pieces;
  const owner = ownerOfPiece(map, piece);
  const cell = el(
    'div',
    {
      class: `piece of-${PIECES[kind[piece]]}`,
      attributes: { role: 'gridcell', tabindex: '-1', 'aria-label': pieceText(map, piece) },
    },
    owner === null ? '' : ownerName(owner, 'name'),
  );
  cell.style.setProperty('flex-grow', String(bytes[piece]));
  cell.style.setProperty('--share', `${(liveBytes[piece] / bytes[piece]) * 100}%`);
  return cell;
}

function rowOf(map: MemoryMapAnswer, segment: MapSegment, cells: readonly HTMLElement[]): HTMLElement {
  const { reservedBytes, liveBytes, freeBytes, largestFreeBytes } = segment;
  const numbers = strings.segmentLabel(reservedBytes, liveBytes, freeBytes, largestFreeBytes);
  const label = el('div', { class: 'segment-label', attributes: { role: 'rowheader' } }, numbers);
  label.append(el('span', { class: 'aside' }, ` · ${poolText(map.pools[segment.pool])}`));
  if (segment.isPinned) label.append(' · ', el('strong', { title: strings.pinnedHint }, strings.pinned));
  const bar = el('div', { class: 'segment-bar', attributes: { role: 'presentation' } }, ...cells);
  return el('div', { class: 'segment', attributes: { role: 'row' } }, label, bar);
}
