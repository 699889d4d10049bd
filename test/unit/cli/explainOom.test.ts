import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SarifLog } from '../../../src/core/render/renderSarif.js';
import type { OomExplanation } from '../../../src/core/oom/explanation.js';
import { FIXTURES } from '../../support/snapshots.js';
import { builtProgram } from '../../support/repository.js';
import { runHere } from './runHere.js';

const MESSAGE =
  'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.00 GiB. GPU 0 has a total capacity of 8.00 GiB of ' +
  'which 10.00 MiB is free. Of the allocated memory 7.50 GiB is allocated by PyTorch, and 20.00 MiB is reserved by ' +
  'PyTorch but unallocated.';
const LOG = `step 12\nTraceback (most recent call last):\n  File "/srv/job/model/net.py", line 2, in forward\n${MESSAGE}\n`;
const SNAPSHOT = join(FIXTURES, 'recordings/aux_loss/snapshots/snapshot_0040.pickle');

describe('leakline explain-oom', () => {
  let folder: string;
  let log: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'leakline-oom-'));
    mkdirSync(join(folder, 'model'));
    writeFileSync(join(folder, 'model/net.py'), 'def forward():\n    return 1\n');
    log = join(folder, 'slurm-17.out');
    writeFileSync(log, LOG);
  });
  after(() => {
    rmSync(folder, { recursive: true });
  });

  it('prints the cause, the numbers and the line of the workspace', async () => {
    const { status, stdout, stderr } = await runHere('explain-oom', '--root', folder, log);
    assert.equal(stderr, '');
    assert.equal(status, 0);
    assert.match(
      stdout,
      /^The device is full: even with an empty cache, 994 MiB is missing for the request of 1\.0 GiB\.\n/,
    );
    assert.match(stdout, /\n {2}model\/net\.py:2 \(forward\) requested 1\.0 GiB on device 0\.\n/);
  });

  it('leaves a message to the report if a snapshot beside the log has its failure', async () => {
    const snapshot = join(folder, 'step_1.pickle');
    copyFileSync(join(FIXTURES, 'shapes/multidevice_oom.pickle'), snapshot);
    const own = LOG.replace('1.00 GiB', '400.00 MiB').replace('GPU 0', 'GPU 2');
    const printed = async (text: string): Promise<string> => {
      writeFileSync(join(folder, 'own.log'), text);
      return (await runHere('analyze', join(folder, 'own.log'), snapshot)).stdout;
    };
    assert.match(await printed(own), /^\S+step_1\.pickle: Out of memory on device 2: .* requested 400 MiB/);
    assert.doesNotMatch(
      await printed(own.replace('400.00', '401.00')),
      /^\S+step_1\.pickle: Out of memory on device 2/,
    );
    assert.doesNotMatch(await printed(own.replace('GPU 2', 'GPU 1')), /^\S+step_1\.pickle: Out of memory on device 2/);
  });

  it('prints one line of JSON for each message', async () => {
    const other = LOG.replace('1.00 GiB', '9.00 GiB');
    writeFileSync(join(folder, 'two.log'), LOG + other);
    const { stdout } = await runHere('explain-oom', '--json', '--root', folder, join(folder, 'two.log'));
    const [full, large, ...rest] = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as OomExplanation);
    assert.equal(rest.length, 0);
    assert.equal(large.class, 'tooLarge');
    const { sentences, ...numbers } = full;
    assert.ok(sentences.length > 1);
    assert.deepEqual(numbers, {
      class: 'full',
      onlyTipsOver: false,
      backend: 'CUDA',
      requestedBytes: 1 << 30,
      capacityBytes: 8 * 2 ** 30,
      freeBytes: 10 << 20,
      allocatedBytes: 7.5 * 2 ** 30,
      unusedBytes: 20 << 20,
      limitBytes: null,
      outsideBytes: 482 << 20,
      shortBytes: 994 << 20,
      asked: { file: 'model/net.py', line: 2, function: 'forward', mapped: true },
      program: null,
      devices: [0],
      ranks: [],
      count: 1,
      candidates: [],
    });
  });

  it('explains the logs of several ranks in one folder together, also where they requested different sizes', async () => {
    const job = join(folder, 'job');
    mkdirSync(join(job, 'other'), { recursive: true });
    const logs = [0, 1, 7].map((rank) => join(job, `rank${rank}.log`));
    for (const [i, path] of logs.entries()) writeFileSync(path, LOG.replace('GPU 0', `GPU ${i}`));
    const only = async (...paths: string[]): Promise<OomExplanation[]> =>
      (await runHere('explain-oom', '--json', '--root', folder, ...paths)).stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as OomExplanation);
    const [together, ...others] = await only(...logs);
    assert.deepEqual([others.length, together.ranks, together.devices, together.count], [0, [0, 1, 7], [0, 1, 2], 3]);
    const { stdout } = await runHere('explain-oom', '--root', folder, ...logs, log);
    assert.ok(stdout.startsWith(`${logs[0]} and 2 more logs:\n`), stdout);
    assert.equal((await runHere('analyze', '--root', folder, ...logs, log)).stdout, stdout);
    assert.match(stdout, /\n {2}On ranks: 0, 1, 7\.\n/);

    writeFileSync(logs[1], LOG.replace('1.00 GiB', '1.50 GiB'));
    const { sentences } = (await only(...logs))[0];
    assert.ok(sentences.includes('On ranks: 0, 1, 7. The numbers are those of rank 0.'), sentences.join('\n'));
    // Another cause, line or folder is another finding.
    writeFileSync(logs[1], LOG.replace('1.00 GiB', '9.00 GiB'));
    writeFileSync(logs[2], LOG.replace('line 2', 'line 1'));
    const elsewhere = join(job, 'other/rank2.log');
    writeFileSync(elsewhere, LOG);
    assert.deepEqual(
      (await only(...logs, elsewhere)).map(({ ranks }) => ranks),
      [[0], [1], [7], [2]],
    );
  });

  it('names statements that may keep tensors, as candidates, in text and in JSON', async () => {
    const train = 'losses = []\nfor batch in loader:\n    losses.append(net(batch))\n';
    writeFileSync(join(folder, 'train.py'), train);
    const path = join(folder, 'candidate.log');
    writeFileSync(path, LOG.replace('model/net.py", line 2, in forward', 'train.py", line 3, in <module>'));
    const text =
      'Line train.py:3 may keep tensors of every step (losses.append(net(batch))), held by losses: a candidate, not proved.';
    const { stdout } = await runHere('explain-oom', '--root', folder, path);
    assert.ok(stdout.endsWith(`\n  ${text}\n`), stdout);
    assert.ok((await runHere('analyze', '--markdown', '--root', folder, path)).stdout.includes(text));
    const json = JSON.parse((await runHere('explain-oom', '--json', '--root', folder, path)).stdout) as OomExplanation;
    assert.deepEqual(json.candidates, [{ file: 'train.py', line: 3, text }]);
    // Without the workspace, there is no source.
    assert.deepEqual(
      (JSON.parse((await runHere('explain-oom', '--json', path)).stdout) as OomExplanation).candidates,
      [],
    );
  });

  it('reads standard input, and what PowerShell redirects', async () => {
    const piped = spawnSync(process.execPath, [builtProgram('cli.js'), 'explain-oom', '-'], {
      input: LOG,
      encoding: 'utf8',
    });
    assert.equal(piped.stderr, '');
    assert.match(piped.stdout, /^The device is full/);
    const wide = join(folder, 'wide.txt');
    writeFileSync(wide, Buffer.concat([Buffer.of(0xff, 0xfe), Buffer.from(LOG, 'utf16le')]));
    assert.match((await runHere('explain-oom', wide)).stdout, /^The device is full/);
  });

  it('says that an input has no message, and explains the others', async () => {
    const empty = join(folder, 'empty.log');
    writeFileSync(empty, 'step 12\n');
    const { status, stdout, stderr } = await runHere('explain-oom', empty, log, join(folder, 'missing.log'));
    assert.equal(status, 2);
    assert.match(stdout, /^The device is full/);
    const [first, second] = stderr.split('\n');
    assert.equal(
      first,
      `leakline: ${empty} holds no out-of-memory message of PyTorch. Pass the output of the program that failed.`,
    );
    assert.match(second, /missing\.log cannot be read: ENOENT/);
  });

  it('shows control characters of a name instead of obeying them', async () => {
    const hostile = join(folder, 'hostile.log');
    writeFileSync(hostile, LOG.replace('net.py', 'n\u202e\u0007et.py'));
    const { stdout } = await runHere('explain-oom', hostile);
    assert.match(stdout, /n\\u202e\\u0007et\.py:2/);
    const { asked } = JSON.parse((await runHere('explain-oom', '--json', hostile)).stdout) as OomExplanation;
    assert.equal(asked?.file, '/srv/job/model/n\u202e\u0007et.py');
  });

  it('is what analyze prints of a log, alone or before a report', async () => {
    const { stdout } = await runHere('explain-oom', log);
    const alone = await runHere('analyze', log);
    assert.deepEqual(alone, { status: 0, stdout, stderr: '' });
    const both = await runHere('analyze', log, SNAPSHOT);
    assert.deepEqual([both.status, both.stderr], [0, '']);
    assert.ok(both.stdout.startsWith(`${stdout}\n`) && both.stdout.includes('snapshot_0040.pickle'));
    const json = JSON.parse((await runHere('analyze', '--json', log, SNAPSHOT)).stdout) as {
      runs: unknown[];
      messages: OomExplanation[];
    };
    assert.deepEqual([json.runs.length, json.messages.map((one) => one.class)], [1, ['full']]);
    assert.equal((await runHere('analyze', '--markdown', log)).stdout, `\`\`\`text\n${stdout}\`\`\`\n`);
  });

  it('is a result of SARIF and an annotation at its line, alone or in a report', async () => {
    for (const inputs of [[log], [log, SNAPSHOT]]) {
      const { status, stdout, stderr } = await runHere('analyze', '--sarif', '--root', folder, ...inputs);
      assert.deepEqual([status, stderr], [0, '']);
      const [{ results }] = (JSON.parse(stdout) as SarifLog).runs;
      const [result, ...others] = results.filter(({ ruleId }) => ruleId === 'outOfMemory');
      assert.deepEqual(others, []);
      const { artifactLocation, region } = result.locations[0].physicalLocation;
      assert.deepEqual(
        [artifactLocation.uri, region?.startLine, result.properties.bytes],
        ['model/net.py', 2, 1 << 30],
      );
      assert.match(result.message.text, /^The device is full: .* requested 1\.0 GiB on device 0\. /);
    }
    const annotations = (await runHere('analyze', '--github', '--root', folder, log)).stdout;
    assert.match(annotations, /^::error file=model\/net\.py,line=2,title=Out of GPU memory::The device is full: /);
    const lineless = join(folder, 'lineless.log');
    writeFileSync(lineless, MESSAGE);
    const { status, stdout, stderr } = await runHere('analyze', '--github', lineless);
    assert.deepEqual([status, stdout], [2, '']);
    assert.match(stderr, /lineless\.log holds a message without a line, which --github cannot show/);
  });

  it('lets analyze fail on it, and complain of other logs as before', async () => {
    assert.equal((await runHere('analyze', '--fail-on', 'oom', log)).status, 1);
    assert.equal((await runHere('analyze', '--fail-on', 'oom', log, SNAPSHOT)).status, 1);
    assert.equal((await runHere('analyze', '--fail-on', 'oom', SNAPSHOT)).status, 0);
    const empty = join(folder, 'other.log');
    writeFileSync(empty, 'step 12\n');
    const { status, stderr } = await runHere('analyze', '--fail-on', 'oom', empty);
    assert.equal(status, 2);
    assert.match(stderr, /other\.log is not a memory snapshot/);
  });
});
