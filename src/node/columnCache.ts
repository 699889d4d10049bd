import { checkSnapshot } from '../core/model/snapshotCheck.js';
import { unpackSnapshot, type PackedSnapshot } from '../core/model/snapshotCodec.js';
import type { Snapshot } from '../core/model/snapshot.js';
import type { Bytes } from '../core/model/units.js';
import type { CacheFolder } from './cacheFolder.js';
import { readColumnFile, writeColumnFile, type ColumnFile } from './columnFile.js';

interface StoredFacts {
  readonly snapshot: PackedSnapshot['facts'];
  /** Snapshots that the file holds of which this is one. */
  readonly members: number;
}

/** The columns of snapshots that were read before. */
export class ColumnCache {
  constructor(private readonly folder: CacheFolder) {}

  /** The content under a key, see `contentKey`; null without a valid file. */
  load(key: string): Promise<{ snapshot: Snapshot; members: number } | null> {
    return this.folder.load(key, '.columns', async (file) => {
      const { facts, columns } = (await readColumnFile(file)) as ColumnFile<Partial<StoredFacts> | null>;
      const { snapshot: packed, members } = facts ?? {};
      if (typeof packed !== 'object' || !isMemberCount(members)) throw new RangeError('the facts are not snapshot’s');
      const snapshot = unpackSnapshot({ facts: packed, columns });
      checkSnapshot(snapshot);
      return { snapshot, members };
    });
  }

  store(key: string, { facts, columns }: PackedSnapshot, members: number): Promise<void> {
    const content: ColumnFile<StoredFacts> = { facts: { snapshot: facts, members }, columns };
    const bytes = Object.values(columns).reduce<Bytes>((sum, { byteLength }) => sum + byteLength, 0);
    return this.folder.store(key, '.columns', bytes, (file) => writeColumnFile(file, content));
  }
}

/** True for a number of snapshots that a file may hold. */
export function isMemberCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}
