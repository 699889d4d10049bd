import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Budget, parseBudget } from '../core/report/budget.js';
import { IGNORE_FILE, IgnoreFileError, parseIgnoredLeaks, type IgnoredLeak } from '../core/report/ignoredLeaks.js';
import { readSmallFile } from './fileSource.js';

const MAX_BYTES = 4 << 20;

/** The content of a folder's ignore file. */
export interface IgnoreFile {
  readonly path: string;
  /** Null if there is none. */
  readonly text: string | null;
  readonly leaks: readonly IgnoredLeak[];
  readonly budget: Budget | null;
}

/** Reads the ignore file of a folder. @throws Error with a message for users */
export async function readIgnoreFile(folder: string): Promise<IgnoreFile> {
  const path = join(folder, IGNORE_FILE);
  if ((await stat(path).catch(() => null)) === null) return { path, text: null, leaks: [], budget: null };
  try {
    // Without a byte order mark, as in the editor.
    const text = new TextDecoder().decode((await readSmallFile(path, MAX_BYTES)).bytes);
    return { path, text, leaks: parseIgnoredLeaks(text), budget: parseBudget(text) };
  } catch (error) {
    if (error instanceof RangeError) {
      throw new Error(`${path} is not an ignore file and has no effect. Remove it.`, { cause: error });
    }
    if (!(error instanceof IgnoreFileError)) throw error;
    throw new Error(`${path} cannot be read and has no effect: ${error.message}.`, { cause: error });
  }
}
