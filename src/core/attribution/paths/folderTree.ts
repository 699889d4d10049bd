import { getOrAdd } from '../../maps.js';

/** A folder of a tree of paths; names are keys (lower case where letter case means nothing). */
export interface Folder {
  readonly id: number;
  readonly name: string;
  readonly parent: Folder | null;
  readonly folders: Map<string, Folder>;
  /** Indices of the files by name: one, unless names that differ in letter case only fell together. */
  readonly files: Map<string, number[]>;
  /** Files here and below. */
  size: number;
}

/** Paths as a tree of folders. */
export class FolderTree {
  readonly root: Folder = folder(0, '', null);
  private nextId = 1;

  /** Adds a file and returns the folder that holds it. `names` ends with the file's own name. */
  add(names: readonly string[], file: number): Folder {
    let at = this.root;
    at.size++;
    for (let i = 0; i < names.length - 1; i++) {
      const name = names[i] ?? '';
      const outer = at;
      at = getOrAdd(at.folders, name, () => folder(this.nextId++, name, outer));
      at.size++;
    }
    const name = names[names.length - 1] ?? '';
    getOrAdd(at.files, name, () => []).push(file);
    return at;
  }
}

function folder(id: number, name: string, parent: Folder | null): Folder {
  return { id, name, parent, folders: new Map(), files: new Map(), size: 0 };
}

/** A folder and those around it, innermost first. */
export function* foldersFrom(inner: Folder | null): Generator<Folder> {
  for (let at = inner; at !== null; at = at.parent) yield at;
}

/** True if one of `folders` is a folder or around it. */
export function isInside(inner: Folder | null, folders: ReadonlySet<Folder>): boolean {
  for (const folder of foldersFrom(inner)) if (folders.has(folder)) return true;
  return false;
}

/** The deepest folder that holds all of `folders`, null for none. */
export function commonFolder(folders: Iterable<Folder>): Folder | null {
  let common: Folder | null = null;
  for (const next of folders) {
    common ??= next;
    const around = new Set(foldersFrom(next));
    while (common !== null && !around.has(common)) common = common.parent;
  }
  return common;
}
