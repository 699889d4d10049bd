import { deserialize, serialize } from 'node:v8';
import type { SnapshotDigest } from '../core/digest/digest.js';
import { isDigest } from '../core/digest/digestCheck.js';
import type { CacheFolder } from './cacheFolder.js';
import { isMemberCount } from './columnCache.js';
import { readColumnFile, writeColumnFile } from './columnFile.js';

/** What is kept of one snapshot. */
export interface KeptDigest {
  readonly digest: SnapshotDigest;
  /** Snapshots that the file holds of which this is one. */
  readonly members: number;
}

/**
 * What analysis made of snapshots that were read before: all that a window needs of a file until its timeline is
 * shown, in a twentieth of the time that analysis takes. As the one column of a file, in the engine's own encoding,
 * which knows typed arrays.
 */
export class DigestCache {
  constructor(private readonly folder: CacheFolder) {}

  /** What is kept under a key, see `digestKey`; null if there is nothing that can be trusted. */
  load(key: string): Promise<KeptDigest | null> {
    return this.folder.load(key, '.digest', async (file) => {
      const { digest: bytes } = (await readColumnFile(file)).columns;
      const kept = deserialize(bytes) as Partial<Record<keyof KeptDigest, unknown>> | null;
      const { digest, members } = kept ?? {};
      if (!isDigest(digest) || !isMemberCount(members)) throw new RangeError('the file holds no digest');
      return { digest, members };
    });
  }

  store(key: string, kept: KeptDigest): Promise<void> {
    const bytes = serialize(kept);
    return this.folder.store(key, '.digest', bytes.length, (file) =>
      writeColumnFile(file, { facts: null, columns: { digest: bytes } }),
    );
  }
}
