import type { Column } from '../model/snapshotCodec.js';
import type { SnapshotDigest } from './digest.js';
import { isDigest } from './digestCheck.js';

/** A digest as plain data: what JSON can hold, and all its typed arrays in one column of each type, in order. */
export interface PackedDigest {
  readonly facts: unknown;
  readonly columns: Readonly<Record<string, Column>>;
}

type DigestColumn = Float64Array | Uint32Array | Int32Array;

const TYPES = {
  $f64: Float64Array,
  $u32: Uint32Array,
  $i32: Int32Array,
} as const;
type Mark = keyof typeof TYPES;
const MARKS = Object.keys(TYPES) as Mark[];

/** Packs a digest: equal digests give equal data. In place of a typed array stands its length. */
export function packDigest(digest: SnapshotDigest): PackedDigest {
  const arrays: Record<Mark, DigestColumn[]> = { $f64: [], $u32: [], $i32: [] };
  const pack = (value: unknown): unknown => {
    // JSON writes -0 as 0.
    if (value === 0) return 0;
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(pack);
    for (const mark of MARKS) {
      if (!(value instanceof TYPES[mark])) continue;
      arrays[mark].push(value);
      return { [mark]: value.length };
    }
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, item]) => (item === undefined ? [] : [[key, pack(item)]])),
    );
  };
  const facts = pack(digest);
  const columns = MARKS.map((mark) => {
    const all = new TYPES[mark](arrays[mark].reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const one of arrays[mark]) {
      all.set(one, at);
      at += one.length;
    }
    return [mark, all] as const;
  });
  return { facts, columns: Object.fromEntries(columns) };
}

/**
 * The digest that was packed.
 * @param facts as JSON gives them: they are changed
 * @throws RangeError if it is none, or one of its indices leads out of its table
 */
export function unpackDigest({ facts, columns }: PackedDigest): SnapshotDigest {
  const at: Record<Mark, number> = { $f64: 0, $u32: 0, $i32: 0 };
  const unpack = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    for (const mark of MARKS) {
      if (Object.hasOwn(value, mark)) return take(mark, (value as Record<string, unknown>)[mark]);
    }
    const items = value as Record<string, unknown>;
    for (const key of Object.keys(items)) items[key] = unpack(items[key]);
    return items;
  };
  const take = (mark: Mark, length: unknown): DigestColumn => {
    const column = Object.hasOwn(columns, mark) ? columns[mark] : null;
    if (!(column instanceof TYPES[mark]) || typeof length !== 'number') throw new RangeError('a column is missing');
    const from = at[mark];
    at[mark] += length;
    if (!Number.isSafeInteger(length) || length < 0 || at[mark] > column.length)
      throw new RangeError('an array leads out of its column');
    return column.slice(from, at[mark]);
  };
  const digest = unpack(facts);
  if (!isDigest(digest)) throw new RangeError('the file holds no digest');
  return digest;
}
