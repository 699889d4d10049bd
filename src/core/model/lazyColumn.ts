import { Growable } from './growable.js';

/** A column in which most inputs have the same value everywhere: there it takes no memory. */
export class LazyColumn {
  private count = 0;
  private column: Growable<Uint32Array> | null = null;

  /** @param usual the value that needs no column */
  constructor(private readonly usual: number) {}

  push(value: number): void {
    if (this.column === null) {
      if (value === this.usual) {
        this.count++;
        return;
      }
      this.column = new Growable(Uint32Array, this.count + 64);
      this.column.data.fill(this.usual, 0, this.count);
      this.column.length = this.count;
    }
    this.column.push(value);
  }

  /** The values, null if all are the usual one; the column is empty afterwards. */
  take(): Uint32Array | null {
    const taken = this.column?.take() ?? null;
    this.column = null;
    this.count = 0;
    return taken;
  }
}
