import type { ByteSource } from './byteSource.js';
import { SnapshotError } from './snapshotError.js';
import { t } from '../text/translate.js';

/** A clock that never jumps, which every runtime has (W3C High Resolution Time). */
declare const performance: { now(): number };

interface Observation {
  signal?: AbortSignal | undefined;
  /** Receives the share of the source, never falling. */
  onProgress?: ((fraction: number) => void) | undefined;
  /** The time limit from now on, in milliseconds; without it, there is no limit. */
  timeLimitMs?: number | undefined;
}

/** A source that reports progress, and stops on request or at a time limit. */
export function observedSource(source: ByteSource, { signal, onProgress, timeLimitMs }: Observation): ByteSource {
  const endMs = timeLimitMs === undefined ? Infinity : performance.now() + timeLimitMs;
  let furthest = 0;
  return {
    name: source.name,
    size: source.size,
    unfolding: { ...source.unfolding, bytes: 0 },
    async read(offset, into) {
      if (signal?.aborted === true) throw new SnapshotError('cancelled', t('Reading {0} was cancelled.', source.name));
      if (timeLimitMs !== undefined && performance.now() > endMs) {
        throw tookTooLong(source.name, timeLimitMs);
      }
      const got = await source.read(offset, into);
      if (got > 0 && offset <= furthest) {
        // A directory at the end is read first, so only bytes after the known ones count.
        furthest = Math.max(furthest, offset + got);
        onProgress?.(Math.min(1, furthest / source.size));
      }
      return got;
    },
  };
}

/** @param name of the input whose reading was given up after `timeLimitMs` */
export function tookTooLong(name: string, timeLimitMs: number): SnapshotError {
  return new SnapshotError(
    'limit',
    t(
      '{0} was not read within {1} seconds, the time limit for a file. ' +
        'Raise the limit, copy the file to a faster disk, or record with a smaller max_entries.',
      name,
      timeLimitMs / 1000,
    ),
  );
}
