/** Follows links below a watched folder: each folder once, and no link to a folder above it. */
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { isSystemFolder } from '../../node/skippedFolders.js';
import { isWithin } from '../../node/walkFiles.js';

export type Link =
  | 'none'
  /** The link leads to a folder that is watched under another name. */
  | 'known'
  /** The link leads to a folder that contains the watched one, or to one of the system. */
  | 'above'
  /** The link leads to another folder, or below one. */
  | 'other';

export class LinkedFolders {
  private readonly root: string;
  /** The path that each linked folder is watched under, by its real path. */
  private readonly names = new Map<string, string>();

  constructor(private readonly folder: string) {
    this.root = realOf(folder) ?? folder;
  }

  /** @param below path of a folder or file, relative to the watched folder */
  of(below: string): { link: Link; real: string } {
    const path = join(this.folder, below);
    const real = realOf(path);
    if (real === null || real === join(this.root, below)) return { link: 'none', real: path };
    if (isWithin(real, this.root)) return { link: 'known', real };
    if (isWithin(this.root, real) || isSystemFolder(real)) return { link: 'above', real };
    const known = this.names.get(real);
    if (known !== undefined && known !== below) return { link: 'known', real };
    this.names.set(real, below);
    return { link: 'other', real };
  }
}

function realOf(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null; // it is gone
  }
}
