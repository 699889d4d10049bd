/** Errors of the command line's reader, disk, folder or file. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, readdirSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JobMessage, JobStart } from '../../../src/cli/supervise.js';
import { parseArguments } from '../../../src/cli/parseArguments.js';
import type { Report } from '../../../src/core/report/report.js';
import { startThread } from '../../../src/node/thread.js';
import { linesSnapshot } from '../../fuzz/hostileNames.js';
import { runCli, runCliUnder } from '../../support/cli.js';
import { eventually } from '../../support/eventually.js';
import { builtProgram } from '../../support/repository.js';
import { FIXTURES, picklesUnder } from '../../support/snapshots.js';

const RECORDING = join(FIXTURES, 'recordings/aux_loss');
const [SNAPSHOT] = picklesUnder(RECORDING);
/** Less than a second writing in place: times of files have ticks. */
const TOUCH_MS = 3;

describe('The command line as built', () => {
  let folder: string;
  let long: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'leakline-endings-'));
    long = join(folder, 'long.pickle');
    // Some 8 MB of JSON.
    writeFileSync(long, linesSnapshot(4000, 'f'));
  });
  after(() => {
    rmSync(folder, { recursive: true });
  });

  it('makes a report no faster than it is read', async () => {
    const command = parseArguments(['analyze', '--json', long]);
    assert.ok(command.command === 'analyze');
    const number = (): Int32Array => new Int32Array(new SharedArrayBuffer(4));
    const unread = number();
    const start: JobStart = { command, excluded: [], turns: null, finished: new Map(), unread };
    const thread = startThread(builtProgram('cli-job.mjs'), 'job', start);
    const pieces: string[] = [];
    let isDone = (): boolean => false;
    thread.listen(
      (value) => {
        const message = value as JobMessage;
        if (message.kind === 'print') pieces.push(message.text);
        else if (message.kind === 'done') isDone = () => true;
        else assert.notEqual(message.kind, 'complain');
      },
      (reason) => {
        assert.ok(isDone(), reason);
      },
    );
    const length = (): number => pieces.reduce((sum, piece) => sum + piece.length, 0);
    // Nothing is written: it stops in the midst.
    await eventually(() => {
      assert.ok(length() > 1 << 20, `${length()} characters came`);
    });
    await sleep(500);
    assert.ok(!isDone(), 'it has not waited');
    assert.ok(length() < 2 << 20, `${length()} characters wait`);
    for (let written = 0; !isDone();) {
      Atomics.sub(unread, 0, length() - written);
      Atomics.notify(unread, 0);
      written = length();
      await sleep(1);
    }
    assert.ok(length() > 4 << 20, 'the report is too short to prove anything');
    const { runs } = JSON.parse(pieces.join('')) as Report;
    assert.equal(runs[0].lines.length, 4000);
  });

  it('ends without a word when its reader has seen enough', async () => {
    const child = spawn(process.execPath, [builtProgram('cli.js'), 'analyze', '--json', long]);
    let said = '';
    child.stderr.on('data', (text: Buffer) => (said += String(text)));
    child.stdout.once('data', () => child.stdout.destroy());
    const status = await new Promise((resolve) => child.once('close', resolve));
    assert.deepEqual([status, said], [0, '']);
  });

  it('reports a full disk in one sentence', function () {
    if (!existsSync('/dev/full')) this.skip();
    const full = openSync('/dev/full', 'w');
    try {
      execFileSync(process.execPath, [builtProgram('cli.js'), 'analyze', SNAPSHOT], {
        stdio: ['ignore', full, 'pipe'],
      });
      assert.fail('It has written.');
    } catch (error) {
      const { status, stderr } = error as { status: number; stderr: Buffer };
      assert.equal(status, 2);
      assert.match(String(stderr), /^leakline: Standard output cannot be written: ENOSPC.*\. Check the disk, .*\.\n$/);
    } finally {
      closeSync(full);
    }
  });

  it('reports an unwritable folder in one sentence, and blames no snapshot', () => {
    writeFileSync(join(folder, 'file'), '');
    const { status, stdout, stderr } = runCli('digest', '--out', join(folder, 'file/out'), SNAPSHOT);
    assert.deepEqual([status, stdout], [2, '']);
    assert.match(stderr, /^leakline: (?:EEXIST|ENOTDIR): .*\. Check the disk and its permissions\.\n$/);
  });

  it('reports without a cache that cannot be used, in threads too, with the same exit code', () => {
    writeFileSync(join(folder, 'file'), '');
    const alone = runCli('analyze', '--json', SNAPSHOT);
    for (const jobs of ['1', '2']) {
      const { status, stdout, stderr } = runCli(
        ...['analyze', '--json', '--jobs', jobs, '--cache', join(folder, 'file'), SNAPSHOT],
      );
      assert.deepEqual([status, stdout], [alone.status, alone.stdout]);
      assert.match(stderr, /^leakline: .*file cannot be used as a cache \(EEXIST.*\)\. Name another folder\.\n$/);
    }
  });

  it('reports without a cache that stops answering in the middle, with the same exit code', function () {
    if (process.platform === 'win32') this.skip();
    const cache = join(folder, 'cache');
    const analyze = (...args: string[]): ReturnType<typeof runCli> =>
      runCli('analyze', '--json', '--fail-on', 'growing,leak', ...args, RECORDING);
    const alone = analyze();
    assert.deepEqual([analyze('--cache', cache), alone.status], [alone, 1]);
    const digests = readdirSync(cache, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.lkd'));
    assert.ok(digests.length > 2);
    const pipe = join(cache, digests.sort()[1]);
    rmSync(pipe);
    execFileSync('mkfifo', [pipe]); // opens once another process writes
    // On a disk that is gone, a file is known, and does not open.
    const disk = join(folder, 'disk.cjs');
    writeFileSync(disk, "require('node:fs').Stats.prototype.isFile = function () { return !this.isDirectory(); };");
    for (const jobs of ['1', '2']) {
      const { status, stdout, stderr } = runCliUnder(
        ['--require', disk],
        ...['analyze', '--json', '--fail-on', 'growing,leak', '--jobs', jobs, '--cache', cache, RECORDING],
      );
      assert.deepEqual([status, stdout], [alone.status, alone.stdout]);
      assert.match(
        stderr,
        /^leakline: .*cache cannot be used as a cache \(it does not answer\)\. Name another folder\.\n$/,
      );
    }
  });

  it('believes no file that changes while it is read', async () => {
    const file = openSync(long, 'r+');
    const first = Uint8Array.of(0x80);
    const touch = setInterval(() => writeSync(file, first, 0, 1, 0), TOUCH_MS);
    try {
      for (const command of [['analyze'], ['compare', SNAPSHOT], ['digest', '--out', join(folder, 'digests')]]) {
        const child = spawn(process.execPath, [builtProgram('cli.js'), ...command, long]);
        let said = '';
        for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (said += String(text)));
        await new Promise((resolve) => child.once('close', resolve));
        assert.match(said, /long\.pickle changed while it was read: it is being written\./, command[0]);
      }
    } finally {
      clearInterval(touch);
      closeSync(file);
    }
  });
});
