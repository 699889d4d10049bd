/** The workspaces of the in-host tests: each folder of tests has its own workspace and window. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeLargeWorkspace } from '../support/largeWorkspace.js';
import { copyExample, newFolder } from '../support/workspaces.js';
import { writeNotebookWorkspace } from './notebooks/workspace.js';
import { writeOutOfMemory } from './oom/workspace.js';
import { writeRoots } from './roots/workspace.js';

export interface Scene {
  /** Folder of its tests below this one. */
  readonly tests: string;
  /** Makes the workspace; gives what a window opens, and a truth that its tests may read. */
  readonly open: () => { readonly path: string; readonly truth?: object };
}

export const scenes: readonly Scene[] = [
  // The tests dump the later snapshots themselves.
  { tests: '.', open: () => ({ path: copyExample({ untilStep: 25 }) }) },
  {
    tests: 'many',
    open: () => {
      const path = newFolder('many');
      return { path, truth: writeLargeWorkspace(path) };
    },
  },
  {
    tests: 'roots',
    open: () => {
      const parent = newFolder('several');
      const { folders, leaks } = writeRoots(parent);
      const path = join(parent, 'several.code-workspace');
      writeFileSync(path, JSON.stringify({ folders: folders.map((folder) => ({ path: folder })) }));
      return { path, truth: leaks };
    },
  },
  {
    tests: 'notebooks',
    open: () => {
      const path = newFolder('notebooks');
      return { path, truth: writeNotebookWorkspace(path) };
    },
  },
  {
    tests: 'oom',
    open: () => {
      const path = newFolder('oom');
      return { path, truth: writeOutOfMemory(path) };
    },
  },
];
