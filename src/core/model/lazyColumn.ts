import { Growable } from './growable.js';

/** A column in which most inputs have the same value everywhere: there it takes no memory. Rows are set in order. */
export class LazyColumn {
  private column: Growable<Uint32Array> | null = null;

  /** @param usual the value that needs no column, and that of rows that are not set */
  constructor(private readonly usual: number) {}

  set(row: number, value: number): void {
    if (value === this.usual) return;
    this.column ??= new Growable(Uint32Array, row + 64);
    this.fill(this.column, row);
    this.column.push(value);
  }

  /** The values of so many rows, null if all are the usual one; the column is empty afterwards. */
  take(rows: number): Uint32Array | null {
    const { column } = this;
    this.column = null;
    if (column === null) return null;
    this.fill(column, rows);
    return column.take();
  }

  private fill(column: Growable<Uint32Array>, rows: number): void {
    const missing = rows - column.length;
    if (missing <= 0) return;
    column.reserve(missing);
    column.data.fill(this.usual, column.length, rows);
    column.length = rows;
  }
}
