import { addressHash, PROCESS_KEY } from './hashing.js';

const FREE = -1;
/** Words of one entry: address, row, and a spare one for alignment to the processor's cache lines. */
const PLACE = 4;
const ROW = 2;

/**
 * A map from 64-bit addresses to rows, for millions of them. Open addressing with linear probing. Deletions move later
 * entries up and leave no marks. Address words may be signed.
 */
export class AddressTable {
  size = 0;
  private places: number;
  private cells: Int32Array;

  /** @param expected addresses, a guess that spares growing */
  constructor(expected = 0) {
    this.places = 16;
    while (this.places < 2 * expected) this.places *= 2;
    this.cells = freeCells(this.places);
  }

  /** The row of an address, -1 if there is none. */
  get(low: number, high: number): number {
    return this.cells[this.find(low | 0, high | 0) + ROW];
  }

  /** @returns the row that the address had before, -1 if none */
  set(low: number, high: number, row: number): number {
    let at = this.find(low | 0, high | 0);
    const before = this.cells[at + ROW];
    if (before === FREE) {
      if (this.size * 2 >= this.places) {
        this.grow();
        at = this.find(low | 0, high | 0);
      }
      this.size++;
    }
    this.cells[at] = low;
    this.cells[at + 1] = high;
    this.cells[at + ROW] = row;
    return before;
  }

  /** @returns the row that the address had, -1 if none */
  delete(low: number, high: number): number {
    const { cells } = this;
    let hole = this.find(low | 0, high | 0);
    const row = cells[hole + ROW];
    if (row === FREE) return FREE;
    this.size--;
    const mask = cells.length - 1;
    for (let at = (hole + PLACE) & mask; cells[at + ROW] !== FREE; at = (at + PLACE) & mask) {
      const home = (addressHash(cells[at], cells[at + 1], PROCESS_KEY) & (this.places - 1)) * PLACE;
      // An entry whose home lies behind the hole (on the ring) may not move before it.
      if (((at - home) & mask) < ((at - hole) & mask)) continue;
      for (let word = 0; word < PLACE; word++) cells[hole + word] = cells[at + word];
      hole = at;
    }
    cells[hole + ROW] = FREE;
    return row;
  }

  /** Every row, in no order. */
  *rows(): Generator<number> {
    for (let at = ROW; at < this.cells.length; at += PLACE) if (this.cells[at] !== FREE) yield this.cells[at];
  }

  /** Where an address is, or would be. */
  private find(low: number, high: number): number {
    const { cells } = this;
    const mask = cells.length - 1;
    let at = (addressHash(low, high, PROCESS_KEY) & (this.places - 1)) * PLACE;
    while (cells[at + ROW] !== FREE && (cells[at] !== low || cells[at + 1] !== high)) at = (at + PLACE) & mask;
    return at;
  }

  private grow(): void {
    const { cells } = this;
    this.places *= 2;
    this.cells = freeCells(this.places);
    for (let from = 0; from < cells.length; from += PLACE) {
      if (cells[from + ROW] === FREE) continue;
      const to = this.find(cells[from], cells[from + 1]);
      for (let word = 0; word < PLACE; word++) this.cells[to + word] = cells[from + word];
    }
  }
}

function freeCells(places: number): Int32Array {
  return new Int32Array(places * PLACE).fill(FREE);
}
