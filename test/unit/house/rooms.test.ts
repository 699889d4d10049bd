/** docs/architecture.md names the folders that exist. */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../../support/repository.js';

const read = (path: string): string => readFileSync(join(repositoryRoot(), path), 'utf8');

/** Folders in a folder, without those that git ignores. */
function foldersIn(path: string): string[] {
  const ignored = read('.gitignore').split('\n');
  return readdirSync(join(repositoryRoot(), path), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && !ignored.includes(`${entry.name}/`))
    .map(({ name }) => join(path, name));
}

describe('The map of rooms in docs/architecture.md', () => {
  it('names each folder at the top, in src and in src/core, and no other', () => {
    const [rooms] = read('docs/architecture.md').split('\n## Decisions');
    const named = [...rooms.matchAll(/^\| `([\w/]+)`/gm)].map(([, room]) => room);
    const real = [...foldersIn('.'), ...foldersIn('src'), ...foldersIn('src/core')];
    assert.deepEqual(named.sort(), real.filter((folder) => !['src', 'src/core'].includes(folder)).sort());
  });
});
