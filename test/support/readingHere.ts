/** Reads snapshots in the test's own thread, with the code that the reader threads run. */
import { readSnapshotFile } from '../../src/worker/readSnapshotFile.js';
import { SnapshotReading } from '../../src/worker/snapshotReading.js';

export function readingHere(): SnapshotReading {
  return new SnapshotReading(
    (request, _bytes, signal, onProgress) => readSnapshotFile(request, null, signal, onProgress),
    { cache: null, timeLimitMs: null },
    'this',
  );
}
