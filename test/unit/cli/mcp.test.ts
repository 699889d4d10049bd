import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sentenceOf } from '../../../src/cli/usageError.js';
import { TOOLS } from '../../../src/cli/mcp/tools.js';
import { repositoryRoot } from '../../support/repository.js';
import { recordAnswer, Roots } from '../../../src/cli/mcp/serve.js';

interface Manifest {
  contributes: { languageModelTools: { name: string; modelDescription: string; inputSchema: object }[] };
}

describe('The tools of agents', () => {
  it('are the editor’s in the same words, and more', () => {
    const manifest = JSON.parse(readFileSync(join(repositoryRoot(), 'package.json'), 'utf8')) as Manifest;
    const { languageModelTools } = manifest.contributes;
    assert.deepEqual(
      TOOLS.slice(0, languageModelTools.length).map(({ name, description, inputSchema }) => ({
        name,
        modelDescription: description,
        inputSchema,
      })),
      languageModelTools.map(({ name, modelDescription, inputSchema }) => ({ name, modelDescription, inputSchema })),
    );
    assert.ok(TOOLS.length > languageModelTools.length);
  });

  it('tell how to record the script that they are given, without its interpreter', () => {
    assert.match(recordAnswer('python3 train.py --lr 1'), /`leakline run train\.py --lr 1`/);
  });
});

describe('The folders that an agent may read', () => {
  let folder: string;
  before(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'leakline-roots-')));
    for (const name of ['work', 'other', 'work-2']) {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, 'a.pickle'), '');
    }
    symlinkSync(join(folder, 'work-2'), join(folder, 'work/link'));
  });
  after(() => {
    rmSync(folder, { recursive: true });
  });

  it('are the root and those given with it', async () => {
    const roots = await Roots.of(join(folder, 'work'), [join(folder, 'other')]);
    assert.equal(await roots.allowed('a.pickle'), join(folder, 'work/a.pickle'));
    assert.equal(await roots.allowed('../work'), join(folder, 'work'));
    assert.equal(await roots.allowed(join(folder, 'other/a.pickle')), join(folder, 'other/a.pickle'));
  });

  it('are there', async () => {
    await assert.rejects(Roots.of(join(folder, 'nowhere'), []), (error) => {
      assert.match(
        sentenceOf(error) ?? '',
        /^There is no folder .*nowhere: name that of the workspace, or of recordings\.$/,
      );
      return true;
    });
  });

  for (const path of [
    '../work-2/a.pickle',
    'link/a.pickle',
    '/etc/passwd',
    '//host/share/a.pickle',
    'none',
    'a\0b',
    '..',
  ])
    it(`are no others: ${JSON.stringify(path)}`, async () => {
      const roots = await Roots.of(join(folder, 'work'), []);
      await assert.rejects(roots.allowed(path), /is not a file below .*work: name another one/);
    });
});
