import { readdir, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import { isSystemFolder, SKIPPED_FOLDERS } from './skippedFolders.js';

/** A virtual environment has one of these at its top, whatever its name. */
const ENVIRONMENT_MARKS = ['pyvenv.cfg', 'conda-meta'];

interface Open {
  readonly folder: string;
  /** Null for a link. The system resolves a path in quadratic time of its depth. */
  readonly real: string | null;
}

interface WalkedFile {
  /** Relative, with `/`. */
  readonly path: string;
  /** Absolute, without links if the root has none. */
  readonly real: string;
}

/** Rules for links. */
interface Links {
  /** Real folders that links may lead into, null for any. */
  readonly within?: readonly string[] | null;
  /** Called for a link that is not followed: it leaves `within`, or could take the walk over the whole disk. */
  readonly refused?: (link: string, real: string) => void;
}

/**
 * Yields the accepted files below `root`, by folder and name. Linked folders are walked once, and not if they contain
 * the root. Unreadable folders are skipped.
 */
export async function* walkFiles(
  root: string,
  accept: (name: string) => boolean,
  { within = null, refused }: Links = {},
): AsyncGenerator<WalkedFile> {
  const walked = new Set<string>();
  const links: Open[] = [];
  const open: Open[] = [{ folder: '', real: null }];
  const realRoot = await realpath(root).catch(() => root);
  const mayFollow = (real: string): boolean => within === null || within.some((folder) => isWithin(real, folder));
  // Real folders first, so that a file is named by its own path and not by a link's.
  for (let next = open.pop() ?? links.shift(); next !== undefined; next = open.pop() ?? links.shift()) {
    const { folder } = next;
    const real = next.real ?? (await realpath(join(root, folder)).catch(() => null));
    if (real === null || walked.has(real)) continue;
    const isTooLarge = isWithin(realRoot, real) || isSystemFolder(real);
    if (next.real === null && folder !== '' && (isTooLarge || !mayFollow(real))) {
      refused?.(folder, real);
      continue;
    }
    walked.add(real);
    const entries = await readdir(real, { withFileTypes: true }).catch(() => []);
    if (folder !== '' && entries.some((entry) => ENVIRONMENT_MARKS.includes(entry.name))) continue;
    entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    const inner: Open[] = [];
    for (const entry of entries) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isFile()) {
        if (accept(entry.name)) yield { path, real: join(real, entry.name) };
      } else if (entry.isDirectory()) {
        if (!SKIPPED_FOLDERS.has(entry.name)) inner.push({ folder: path, real: join(real, entry.name) });
      } else if (entry.isSymbolicLink() && !SKIPPED_FOLDERS.has(entry.name)) {
        const target = await stat(join(real, entry.name)).catch(() => null);
        if (target?.isDirectory() === true) links.push({ folder: path, real: null });
        else if (target?.isFile() === true && accept(entry.name)) {
          const file = await realpath(join(real, entry.name)).catch(() => null);
          if (file !== null && mayFollow(file)) yield { path, real: file };
          else if (file !== null) refused?.(path, file);
        }
      }
    }
    open.push(...inner.reverse());
  }
}

/** True for a folder itself, too. */
export function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
