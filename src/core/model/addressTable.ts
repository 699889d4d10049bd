const FREE = -1;

/**
 * A map from 64-bit addresses to rows, for tables of millions. Open addressing with linear probing; a deletion moves
 * later entries up, so that no marks of the dead pile up.
 */
export class AddressTable {
  size = 0;
  private low = new Int32Array(1 << 10);
  private high = new Int32Array(1 << 10);
  private row = new Int32Array(1 << 10).fill(FREE);

  /** The row of an address, -1 if there is none. */
  get(low: number, high: number): number {
    return this.row[this.find(low, high)];
  }

  set(low: number, high: number, row: number): void {
    let place = this.find(low, high);
    if (this.row[place] === FREE) {
      if (this.size * 2 >= this.row.length) {
        this.grow();
        place = this.find(low, high);
      }
      this.size++;
    }
    this.low[place] = low;
    this.high[place] = high;
    this.row[place] = row;
  }

  /** @returns the row that the address had, -1 if none */
  delete(low: number, high: number): number {
    let hole = this.find(low, high);
    const row = this.row[hole];
    if (row === FREE) return FREE;
    this.size--;
    const mask = this.row.length - 1;
    for (let place = (hole + 1) & mask; this.row[place] !== FREE; place = (place + 1) & mask) {
      const home = hash(this.low[place], this.high[place]) & mask;
      // An entry whose home lies behind the hole (on the ring) may not move before it.
      if (((place - home) & mask) < ((place - hole) & mask)) continue;
      this.low[hole] = this.low[place];
      this.high[hole] = this.high[place];
      this.row[hole] = this.row[place];
      hole = place;
    }
    this.row[hole] = FREE;
    return row;
  }

  /** Every row, in no order. */
  *rows(): Generator<number> {
    for (const row of this.row) if (row !== FREE) yield row;
  }

  private find(lowWord: number, highWord: number): number {
    // As signed words, which the engine never makes heap objects of.
    const low = lowWord | 0;
    const high = highWord | 0;
    const { row, low: lows, high: highs } = this;
    const mask = row.length - 1;
    let place = hash(low, high) & mask;
    while (row[place] !== FREE && (lows[place] !== low || highs[place] !== high)) place = (place + 1) & mask;
    return place;
  }

  private grow(): void {
    const { low, high, row } = this;
    this.low = new Int32Array(row.length * 2);
    this.high = new Int32Array(row.length * 2);
    this.row = new Int32Array(row.length * 2).fill(FREE);
    for (let i = 0; i < row.length; i++) {
      if (row[i] === FREE) continue;
      const place = this.find(low[i], high[i]);
      this.low[place] = low[i];
      this.high[place] = high[i];
      this.row[place] = row[i];
    }
  }
}

/** Addresses are multiples of 512: their low bits say nothing. */
function hash(low: number, high: number): number {
  const mixed = Math.imul((low >>> 9) ^ Math.imul(high, 0x85ebca6b), 0x9e3779b1);
  return mixed ^ (mixed >>> 15);
}
