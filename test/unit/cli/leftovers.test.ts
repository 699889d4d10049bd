/** No part of a file, and no temporary folder, stays after a failure or a signal. */
import assert from 'node:assert/strict';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { FleetFolder } from '../../../src/node/fleetFolder.js';
import { eventually } from '../../support/eventually.js';
import { builtProgram } from '../../support/repository.js';
import { FIXTURES, picklesUnder } from '../../support/snapshots.js';

const [SNAPSHOT] = picklesUnder(join(FIXTURES, 'recordings/aux_loss'));

describe('A file that is written', () => {
  let folder: string;
  let temporary: string;
  let out: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'leakline-leftovers-'));
    temporary = join(folder, 'tmp');
    out = join(folder, 'report');
    mkdirSync(temporary);
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  const start = (...args: string[]): ChildProcess =>
    spawn(process.execPath, [builtProgram('cli.js'), ...args], {
      stdio: ['pipe', 'ignore', 'ignore'],
      env: { ...process.env, TMPDIR: temporary },
    });
  const ended = (child: ChildProcess): Promise<unknown> =>
    new Promise((resolve) => child.once('exit', (code, signal) => resolve(signal ?? code)));
  const leftIn = (path: string): string[] =>
    readdirSync(path).filter((name) => name.startsWith('leakline-') || name.includes('.part'));

  /** A report that takes long: it waits for its input. */
  const waiting = async (): Promise<ChildProcess> => {
    const child = start('explain-oom', '--out', out, '-');
    await eventually(() => {
      assert.equal(leftIn(folder).length, 1, 'nothing is begun');
    });
    return child;
  };

  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
    it(`leaves no part after ${signal}, which still ends the process`, async () => {
      const child = await waiting();
      child.kill(signal);
      assert.equal(await ended(child), signal);
      assert.deepEqual(leftIn(folder), []);
    });

  it('leaves no part to the next process after SIGKILL, but the part of one that runs', async () => {
    const [killed, other] = [await waiting(), spawn(process.execPath, ['-e', 'setTimeout(() => 0, 1e6)'])];
    killed.kill('SIGKILL');
    await ended(killed);
    assert.equal(leftIn(folder).length, 1);
    const theirs = `report.${hostname()}.${other.pid}.part`;
    writeFileSync(join(folder, theirs), '');
    assert.equal(await ended(start('analyze', '--out', out, SNAPSHOT)), 0);
    other.kill();
    assert.deepEqual(leftIn(folder), [theirs]);
    assert.ok(existsSync(out));
  });

  it('leaves no temporary folder of an agent’s server or of standard input after a signal', async () => {
    for (const args of [
      ['mcp', '--root', folder],
      ['digest', '-', '--name', 'a', '--out', join(folder, 'digests')],
    ]) {
      const child = start(...args);
      await eventually(() => {
        assert.equal(leftIn(temporary).length, 1, 'nothing is begun');
      });
      child.kill('SIGTERM');
      assert.equal(await ended(child), 'SIGTERM');
      assert.deepEqual(leftIn(temporary), [], args[0]);
    }
  });

  it('leaves no part in a folder of digests if it cannot be stored', async () => {
    const digests = new FleetFolder(join(folder, 'digests'));
    mkdirSync(join(folder, 'digests/ranks/taken.json'), { recursive: true });
    await assert.rejects(digests.write(digests.summaryPath('taken'), 'x'));
    assert.deepEqual(readdirSync(join(folder, 'digests/unfinished')), []);
  });

  it('leaves no part where the disk is full, and keeps the file of before', function () {
    if (process.platform !== 'linux') this.skip();
    writeFileSync(out, 'before');
    const limited = `ulimit -f 1; "$@"`;
    const { status, stderr } = spawnSync(
      'sh',
      ['-c', limited, 'sh', process.execPath, builtProgram('cli.js'), 'analyze', '--json', '--out', out, SNAPSHOT],
      { encoding: 'utf8', env: { ...process.env, TMPDIR: temporary } },
    );
    assert.notEqual(status, 0, stderr);
    assert.deepEqual(leftIn(folder), []);
    assert.equal(readFileSync(out, 'utf8'), 'before');
  });
});
