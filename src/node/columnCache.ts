import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat, utimes, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { checkSnapshot } from '../core/model/snapshotCheck.js';
import { unpackSnapshot, type PackedSnapshot } from '../core/model/snapshotCodec.js';
import type { Snapshot } from '../core/model/snapshot.js';
import type { Bytes } from '../core/model/units.js';
import { readColumnFile, writeColumnFile } from './columnFile.js';

const SUFFIX = '.columns';
const UNFINISHED = '.part';
/** A file that nobody finished for so long was left by a process that died, in milliseconds. */
const ABANDONED_MS = 60 * 60_000;

/** Where read snapshots are kept, and how much of them. */
export interface CacheSettings {
  readonly folder: string;
  /** Beyond this the files that were not used for longest go. */
  readonly maxBytes: Bytes;
}

/**
 * Columns of snapshots that were read before, as files in a folder that several windows share. A file in it is whole or
 * not there for whoever reads: it is written under another name and renamed. What is damaged nevertheless is removed
 * without a word.
 */
export class ColumnCache {
  constructor(private readonly settings: CacheSettings) {}

  /** The columns kept under a key, see `contentKey`; null if there are none that can be trusted. */
  async load(key: string): Promise<Snapshot | null> {
    const path = this.pathOf(key);
    let file: FileHandle;
    try {
      file = await open(path, 'r');
    } catch {
      return null;
    }
    const snapshot = await trusted(file);
    await file.close();
    const now = new Date();
    await (snapshot === null ? rm(path, { force: true }) : utimes(path, now, now)).catch(ignore);
    return snapshot;
  }

  /** Keeps columns if there is room for them. Failures are nobody's concern: the snapshot is read anew next time. */
  async store(key: string, packed: PackedSnapshot): Promise<void> {
    const { folder, maxBytes } = this.settings;
    if (columnBytes(packed) > maxBytes) return;
    const path = this.pathOf(key);
    const unfinished = `${path}.${randomUUID()}${UNFINISHED}`;
    try {
      await mkdir(folder, { recursive: true });
      const file = await open(unfinished, 'wx', 0o600);
      try {
        await writeColumnFile(file, packed);
      } finally {
        await file.close();
      }
      await rename(unfinished, path);
      await this.sweep();
    } catch {
      await rm(unfinished, { force: true }).catch(ignore);
    }
  }

  /** Removes everything. */
  async clear(): Promise<void> {
    await rm(this.settings.folder, { recursive: true, force: true }).catch(ignore);
  }

  /** Removes what is beyond the bound, and what nobody will finish. */
  private async sweep(): Promise<void> {
    const { folder, maxBytes } = this.settings;
    const files: { path: string; bytes: Bytes; usedMs: number }[] = [];
    for (const name of await readdir(folder)) {
      const path = join(folder, name);
      try {
        const { size, mtimeMs } = await stat(path);
        if (name.endsWith(SUFFIX)) files.push({ path, bytes: size, usedMs: mtimeMs });
        else if (name.endsWith(UNFINISHED) && Date.now() - mtimeMs > ABANDONED_MS) await rm(path, { force: true });
      } catch {
        // Another window removed it.
      }
    }
    files.sort((a, b) => a.usedMs - b.usedMs);
    let total = files.reduce((sum, { bytes }) => sum + bytes, 0);
    for (const { path, bytes } of files) {
      if (total <= maxBytes) break;
      await rm(path, { force: true }).catch(ignore); // Windows keeps what another window has open
      total -= bytes;
    }
  }

  private pathOf(key: string): string {
    return join(this.settings.folder, key + SUFFIX);
  }
}

async function trusted(file: FileHandle): Promise<Snapshot | null> {
  try {
    const snapshot = unpackSnapshot(await readColumnFile(file));
    checkSnapshot(snapshot);
    return snapshot;
  } catch {
    return null;
  }
}

function columnBytes({ columns }: PackedSnapshot): Bytes {
  return Object.values(columns).reduce((sum, { byteLength }) => sum + byteLength, 0);
}

function ignore(): undefined {
  return undefined;
}
