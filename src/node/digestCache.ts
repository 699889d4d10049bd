import type { SnapshotDigest } from '../core/digest/digest.js';
import { packDigest, unpackDigest } from '../core/digest/digestCodec.js';
import type { CacheFolder } from './cacheFolder.js';
import { isMemberCount } from './columnCache.js';
import { readColumnFile, writeColumnFile, type ColumnFile } from './columnFile.js';

/** The stored part of one snapshot. */
export interface StoredDigest {
  readonly digest: SnapshotDigest;
  /** Snapshots that the file holds of which this is one. */
  readonly members: number;
}

/** The file of a digest: the same bytes for the same digest. */
export function digestFile({ digest, members }: StoredDigest): ColumnFile {
  const { facts, columns } = packDigest(digest);
  return { facts: { digest: facts, members }, columns };
}

/** The content of a digest's file. @throws RangeError if it has no valid digest */
export function digestIn({ facts, columns }: ColumnFile): StoredDigest {
  const { digest, members } = (facts ?? {}) as Partial<Record<keyof StoredDigest, unknown>>;
  if (!isMemberCount(members)) throw new RangeError('the file holds no digest');
  return { digest: unpackDigest({ facts: digest, columns }), members };
}

/** Stored digests: all that a window needs until the timeline opens, in a twentieth of the time of the analysis. */
export class DigestCache {
  constructor(private readonly folder: CacheFolder) {}

  /** The content under a key, see `digestKey`; null without a valid file. */
  load(key: string): Promise<StoredDigest | null> {
    return this.folder.load(key, '.digest', async (file) => digestIn(await readColumnFile(file)));
  }

  store(key: string, stored: StoredDigest): Promise<void> {
    const file = digestFile(stored);
    const bytes = Object.values(file.columns).reduce((sum, { byteLength }) => sum + byteLength, 0);
    return this.folder.store(key, '.digest', bytes, (handle) => writeColumnFile(handle, file));
  }
}
