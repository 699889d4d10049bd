/** docs/architecture.md names the folders, walls and packages that exist. */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { core, rooms } from '../../../.dependency-cruiser.mjs';
import { repositoryRoot } from '../../support/repository.js';

const read = (path: string): string => readFileSync(join(repositoryRoot(), path), 'utf8');

/** Folders in a folder, without those that git ignores. */
function foldersIn(path: string): string[] {
  const ignored = read('.gitignore').split('\n');
  return readdirSync(join(repositoryRoot(), path), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && !ignored.includes(`${entry.name}/`))
    .map(({ name }) => join(path, name));
}

/** The cells of the tables in a part of the document, without heads. */
function rowsOf(part: string): string[][] {
  const [, text] = read('docs/architecture.md').split(`\n## ${part}\n`);
  return text
    .split('\n## ')[0]
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split('|').slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim()));
}

const names = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name);

describe('The tables in docs/architecture.md', () => {
  it('name each folder at the top, in src and in src/core, and no other', () => {
    const real = [...foldersIn('.'), ...foldersIn('src'), ...foldersIn('src/core')];
    const named = rowsOf('Rooms').flatMap(([room]) => names(room));
    assert.deepEqual(named.sort(), real.filter((folder) => !['src', 'src/core'].includes(folder)).sort());
  });

  it('have no binary files beside the folders at the top', () => {
    const files = readdirSync(repositoryRoot(), { withFileTypes: true }).filter(
      (entry) => entry.isFile() && !entry.name.startsWith('.') && !/\.(?:vsix|log)$/.test(entry.name),
    );
    assert.ok(files.length > 5);
    assert.deepEqual(
      files.map(({ name }) => name).filter((name) => read(name).includes('\0')),
      [],
    );
  });

  it('list the imports that the walls of src let through', () => {
    const listed = rowsOf('Rooms').filter(([room]) => room.startsWith('`src/'));
    const walls = new Map<string, string[]>(Object.entries(rooms));
    for (const [room, , imports] of listed) {
      const known = walls.get(names(room)[0].replace('src/', '')) ?? [];
      const isAll = core.every((one) => known.includes(one));
      const short = (isAll ? ['core', ...known.filter((one) => !core.includes(one))] : known).map((one) =>
        one.replace('core/', ''),
      );
      assert.deepEqual(imports, short.length === 0 ? 'nothing' : short.join(', '), room);
    }
  });

  it('name each package of package.json, and no other', () => {
    const { devDependencies } = JSON.parse(read('package.json')) as { devDependencies: object };
    const used = Object.keys(devDependencies).filter((name) => !name.startsWith('@types/'));
    const named = rowsOf('Dependencies').flatMap(([packages]) => names(packages));
    assert.deepEqual(named.sort(), used.sort());
  });
});
