/** The segments side by side and their pieces in them, each as wide as its bytes, walked by keys. */
import { PIECES, type MapSegment, type MemoryMapAnswer } from '../../src/protocol/mapData.js';
import { el } from '../dom.js';
import type { Picture } from '../picture/picture.js';
import { pictureOfBoxes } from '../picture/pictureOfBoxes.js';
import { strings } from '../strings.js';
import { ownerName } from '../layer/bandText.js';
import type { SourceLine } from '../viewState.js';
import { ownerOfPiece, pieceText, poolText } from './mapText.js';

/** Height of a row of segments with its gap, in letters. */
const ROW_EM = 2.1;

export interface MapGridHandlers {
  open(piece: number): void;
  /** The colour of a line in the chart; null where no series is its own. */
  fillOf(line: SourceLine): string | null;
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
  /** The segment that fills the width; null while all show. */
  private zoomed: number | null = null;

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
    this.cells = Array.from(map.pieces.bytes, (_, piece) => cellOf(map, piece, this.on));
    const rows = map.segments.map((segment, row) => {
      const cells = this.cells.filter((_, piece) => map.pieces.row[piece] === row);
      return rowOf(map, segment, cells);
    });
    this.element.replaceChildren(...rows);
    this.fit();
    this.zoom(this.zoomed !== null && this.zoomed < rows.length);
    this.current = 0;
    this.cells.at(0)?.setAttribute('tabindex', '0');
  }

  /** Lays the segments out so that all of them are seen at once, each as wide as its bytes. */
  fit(): void {
    const frame = this.element.parentElement;
    if (this.map === null || frame === null || frame.clientHeight === 0) return;
    const { segments } = this.map;
    const rowHeight = Number.parseFloat(getComputedStyle(this.element).fontSize) * ROW_EM;
    const rows = Math.max(1, Math.floor(frame.clientHeight / rowHeight) - 1);
    const total = segments.reduce((sum, { reservedBytes }) => sum + reservedBytes, 0);
    const perRow = Math.max(total / rows, ...segments.map(({ reservedBytes }) => reservedBytes));
    segments.forEach(({ reservedBytes }, row) => {
      (this.element.children[row] as HTMLElement).style.setProperty('--size', String(reservedBytes / perRow));
    });
  }

  /** Shows the segment of the current piece over the whole width, or all segments. */
  zoom(closer: boolean): void {
    this.zoomed = closer && this.map !== null ? (this.map.pieces.row.at(this.current) ?? null) : null;
    this.element.classList.toggle('zoomed', this.zoomed !== null);
    [...this.element.children].forEach((row, index) => {
      (row as HTMLElement).hidden = this.zoomed !== null && index !== this.zoomed;
    });
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
    if (this.cells.length === 0) return false;
    if (key === ' ' || key === 'Escape') this.zoom(key === ' ');
    else if (key === 'Enter') this.on.open(this.current);
    else return false;
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
    if (this.map !== null && this.zoomed !== null && this.map.pieces.row[piece] !== this.zoomed) {
      this.current = piece;
      this.zoom(true);
    }
    before.setAttribute('tabindex', '-1');
    if (this.cells[piece] !== before) before.classList.remove('picked');
    this.current = piece;
    this.cells[piece].setAttribute('tabindex', '0');
    this.cells[piece].focus();
    this.on.look(piece);
  }
}

function cellOf(map: MemoryMapAnswer, piece: number, on: MapGridHandlers): HTMLElement {
  const { kind, bytes, liveBytes } = map.pieces;
  const owner = ownerOfPiece(map, piece);
  const fill = owner?.place == null ? null : on.fillOf(owner.place);
  const cell = el(
    'div',
    {
      class: `piece of-${PIECES[kind[piece]]}${fill === null ? '' : ' of-series'}`,
      attributes: { role: 'gridcell', tabindex: '-1', 'aria-label': pieceText(map, piece) },
    },
    owner === null ? '' : ownerName(owner, 'name'),
  );
  if (fill !== null) cell.style.setProperty('--fill', fill);
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
  return el('div', { class: segment.isPinned ? 'segment pinned' : 'segment', attributes: { role: 'row' } }, label, bar);
}
