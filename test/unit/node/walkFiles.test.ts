import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { listPythonFiles } from '../../../src/node/listPythonFiles.js';

describe('Listing the Python files of a workspace', () => {
  let root: string;
  const put = (...paths: string[]): void => {
    for (const path of paths) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), '');
    }
  };
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'leakline-walk-'));
  });
  afterEach(() => {
    rmSync(root, { recursive: true });
  });

  it('finds them at any depth, in order, with slashes', async () => {
    put('train.py', 'pkg/model.py', 'pkg/deep/er/loss.py', 'notes.md', 'pkg/data.json');
    assert.deepEqual(await listPythonFiles(root), ['train.py', 'pkg/model.py', 'pkg/deep/er/loss.py']);
  });

  it('leaves out installed and generated files, and those of version control', async () => {
    put('a.py', '.git/hooks/x.py', 'node_modules/n/gyp.py', '.venv/lib/x.py', 'pkg/__pycache__/x.py');
    put('mine/lib/python3.11/site-packages/torch/x.py');
    put('oddly-named/pyvenv.cfg', 'oddly-named/lib/x.py', 'conda/conda-meta/history', 'conda/x.py');
    assert.deepEqual(await listPythonFiles(root), ['a.py']);
  });

  it('keeps a package that is merely named like an environment', async () => {
    put('env/cart_pole.py');
    assert.deepEqual(await listPythonFiles(root), ['env/cart_pole.py']);
  });

  it('walks links to folders once, and ends on loops', async () => {
    put('pkg/a.py');
    symlinkSync('.', join(root, 'pkg/self'));
    symlinkSync('..', join(root, 'pkg/up'));
    symlinkSync('pkg', join(root, 'alias'));
    symlinkSync('nowhere', join(root, 'broken'));
    symlinkSync('nowhere.py', join(root, 'broken.py'));
    assert.deepEqual(await listPythonFiles(root), ['pkg/a.py']);
  });

  it('follows a link that leads out of the folder', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'leakline-outside-'));
    writeFileSync(join(outside, 'model.py'), '');
    symlinkSync(outside, join(root, 'src'));
    symlinkSync(join(outside, 'model.py'), join(root, 'linked.py'));
    assert.deepEqual(await listPythonFiles(root), ['linked.py', 'src/model.py']);
    rmSync(outside, { recursive: true });
  });

  it('skips unreadable folders', async function () {
    put('a.py', 'closed/b.py');
    chmodSync(join(root, 'closed'), 0);
    const files = await listPythonFiles(root);
    chmodSync(join(root, 'closed'), 0o755);
    if (process.getuid?.() === 0) this.skip(); // nothing is closed to root
    assert.deepEqual(files, ['a.py']);
  });

  it('opens a folder that is itself an environment’s, when requested', async () => {
    put('pyvenv.cfg', 'x.py');
    assert.deepEqual(await listPythonFiles(root), ['x.py']);
  });
});
