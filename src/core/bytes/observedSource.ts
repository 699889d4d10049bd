import type { ByteSource } from './byteSource.js';
import { SnapshotError } from './snapshotError.js';

/**
 * A source that tells how much of it was read, and stops when asked to, whatever reads it.
 * @param onProgress told the share of the source, never falling
 */
export function observedSource(
  source: ByteSource,
  { signal, onProgress }: { signal?: AbortSignal | undefined; onProgress?: ((fraction: number) => void) | undefined },
): ByteSource {
  let furthest = 0;
  return {
    name: source.name,
    size: source.size,
    async read(offset, into) {
      if (signal?.aborted === true) throw new SnapshotError('cancelled', `Reading ${source.name} was cancelled.`);
      const got = await source.read(offset, into);
      if (got > 0 && offset <= furthest) {
        // A directory at the end is looked at first: only bytes that follow the known ones count.
        furthest = Math.max(furthest, offset + got);
        onProgress?.(Math.min(1, furthest / source.size));
      }
      return got;
    },
  };
}
