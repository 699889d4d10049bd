/** The npm and Python packages, installed into empty folders and used. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryRoot } from '../support/repository.js';

const root = repositoryRoot();
const packages = join(root, 'out/packages');
const example = join(root, 'examples/detector');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
/** A leak of the example, as the command line writes it. */
const finding = /detector\/pyramid\.py:18: Leaks 35\.8 MiB\/step/;

const packed = (name: RegExp): string => {
  const found = readdirSync(packages).find((file) => name.test(file) && file.includes(version));
  assert.ok(found !== undefined, `no ${name.source} of version ${version}: run npm run package`);
  return join(packages, found);
};

function folderOfTest(): string {
  const folder = mkdtempSync(join(tmpdir(), 'leakline-package-'));
  after(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

describe('The npm package', () => {
  it('installs alone, tells its version and finds the leak of the example', () => {
    const folder = folderOfTest();
    writeFileSync(join(folder, 'package.json'), '{ "private": true }');
    const npm = ['install', '--no-audit', '--no-fund', '--offline', packed(/\.tgz$/)];
    execFileSync('npm', npm, { cwd: folder, stdio: 'pipe' });
    assert.deepEqual(
      readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.')),
      ['leakline'],
    );
    const leakline = join(folder, 'node_modules/.bin/leakline');
    assert.match(
      execFileSync(leakline, ['--version'], { encoding: 'utf8' }),
      new RegExp(version.replaceAll('.', '\\.')),
    );
    const text = execFileSync(leakline, ['analyze', '--root', example, join(example, 'snapshots')], {
      encoding: 'utf8',
    });
    assert.match(text, finding);
  });
});

describe('The Python package', () => {
  let python: string;
  let folder: string;

  before(function () {
    this.timeout(300_000);
    folder = folderOfTest();
    const made = spawnSync('python3', ['-m', 'venv', join(folder, 'venv')]);
    if (made.status !== 0) {
      console.log('    skipped: python3 makes no virtual environment here');
      this.skip();
    }
    python = join(folder, 'venv/bin/python');
    execFileSync(python, ['-m', 'pip', 'install', '--quiet', '--no-index', '--no-deps', packed(/\.whl$/)], {
      stdio: 'pipe',
    });
  });

  it('carries the command line, which finds the leak of the example', () => {
    const leakline = join(folder, 'venv/bin/leakline');
    const text = execFileSync(leakline, ['analyze', '--root', example, join(example, 'snapshots')], {
      encoding: 'utf8',
    });
    assert.match(text, finding);
    const missing = spawnSync(leakline, ['analyze', join(folder, 'missing.pickle')], { encoding: 'utf8' });
    assert.equal(missing.status, 2);
  });

  it('records a script with `leakline run`, which says when nothing is recorded', () => {
    const script = join(folder, 'train.py');
    writeFileSync(script, 'print("trained")\n');
    const run = spawnSync(join(folder, 'venv/bin/leakline'), ['run', script], { encoding: 'utf8', cwd: folder });
    assert.equal(run.stdout, 'trained\n');
    assert.match(run.stderr, /torch was never imported: nothing was recorded/);
    assert.equal(run.status, 0);
  });

  it('says in one sentence how to get Node.js where there is none', () => {
    const empty = join(folder, 'empty');
    mkdirSync(empty);
    const run = spawnSync(python, ['-m', 'leakline', 'analyze', 'a.pickle'], {
      encoding: 'utf8',
      env: { PATH: empty },
    });
    assert.equal(
      run.stderr,
      'leakline: Node.js is not on the PATH. Install Node.js 20.19 or newer, such as: conda install nodejs\n',
    );
    assert.equal(run.status, 2);
  });

  it('has the version of the extension, in wheel and source', () => {
    const told = execFileSync(python, ['-c', 'import importlib.metadata as m; print(m.version("leakline"))'], {
      encoding: 'utf8',
    });
    assert.equal(told.trim(), version);
    packed(/\d\.tar\.gz$/);
  });
});
