import { gzipSync } from 'fflate';

/** Compresses to the same bytes with every version of Node. Loaded where it is needed: its tables take 8 ms. */
export function portableGzip(bytes: Uint8Array): Uint8Array {
  return gzipSync(bytes, { mtime: 0 });
}
