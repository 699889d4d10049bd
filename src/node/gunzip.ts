import { createGunzip } from 'node:zlib';
import type { Gunzip, Unfolding } from '../core/bytes/byteSource.js';
import type { Bytes } from '../core/model/units.js';

/** Fewer pieces than zlib's 16 KiB: each is a task for a thread of Node's pool. */
const PIECE_BYTES = 1 << 18;

/** The limits for a file of `fileBytes`, in any packing. */
export function unfoldingOf(fileBytes: Bytes): Unfolding {
  return { fileBytes, bytes: 0, gunzip };
}

function gunzip(): Gunzip {
  const stream = createGunzip({ chunkSize: PIECE_BYTES });
  let pieces: Uint8Array[] = [];
  let settle: (() => void) | null = null;
  const done = (): void => {
    settle?.();
    settle = null;
  };
  // zlib ends before its input where zeros follow the last member.
  let hasEnded = false;
  stream.on('data', (piece: Buffer) => pieces.push(piece));
  stream.on('error', done);
  stream.on('end', () => {
    hasEnded = true;
    done();
  });
  return {
    push: (input, last) =>
      new Promise((resolve, reject) => {
        settle = () => {
          if (stream.errored !== null) reject(stream.errored);
          else resolve(pieces);
          pieces = [];
        };
        if (hasEnded || stream.errored !== null) done();
        else if (last) stream.end(input);
        else stream.write(input, done);
      }),
  };
}
