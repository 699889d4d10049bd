import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat, utimes, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bytes } from '../core/model/units.js';

/** What a kept file's name ends in, by what it holds. */
export type Suffix = '.columns' | '.digest' | '.proofs';
const SUFFIXES: readonly Suffix[] = ['.columns', '.digest', '.proofs'];
const UNFINISHED = '.part';
/** A file unfinished for so long was left by a process that ended, in milliseconds. */
const ABANDONED_MS = 60 * 60_000;

/** A folder that does not answer for so long (a network that is gone) is left alone from then on, in milliseconds. */
const SILENT_AFTER_MS = 2000;
/** Folders that did not answer, in this thread. */
const silent = new Set<string>();

/** Where what was read is kept, and how much of it. */
export interface CacheSettings {
  readonly folder: string;
  /** Beyond this the files that were not used for longest go. */
  readonly maxBytes: Bytes;
}

/**
 * Files in a folder that several windows share. A file in it is whole or not there for its readers: it is written under
 * another name and renamed. What is damaged nevertheless is removed without a word.
 */
export class CacheFolder {
  constructor(private readonly settings: CacheSettings) {}

  /**
   * What is kept under a key.
   * @param read throws if the file cannot be trusted
   * @returns null if there is none that can be
   */
  async load<T>(key: string, suffix: Suffix, read: (file: FileHandle) => Promise<T>): Promise<T | null> {
    const path = this.pathOf(key, suffix);
    const file = await this.opened(path);
    if (file === null) return null;
    const kept = await read(file).catch(() => null);
    await file.close();
    const now = new Date();
    if (kept === null) await rm(path, { force: true }).catch(ignore);
    else void utimes(path, now, now).catch(ignore); // not waited for
    return kept;
  }

  /**
   * Keeps a file if there is room for it. A failure costs nothing: what the file is about is read anew next time.
   * @param bytes about as many as are written
   */
  async store(key: string, suffix: Suffix, bytes: Bytes, write: (file: FileHandle) => Promise<void>): Promise<void> {
    const { folder, maxBytes } = this.settings;
    if (bytes > maxBytes || silent.has(folder)) return;
    const path = this.pathOf(key, suffix);
    const unfinished = `${path}.${randomUUID()}${UNFINISHED}`;
    try {
      await mkdir(folder, { recursive: true });
      const file = await open(unfinished, 'wx', 0o600);
      try {
        await write(file);
      } finally {
        await file.close();
      }
      await rename(unfinished, path);
      await this.sweep();
    } catch {
      await rm(unfinished, { force: true }).catch(ignore);
    }
  }

  /** Null if there is no such file, or the folder does not answer. */
  private async opened(path: string): Promise<FileHandle | null> {
    const { folder } = this.settings;
    if (silent.has(folder)) return null;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const silence = new Promise<null>((resolve) => {
      timer = setTimeout(() => {
        silent.add(folder);
        resolve(null);
      }, SILENT_AFTER_MS);
    });
    const opening = open(path, 'r').catch(() => null);
    const file = await Promise.race([opening, silence]);
    clearTimeout(timer);
    // What comes too late is of no use.
    if (file === null) void opening.then((late) => late?.close()).catch(ignore);
    return file;
  }

  /** Removes everything. */
  async clear(): Promise<void> {
    await rm(this.settings.folder, { recursive: true, force: true }).catch(ignore);
  }

  /** Removes what is beyond the bound, and what was left unfinished. */
  private async sweep(): Promise<void> {
    const { folder, maxBytes } = this.settings;
    const files: { path: string; bytes: Bytes; usedMs: number }[] = [];
    for (const name of await readdir(folder)) {
      const path = join(folder, name);
      try {
        const { size, mtimeMs } = await stat(path);
        if (SUFFIXES.some((suffix) => name.endsWith(suffix))) files.push({ path, bytes: size, usedMs: mtimeMs });
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

  private pathOf(key: string, suffix: Suffix): string {
    return join(this.settings.folder, key + suffix);
  }
}

function ignore(): undefined {
  return undefined;
}
