/** Writing snapshots the way a training process does: in place, a piece at a time. */
import { closeSync, openSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Writes a file in pieces with pauses between them; an existing one is overwritten from its start, as `open(path, 'wb')`
 * does. @param afterPiece receives how many bytes are there
 */
export async function dumpInPieces(
  path: string,
  bytes: Buffer,
  {
    pieces = 5,
    pauseMs = 300,
    afterPiece = (): void => undefined,
  }: {
    pieces?: number;
    pauseMs?: number;
    afterPiece?: (written: number) => void | Promise<void>;
  } = {},
): Promise<void> {
  const file = openSync(path, 'w');
  try {
    const size = Math.ceil(bytes.length / pieces);
    for (let start = 0; start < bytes.length; start += size) {
      if (start > 0) await sleep(pauseMs);
      writeSync(file, bytes, start, Math.min(size, bytes.length - start));
      await afterPiece(Math.min(bytes.length, start + size));
    }
  } finally {
    closeSync(file);
  }
}
