import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { IGNORE_FILE, IgnoreFileError, parseIgnoredLeaks, type IgnoredLeak } from '../core/report/ignoredLeaks.js';

const MOST_BYTES = 4 << 20;

/**
 * The leaks that the ignore file of a folder names; none if it has no such file.
 * @throws Error with one sentence if it cannot be read or makes no sense
 */
export async function readIgnoredLeaks(folder: string): Promise<IgnoredLeak[]> {
  const path = join(folder, IGNORE_FILE);
  const facts = await stat(path).catch(() => null);
  if (facts === null) return [];
  if (!facts.isFile() || facts.size > MOST_BYTES) throw new Error(`${path} is not an ignore file: nothing is ignored.`);
  try {
    return parseIgnoredLeaks(await readFile(path, 'utf8'));
  } catch (error) {
    if (!(error instanceof IgnoreFileError)) throw error;
    throw new Error(`${path} is not understood, nothing is ignored: ${error.message}.`, { cause: error });
  }
}
