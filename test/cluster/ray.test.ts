import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { repositoryRoot } from '../support/repository.js';
import { filesIn, FOLDER, leakline } from './fleet.js';

const PYTHON = process.env['LEAKLINE_RAY_PYTHON'] ?? 'python3';

describe('Ray', () => {
  let folder = '';
  const at = (name: string): string => join(folder, name);
  before(function () {
    if (spawnSync(PYTHON, ['-c', 'import ray']).status !== 0) {
      console.log('    skipped: there is no Ray; LEAKLINE_RAY_PYTHON names a Python that has it');
      this.skip();
    }
    folder = mkdtempSync(join(tmpdir(), 'leakline-ray-'));
    leakline('digest', '--out', at('one'), FOLDER);
  });
  after(() => {
    if (folder !== '') rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  function onRay(out: string, pathBefore = ''): void {
    const python = ['-m', 'leakline.ray', 'digest', '--shards', '4', '--out', at(out), FOLDER];
    const { status, stderr } = spawnSync(PYTHON, python, {
      encoding: 'utf8',
      env: {
        ...process.env,
        PATH: [pathBefore, dirname(process.execPath), process.env['PATH']].join(delimiter),
        PYTHONPATH: join(repositoryRoot(), 'recorder'),
        RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO: '0',
      },
    });
    assert.equal(status, 0, stderr);
  }

  it('runs one shard per task', () => {
    onRay('ray');
    assert.deepEqual(filesIn(at('ray/digests')), filesIn(at('one/digests')));
  });

  it('runs a shard again whose worker was killed', () => {
    mkdirSync(at('deadly'));
    // Kills its worker the first time that a shard is tried.
    const kill = `if [ "$1" != --version ] && mkdir '${at('tried')}' 2>/dev/null; then kill -9 $PPID; fi`;
    writeFileSync(at('deadly/node'), `#!/bin/sh\n${kill}\nexec '${process.execPath}' "$@"\n`, { mode: 0o755 });
    onRay('killed', at('deadly'));
    assert.ok(existsSync(at('tried')));
    assert.deepEqual(filesIn(at('killed/digests')), filesIn(at('one/digests')));
  });
});
