import type { ByteSource } from './byteSource.js';

/**
 * Reads `length` bytes from `offset` on, in several reads if needed. @returns fewer bytes only at the end of the source
 */
export async function readFully(source: ByteSource, offset: number, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    const got = await source.read(offset + filled, bytes.subarray(filled));
    if (got === 0) break;
    filled += got;
  }
  return bytes.subarray(0, filled);
}
