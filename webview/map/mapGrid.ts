/** The segments side by side and their pieces in them, each as wide as its bytes, walked by keys. */
import { PIECES, type MapSegment, type MemoryMapAnswer } from '../../src/protocol/mapData.js';
import { el } from '../ui/dom.js';
import { t, tCount } from '../../src/core/text/translate.js';
import { byteText } from '../../src/core/text/numberText.js';
import { strings } from '../text/strings.js';
import { ownerName } from '../layer/bandText.js';
import type { SourceLine } from '../model/viewState.js';
import { ownerOfPiece, pieceText, poolText } from './mapText.js';

/** Least and most height of a row of segments with its gap, in letters. */
const ROW_EM = 2;
const HIGHEST_EM = 6;
/** Between segments, and the least width of one with it, in pixels. */
const GAP = 3;
const LEAST = 2 * GAP;
/** Width of a letter of a name, and of the space around the name, in letters of the page. */
const LETTER_EM = 0.62;
const AROUND_EM = 0.8;

interface MapGridHandlers {
  open(piece: number): void;
  /** Requests one segment, or all. @param address null for all */
  zoom(address: string | null): void;
  /** The color of a line in the chart; null without a series of its own. */
  fillOf(line: SourceLine): string | null;
  /** The block under the mouse, else at the keyboard's place. */
  look(piece: number | null): void;
}

export class MapGrid {
  readonly element = el('div', {
    class: 'map-grid',
    role: 'grid',
    'aria-label': t('Segments to scale, the largest first, each with its blocks in the order of their addresses'),
    'aria-description': t(
      'Arrow keys go from block to block and from segment to segment. Space zooms into a segment, Escape shows all, Enter opens the line of a block.',
    ),
  });
  private cells: HTMLElement[] = [];
  private map: MemoryMapAnswer | null = null;
  private current = 0;

  constructor(private readonly on: MapGridHandlers) {
    const pieceOf = (event: Event): number => this.cells.indexOf(event.target as HTMLElement);
    const lookBack = (): void => on.look(this.element.contains(document.activeElement) ? this.current : null);
    this.element.addEventListener('click', (event) => {
      const piece = pieceOf(event);
      if (piece === -1) return;
      const again = piece === this.current && this.cells[piece].classList.contains('selected');
      this.moveTo(piece);
      this.cells[piece].classList.add('selected');
      if (again || event.ctrlKey || event.metaKey) on.open(piece);
    });
    this.element.addEventListener('mousemove', (event) => {
      const piece = pieceOf(event);
      if (piece === -1) lookBack();
      else on.look(piece);
    });
    this.element.addEventListener('mouseleave', lookBack);
    this.element.addEventListener('focusin', () => on.look(this.current));
    this.element.addEventListener('keydown', (event) => {
      if (!event.altKey && !event.shiftKey && this.key(event.key)) event.preventDefault();
    });
  }

  show(map: MemoryMapAnswer): void {
    const hadFocus = this.element.contains(document.activeElement);
    const before = this.map;
    this.map = map;
    this.cells = Array.from(map.pieces.bytes, (_, piece) => cellOf(map, piece, this.on));
    const cellsOf = map.segments.map((): HTMLElement[] => []);
    this.cells.forEach((cell, piece) => cellsOf[map.pieces.row[piece]].push(cell));
    const rows = map.segments.map((segment, row) => rowOf(map, segment, cellsOf[row]));
    const { segments: rest, reservedBytes, liveBytes } = map.others;
    if (map.only === null && rest > 0) {
      const title = tCount(
        rest,
        'and 1 smaller segment: {1} reserved, {2} live',
        'and {0} smaller segments: {1} reserved, {2} live',
        byteText(reservedBytes),
        byteText(liveBytes),
      );
      rows.push(el('div', { class: 'segment rest', title, role: 'row' }, el('div', { class: 'segment-bar' })));
    }
    this.element.replaceChildren(...rows);
    this.element.classList.toggle('zoomed', map.only !== null);
    // Back from one segment, its first block is where the keys are.
    const left = before?.only == null ? -1 : map.segments.findIndex(({ address }) => address === before.only);
    this.current = map.only === null && left >= 0 ? Math.max(0, map.pieces.row.indexOf(left)) : 0;
    this.cells.at(this.current)?.setAttribute('tabindex', '0');
    this.fit();
    if (hadFocus) this.cells.at(this.current)?.focus();
  }

  /** How many rows of segments there is room for. */
  rows(): number {
    return Math.max(1, Math.floor((this.element.parentElement?.clientHeight ?? 0) / (this.em() * ROW_EM)));
  }

  /** Lays the segments out so that all of them are seen at once, each as wide as its bytes. */
  fit(): void {
    const { map } = this;
    const { clientWidth: width = 0, clientHeight: height = 0 } = this.element.parentElement ?? {};
    if (map === null || width === 0 || height === 0) return;
    const em = this.em();
    const sizes = map.segments.map(({ reservedBytes }) => reservedBytes);
    if (map.only === null && map.others.segments > 0) sizes.push(map.others.reservedBytes);
    const rowsAt = (scale: number): number => rowsOf(sizes, scale, width);
    // The largest scale at which all of them fit.
    let [low, high] = [0, width / Math.max(1, ...sizes)];
    // Where even the narrowest boxes take more rows than there is room for, these many.
    const max = Math.max(this.rows(), rowsAt(0));
    if (rowsAt(high) > max) {
      for (let halving = 0; halving < 40; halving++) {
        const middle = (low + high) / 2;
        if (rowsAt(middle) > max) high = middle;
        else low = middle;
      }
    } else low = high;
    const room = Math.min(HIGHEST_EM * em, height / rowsAt(low));
    this.element.style.setProperty('--row', `${Math.floor(room) - GAP}px`);
    sizes.forEach(
      (size, row) =>
        ((this.element.children[row] as HTMLElement).style.width = `${Math.max(LEAST, size * low) - GAP}px`),
    );
    map.pieces.bytes.forEach((bytes, piece) => {
      const { classList, textContent: name } = this.cells[piece];
      classList.toggle('narrow', bytes * low < (name.length * LETTER_EM + AROUND_EM) * em);
    });
  }

  /** Shows the segment of the current piece alone, or all segments. */
  zoom(closer: boolean): void {
    const row = this.map?.pieces.row.at(this.current);
    const address = row === undefined ? null : (this.map?.segments[row].address ?? null);
    this.on.zoom(closer ? address : null);
  }

  private em(): number {
    return Number.parseFloat(getComputedStyle(this.element).fontSize);
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

  /** The piece of the next row at the start of the current one; -1 without such a row. */
  private inRow(step: 1 | -1): number {
    const here = this.cells.at(this.current)?.getBoundingClientRect();
    if (here === undefined) return -1;
    let best = -1;
    let bestTop = 0;
    this.cells.forEach((cell, piece) => {
      const { top, left } = cell.getBoundingClientRect();
      const away = (top - here.top) * step;
      if (away < 1) return;
      const nearer = best === -1 || (bestTop - top) * step > 1;
      if (nearer || (Math.abs(top - bestTop) <= 1 && left <= here.left + 1)) [best, bestTop] = [piece, top];
    });
    return best;
  }

  private moveTo(piece: number): void {
    const before = this.cells[this.current];
    before.setAttribute('tabindex', '-1');
    if (this.cells[piece] !== before) before.classList.remove('selected');
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
      role: 'gridcell',
      tabindex: '-1',
      'aria-label': pieceText(map, piece),
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
  const [reserved, live] = [byteText(reservedBytes), byteText(liveBytes)];
  const numbers =
    freeBytes === 0
      ? t('{0}: {1} live, nothing free', reserved, live)
      : t('{0}: {1} live, {2} free, largest {3}', reserved, live, byteText(freeBytes), byteText(largestFreeBytes));
  const label = el('div', { class: 'segment-label', role: 'rowheader' }, numbers);
  label.append(el('span', { class: 'secondary' }, ` · ${poolText(map.pools[segment.pool])}`));
  if (segment.isPinned)
    label.append(
      ' · ',
      el('strong', { title: t('Less than a tenth of the segment is live, and keeps it reserved') }, strings.pinned),
    );
  const bar = el('div', { class: 'segment-bar', role: 'presentation' }, ...cells);
  return el('div', { class: segment.isPinned ? 'segment pinned' : 'segment', role: 'row' }, label, bar);
}

/** Rows that boxes take which follow each other at a scale, in pixels per byte. */
function rowsOf(sizes: readonly number[], scale: number, width: number): number {
  let rows = 1;
  let used = 0;
  for (const size of sizes) {
    const own = Math.max(LEAST, size * scale);
    // Sums of fractions may be a hair too large.
    if (used > 0 && used + own > width + 0.01) {
      rows++;
      used = 0;
    }
    used += own;
  }
  return rows;
}
