import type { ByteSource } from '../../src/core/bytes/byteSource.js';
import { unfoldingOf } from '../../src/node/gunzip.js';

/** A source over bytes in memory. */
export function bytesSource(name: string, bytes: Uint8Array): ByteSource {
  return {
    name,
    size: bytes.length,
    unfolding: unfoldingOf(bytes.length),
    read(offset, into) {
      const part = bytes.subarray(offset, offset + into.length);
      into.set(part);
      return Promise.resolve(part.length);
    },
  };
}
