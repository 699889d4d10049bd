import type { ByteSource } from './byteSource.js';

/** The bytes `[from, from + size)` of another source, as a source of their own under its name. */
export function sliceSource(source: ByteSource, from: number, size: number): ByteSource {
  return {
    name: source.name,
    size,
    unfolding: source.unfolding,
    read(offset, into) {
      const rest = Math.max(0, Math.min(into.length, size - offset));
      return rest === 0 ? Promise.resolve(0) : source.read(from + offset, into.subarray(0, rest));
    },
  };
}
