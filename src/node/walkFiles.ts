import { readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { SKIPPED_FOLDERS } from './skippedFolders.js';

/** A virtual environment has one of these at its top, whatever its name. */
const ENVIRONMENT_MARKS = ['pyvenv.cfg', 'conda-meta'];

interface Open {
  readonly folder: string;
  /** Null for a link. The system resolves a path in quadratic time of its depth. */
  readonly real: string | null;
}

/**
 * Yields the accepted files below `root` as relative paths with `/`, by folder and name. Linked folders are walked
 * once, so loops end. Unreadable folders are skipped.
 */
export async function* walkFiles(root: string, accept: (name: string) => boolean): AsyncGenerator<string> {
  const walked = new Set<string>();
  const links: Open[] = [];
  const open: Open[] = [{ folder: '', real: null }];
  // Real folders first, so that a file is named by its own path and not by a link's.
  for (let next = open.pop() ?? links.shift(); next !== undefined; next = open.pop() ?? links.shift()) {
    const { folder } = next;
    const real = next.real ?? (await realpath(join(root, folder)).catch(() => null));
    if (real === null || walked.has(real)) continue;
    walked.add(real);
    const entries = await readdir(real, { withFileTypes: true }).catch(() => []);
    if (folder !== '' && entries.some((entry) => ENVIRONMENT_MARKS.includes(entry.name))) continue;
    entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    const inner: Open[] = [];
    for (const entry of entries) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isFile()) {
        if (accept(entry.name)) yield path;
      } else if (entry.isDirectory()) {
        if (!SKIPPED_FOLDERS.has(entry.name)) inner.push({ folder: path, real: join(real, entry.name) });
      } else if (entry.isSymbolicLink() && !SKIPPED_FOLDERS.has(entry.name)) {
        const target = await stat(join(real, entry.name)).catch(() => null);
        if (target?.isDirectory() === true) links.push({ folder: path, real: null });
        else if (target?.isFile() === true && accept(entry.name)) yield path;
      }
    }
    open.push(...inner.reverse());
  }
}
