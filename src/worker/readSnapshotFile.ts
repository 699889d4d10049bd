import { digestSnapshot } from '../core/analysis/digest.js';
import { SnapshotError } from '../core/bytes/snapshotError.js';
import { readInput } from '../core/formats/readSnapshot.js';
import { memberPath } from '../core/model/memberPath.js';
import type { Snapshot } from '../core/model/snapshot.js';
import { packSnapshot } from '../core/model/snapshotCodec.js';
import type { Bytes } from '../core/model/units.js';
import type { ColumnCache } from '../node/columnCache.js';
import { contentKey, isSettled } from '../node/contentKey.js';
import { openFile, sameFile, type OpenFile } from '../node/fileSource.js';
import { readRecording } from '../node/recordingFile.js';
import type { FileReading, ReadRequest } from './readerApi.js';

/** Smaller files are read in the time that looking for their columns would take: see bench/README.md. */
const SMALLEST_CACHED: Bytes = 1 << 20;

/** Where columns are kept, and by which version of the reading code. */
export interface VersionedCache {
  readonly columns: ColumnCache;
  readonly version: string;
}

/**
 * Reads one file, or one snapshot of several in it, or takes its columns from the cache.
 * @throws SnapshotError
 */
export async function readSnapshotFile(
  { path, timeLimitMs, wantsDigest, member }: Omit<ReadRequest, 'cache'>,
  cache: VersionedCache | null,
  signal: AbortSignal,
  onProgress: (fraction: number) => void,
): Promise<FileReading> {
  const file = await openFile(path);
  let snapshot: Snapshot | null = null;
  let storeAs: string | null = null;
  let members = 1;
  try {
    // Of a file of several only the first would be found again.
    if (cache !== null && member === 0 && file.state.size >= SMALLEST_CACHED && isSettled(file.state, Date.now())) {
      storeAs = await contentKey(file, cache.version);
      snapshot = await cache.columns.load(storeAs);
    }
    if (snapshot !== null) storeAs = null;
    else {
      const limit = timeLimitMs === null ? {} : { timeLimitMs };
      const result = await readInput(file.source, { signal, onProgress, member, ...limit });
      if (result.kind !== 'snapshot') {
        await expectUnchanged(file);
        return { kind: 'other', state: file.state, result };
      }
      ({ snapshot, members = 1 } = result);
      if (members > 1) storeAs = null;
    }
    await expectUnchanged(file);
  } finally {
    await file.close();
  }
  const name = memberPath(path, member, members);
  const digest = wantsDigest ? digestSnapshot(name, snapshot, await readRecording(path)) : null;
  return { kind: 'snapshot', state: file.state, members, packed: packSnapshot(snapshot), digest, storeAs };
}

/** A writer that starts over while we read leaves a mixture: what was read is neither the old file nor the new. */
async function expectUnchanged(file: OpenFile): Promise<void> {
  if (!sameFile(file.state, await file.currentState())) throw changedWhileRead(file.source.name);
}

/** The sentence about a file that changed under its reader. */
export function changedWhileRead(path: string): SnapshotError {
  return new SnapshotError(
    'truncated',
    `${path} changed while it was read: it is being written. Leakline reads it again when it is complete.`,
  );
}
