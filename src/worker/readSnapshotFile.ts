import { digestSnapshot } from '../core/digest/digest.js';
import { SnapshotError } from '../core/bytes/snapshotError.js';
import { readInput } from '../core/formats/readSnapshot.js';
import { parseRecording } from '../core/formats/recordingSidecar.js';
import { memberPath } from '../core/model/memberPath.js';
import type { Snapshot } from '../core/model/snapshot.js';
import { packSnapshot } from '../core/model/snapshotCodec.js';
import { digestKey } from '../node/contentKey.js';
import { openFile, sameFile, savedAtUs, type OpenFile } from '../node/fileSource.js';
import { readSidecar } from '../node/recordingFile.js';
import type { SnapshotCache } from '../node/snapshotCache.js';
import type { FileReading, ReadRequest } from './readerApi.js';
import { say } from '../core/text/say.js';

/**
 * Reads one file, or one snapshot of several in it, or takes its columns from the cache.
 * @throws SnapshotError
 */
export async function readSnapshotFile(
  { path, timeLimitMs, wantsDigest, member }: Omit<ReadRequest, 'cache'>,
  cache: SnapshotCache | null,
  signal: AbortSignal,
  onProgress: (fraction: number) => void,
): Promise<FileReading> {
  const file = await openFile(path);
  let snapshot: Snapshot;
  let members: number;
  let key: string | null;
  let isKept = false;
  try {
    key = (await cache?.keyOf(file, member)) ?? null;
    const kept = key === null || cache === null ? null : await cache.loadColumns(key);
    if (kept !== null) {
      ({ snapshot, members } = kept);
      isKept = true;
    } else {
      const limit = timeLimitMs === null ? {} : { timeLimitMs };
      const result = await readInput(file.source, { signal, onProgress, member, ...limit });
      if (result.kind !== 'snapshot') {
        await expectUnchanged(file);
        return { kind: 'other', state: file.state, result };
      }
      ({ snapshot, members = 1 } = result);
    }
    await expectUnchanged(file);
  } finally {
    await file.close();
  }
  const reading = { kind: 'snapshot', state: file.state, members, packed: packSnapshot(snapshot) } as const;
  const storeAs = isKept ? null : key;
  if (!wantsDigest) return { ...reading, digest: null, storeAs, storeDigestAs: null };
  const sidecar = await readSidecar(path);
  const recording = sidecar === null ? null : parseRecording(sidecar);
  const digest = digestSnapshot(memberPath(path, member, members), snapshot, recording, savedAtUs(file.state));
  return { ...reading, digest, storeAs, storeDigestAs: key === null ? null : digestKey(key, sidecar) };
}

/** A writer that starts over while we read leaves a mixture: what was read is neither the old file nor the new. */
async function expectUnchanged(file: OpenFile): Promise<void> {
  if (!sameFile(file.state, await file.currentState())) throw changedWhileRead(file.source.name);
}

/** The sentence about a file that changed under its reader. */
export function changedWhileRead(path: string): SnapshotError {
  return new SnapshotError(
    'truncated',
    say('{0} changed while it was read: it is being written. Leakline reads it again when it is complete.', path),
  );
}
