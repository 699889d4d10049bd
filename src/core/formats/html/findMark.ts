import type { ByteSource } from '../../bytes/byteSource.js';
import type { Bytes } from '../../model/units.js';

const CHUNK = 1 << 18;

export interface FoundMark {
  mark: string;
  /** Offset of its first byte. */
  start: number;
  /** Offset of the byte behind it. */
  end: number;
}

/** Finds the first of several ASCII texts from `from` on, or null. @param max about as far as it looks */
export async function findMark(
  source: ByteSource,
  from: number,
  marks: readonly string[],
  max: Bytes = Infinity,
): Promise<FoundMark | null> {
  const latin1 = new TextDecoder('latin1');
  const longest = Math.max(...marks.map(({ length }) => length));
  const buffer = new Uint8Array(CHUNK + longest);
  let carried = 0;
  let position = Math.max(0, from);
  for (;;) {
    const got = await source.read(position, buffer.subarray(carried));
    const filled = carried + got;
    const base = position - carried;
    // A possible start of a mark is searched again with the next piece.
    const end = got === 0 ? filled : filled - longest + 1;
    const text = latin1.decode(buffer.subarray(0, filled));
    const first = marks
      .map((mark) => ({ mark, at: text.indexOf(mark) }))
      .filter(({ at }) => at >= 0 && at < end)
      .sort((one, other) => one.at - other.at)
      .at(0);
    if (first !== undefined)
      return { mark: first.mark, start: base + first.at, end: base + first.at + first.mark.length };
    if (got === 0 || position + got - from > max) return null;
    position += got;
    carried = Math.min(filled, longest - 1);
    buffer.copyWithin(0, filled - carried, filled);
  }
}
