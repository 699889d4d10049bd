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
  const patterns = marks.map((mark) => new TextEncoder().encode(mark));
  const longest = Math.max(...patterns.map((pattern) => pattern.length));
  const isFirst = new Uint8Array(256);
  for (const pattern of patterns) isFirst[pattern[0]] = 1;
  const buffer = new Uint8Array(CHUNK + longest);
  let carried = 0;
  let position = Math.max(0, from);
  for (;;) {
    const got = await source.read(position, buffer.subarray(carried));
    const filled = carried + got;
    const base = position - carried;
    // A possible start of a mark is searched again with the next piece.
    const end = got === 0 ? filled : filled - longest + 1;
    for (let p = 0; p < end; p++) {
      if (isFirst[buffer[p]] === 0) continue;
      const which = patterns.findIndex((pattern) => startsWith(buffer, p, filled, pattern));
      if (which >= 0) return { mark: marks[which], start: base + p, end: base + p + patterns[which].length };
    }
    if (got === 0 || position + got - from > max) return null;
    position += got;
    carried = Math.min(filled, longest - 1);
    buffer.copyWithin(0, filled - carried, filled);
  }
}

function startsWith(buffer: Uint8Array, at: number, end: number, pattern: Uint8Array): boolean {
  if (buffer[at] !== pattern[0] || at + pattern.length > end) return false;
  for (let i = 1; i < pattern.length; i++) if (buffer[at + i] !== pattern[i]) return false;
  return true;
}
