import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { endianness } from 'node:os';
import { memberPath } from '../core/model/memberPath.js';
import type { PackedSnapshot } from '../core/model/snapshotCodec.js';
import type { Bytes } from '../core/model/units.js';
import type { Translations } from '../core/text/translate.js';
import { CacheFolder, type CacheSettings, type Suffix } from './cacheFolder.js';
import { readColumnFile, writeColumnFile, type ColumnFile } from './columnFile.js';
import { contentKey, digestKey, isSettled } from './contentKey.js';
import { openFile, sameFile, savedAtUs, type FileState, type OpenFile } from './fileSource.js';
import { readSidecar } from './recordingFile.js';
import {
  digestFile,
  digestIn,
  snapshotFile,
  snapshotIn,
  type StoredDigest,
  type StoredSnapshot,
} from './storedReading.js';

/** Smaller files are read in the time that looking for their columns would take: see bench/README.md. */
const MIN_CACHED: Bytes = 1 << 20;

/**
 * The version of the cache: the code that reads, the byte order, and the language of warnings.
 * @param script the bundle of the reader threads
 */
export function readerVersion(script: string, translations: Translations): string {
  const hash = createHash('sha256').update(readFileSync(script)).update(endianness());
  return hash.update(JSON.stringify(translations)).digest('hex');
}

/** Stored readings of snapshots, by one version of the reader. */
export class SnapshotCache {
  private readonly folder: CacheFolder;

  constructor(
    settings: CacheSettings,
    private readonly version: string,
  ) {
    this.folder = new CacheFolder(settings);
  }

  /** @returns the name of a snapshot's content, null if the file is not worth keeping, or may still be written */
  async keyOf(file: OpenFile, member: number): Promise<string | null> {
    if (file.state.size < MIN_CACHED || !isSettled(file.state, Date.now())) return null;
    return contentKey(file, this.version, member);
  }

  /** The columns of a content, null if they are not stored. */
  loadColumns(key: string): Promise<StoredSnapshot | null> {
    return this.folder.load(key, '.columns', async (file) => snapshotIn(await readColumnFile(file)));
  }

  storeColumns(key: string, packed: PackedSnapshot, members: number): Promise<void> {
    return this.store(key, '.columns', snapshotFile(packed, members));
  }

  /** The digest under a key, see `digestKey`: in a twentieth of the time of the analysis. Null if it is not stored. */
  loadDigest(key: string): Promise<StoredDigest | null> {
    return this.folder.load(key, '.digest', async (file) => digestIn(await readColumnFile(file)));
  }

  storeDigest(key: string, stored: StoredDigest): Promise<void> {
    return this.store(key, '.digest', digestFile(stored));
  }

  /** The current digest of a snapshot and its sidecar, null if it is not stored. @throws SnapshotError `unreadable` */
  async digestOf(path: string, member: number): Promise<(StoredDigest & { state: FileState }) | null> {
    const file = await openFile(path);
    try {
      const key = await this.keyOf(file, member);
      if (key === null) return null;
      const stored = await this.loadDigest(digestKey(key, await readSidecar(path)));
      if (stored === null || !sameFile(file.state, await file.currentState())) return null;
      const { digest, members } = stored;
      // A file with equal content may have another path and time.
      const place = { path: memberPath(path, member, members), savedAtUs: savedAtUs(file.state) };
      return { state: file.state, members, digest: { ...digest, ...place } };
    } finally {
      await file.close();
    }
  }

  /** Removes all files, of any version. */
  clear(): Promise<void> {
    return this.folder.clear();
  }

  private store(key: string, suffix: Suffix, file: ColumnFile): Promise<void> {
    const bytes = Object.values(file.columns).reduce<Bytes>((sum, { byteLength }) => sum + byteLength, 0);
    return this.folder.store(key, suffix, bytes, (handle) => writeColumnFile(handle, file));
  }
}
