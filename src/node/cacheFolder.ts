import { randomUUID } from 'node:crypto';
import { open, readdir, rm, stat, utimes, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bytes } from '../core/model/units.js';
import { makeFolder } from './makeFolder.js';
import { writeWhole } from './wholeFile.js';

/** The file name endings, by content. */
export type Suffix = '.columns' | '.digest' | '.proofs';
const SUFFIXES: readonly Suffix[] = ['.columns', '.digest', '.proofs'];
const UNFINISHED = '.part';
/** A file unfinished for so long was left by a process that ended, in milliseconds. */
const ABANDONED_MS = 60 * 60_000;

/** A folder that does not answer for so long (a network that is gone) is left alone from then on, in milliseconds. */
const SILENT_AFTER_MS = 2000;
/** The slowest disk worth keeping anything on, in bytes per millisecond. */
const SLOWEST = 20_000;
/** Folders that did not answer, in this thread. */
const silent = new Set<string>();

/** True for a folder that did not answer. Another call would block one more of the process's few file threads. */
export function isSilent(folder: string): boolean {
  return silent.has(folder);
}

/** The last requested files of this thread. More at once would block all file threads of the process. */
const asked: Promise<unknown>[] = [Promise.resolve(), Promise.resolve()];

/** The folder of the cache, and its maximum size. */
export interface CacheSettings {
  readonly folder: string;
  /** Beyond this the files that were not used for longest go. */
  readonly maxBytes: Bytes;
}

/**
 * Files in a folder that several windows share. Files are written under another name, then renamed. Damaged files are
 * removed.
 */
export class CacheFolder {
  constructor(
    private readonly settings: CacheSettings,
    private readonly silentAfterMs = SILENT_AFTER_MS,
  ) {}

  /** The content under a key. @param read throws if the file is invalid @returns null without a valid file */
  load<T>(key: string, suffix: Suffix, read: (file: FileHandle) => Promise<T>): Promise<T | null> {
    const answer = Promise.resolve(asked.shift()).then(() => this.loadNow(key, suffix, read));
    asked.push(answer.catch(ignore));
    return answer;
  }

  private async loadNow<T>(key: string, suffix: Suffix, read: (file: FileHandle) => Promise<T>): Promise<T | null> {
    if (isSilent(this.settings.folder)) return null;
    const path = this.pathOf(key, suffix);
    const opening = open(path, 'r').catch(() => null);
    const file = await this.answer(opening);
    // A late answer is discarded.
    if (file === null) void opening.then((late) => late?.close()).catch(ignore);
    const facts = file === null ? null : await this.answer(file.stat().catch(() => null));
    if (file === null || facts === null) return null;
    const cached = await this.answer(
      read(file).catch(() => null),
      facts.size,
    );
    await this.answer(file.close().catch(ignore));
    const now = new Date();
    if (cached !== null) void utimes(path, now, now).catch(ignore);
    else if (!isSilent(this.settings.folder)) await this.answer(rm(path, { force: true }).catch(ignore));
    return cached;
  }

  /** Stores a file if it fits. Failures are harmless: the source is read again. @param bytes the approximate size */
  async store(key: string, suffix: Suffix, bytes: Bytes, write: (file: FileHandle) => Promise<void>): Promise<void> {
    const { folder, maxBytes } = this.settings;
    if (bytes <= maxBytes && !isSilent(folder)) await this.answer(this.written(key, suffix, write), bytes);
  }

  private async written(key: string, suffix: Suffix, write: (file: FileHandle) => Promise<void>): Promise<void> {
    const path = this.pathOf(key, suffix);
    const unfinished = `${path}.${randomUUID()}${UNFINISHED}`;
    try {
      await makeFolder(this.settings.folder);
      await writeWhole(path, unfinished, write, 0o600);
      await this.sweep();
    } catch {
      // Harmless: the source is read again.
    }
  }

  /** The result of a call to the folder, null without an answer. @param bytes to read or write */
  private async answer<T>(work: Promise<T>, bytes: Bytes = 0): Promise<T | null> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const silence = new Promise<null>((resolve) => {
      timer = setTimeout(
        () => {
          silent.add(this.settings.folder);
          resolve(null);
        },
        this.silentAfterMs + bytes / SLOWEST,
      );
    });
    const answer = await Promise.race([work, silence]);
    clearTimeout(timer);
    return answer;
  }

  /** Removes everything. */
  async clear(): Promise<void> {
    const { folder } = this.settings;
    if (!isSilent(folder)) await this.answer(rm(folder, { recursive: true, force: true }).catch(ignore));
  }

  /** Removes files beyond the limit, and unfinished ones. */
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
