import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtProgram, repositoryRoot } from '../support/repository.js';
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

  function onRay(out: string, command: string): void {
    const { status, stderr } = spawnSync(
      PYTHON,
      ['-m', 'leakline_recorder.on_ray', '--shards', '4', '--out', at(out), '--command', command, FOLDER],
      {
        encoding: 'utf8',
        env: {
          ...process.env,
          PYTHONPATH: join(repositoryRoot(), 'recorder'),
          RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO: '0',
        },
      },
    );
    assert.equal(status, 0, stderr);
  }

  it('runs one shard per task', () => {
    onRay('ray', `${process.execPath} ${builtProgram('cli.js')}`);
    assert.deepEqual(filesIn(at('ray/digests')), filesIn(at('one/digests')));
  });

  it('runs a shard again whose worker was killed', () => {
    // Kills its worker the first time that a shard is tried.
    writeFileSync(
      at('deadly.sh'),
      `if mkdir ${at('tried')} 2>/dev/null; then kill -9 $PPID; fi; exec ${process.execPath} ${builtProgram('cli.js')} "$@"\n`,
    );
    onRay('killed', `bash ${at('deadly.sh')}`);
    assert.deepEqual(filesIn(at('killed/digests')), filesIn(at('one/digests')));
  });
});
