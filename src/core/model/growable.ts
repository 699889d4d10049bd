/** Typed columns that grow. Growth is by half, so that a column of unknown length wastes at most a third of its memory. */

type Column = Uint8Array | Uint32Array | Int32Array | Float64Array;
type ColumnConstructor<T extends Column> = new (length: number) => T;

/** A typed array with a length of its own. Read `data` after the last `push`: growth replaces it. */
export class Growable<T extends Column> {
  length = 0;
  data: T;

  constructor(
    private readonly create: ColumnConstructor<T>,
    capacity = 64,
  ) {
    this.data = new create(capacity);
  }

  push(value: number): void {
    if (this.length === this.data.length) this.reserve(1);
    this.data[this.length++] = value;
  }

  /** Makes room for `more` values behind the present ones. */
  reserve(more: number): void {
    const needed = this.length + more;
    if (needed <= this.data.length) return;
    const next = new this.create(Math.max(needed, this.data.length + (this.data.length >> 1)));
    next.set(this.data.subarray(0, this.length));
    this.data = next;
  }

  /** The values in an array of exactly their number; the growable is empty afterwards. */
  take(): T {
    const taken = this.data.length === this.length ? this.data : (this.data.slice(0, this.length) as T);
    this.data = new this.create(0);
    this.length = 0;
    return taken;
  }
}

/** A longer column with the values of another. */
export function resized<T extends Column>(from: T, to: T): T {
  to.set(from);
  return to;
}

type Columns = Readonly<Record<string, Growable<Column>>>;
type Table<Of extends Columns> = { readonly count: number } & { readonly [Name in keyof Of]: Of[Name]['data'] };

/** The values of columns of one length, each as {@link Growable.take} gives them. */
export function takeTable<Of extends Columns>(columns: Of): Table<Of> {
  const [{ length }] = Object.values(columns);
  const taken = Object.entries(columns).map(([name, column]) => [name, column.take()] as const);
  return { count: length, ...Object.fromEntries(taken) } as Table<Of>;
}
