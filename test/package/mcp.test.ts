/** The npm package as a server of agents, spoken to by the protocol's own client. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { repositoryRoot } from '../support/repository.js';
import { packed } from './packed.js';

const root = repositoryRoot();

describe('leakline mcp', () => {
  let folder: string;
  const clients: Client[] = [];

  before(function () {
    this.timeout(120_000);
    folder = mkdtempSync(join(tmpdir(), 'leakline-mcp-test-'));
    writeFileSync(join(folder, 'package.json'), '{ "private": true }');
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--offline', packed(/\.tgz$/)], {
      cwd: folder,
      stdio: 'pipe',
    });
    cpSync(join(root, 'examples/detector'), join(folder, 'detector'), { recursive: true });
    cpSync(join(root, 'test/fixtures/recordings/two_ranks'), join(folder, 'ranks'), { recursive: true });
    mkdirSync(join(folder, 'empty'));
  });
  after(async () => {
    for (const client of clients) await client.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** A client of a server over a workspace. What is on standard output and is no message fails it. */
  async function connected(workspace: string): Promise<Client> {
    const client = new Client({ name: 'test', version: '1.0.0' });
    client.onerror = (error) => {
      assert.fail(error);
    };
    clients.push(client);
    await client.connect(
      new StdioClientTransport({
        command: join(folder, 'node_modules/.bin/leakline'),
        args: ['mcp', '--root', join(folder, workspace)],
      }),
    );
    return client;
  }

  async function ask(client: Client, name: string, input: Record<string, unknown> = {}) {
    const { content, isError } = await client.callTool({ name, arguments: input });
    const [first] = content;
    assert.ok(first.type === 'text');
    return { text: first.text, isError: isError === true };
  }

  it('lists the leaks of the example, explains one, and names the lines at the peak', async () => {
    const client = await connected('detector');
    const { tools } = await client.listTools();
    assert.ok(tools.every(({ annotations }) => annotations?.readOnlyHint === true));
    const leaks = await ask(client, 'list_gpu_memory_leaks');
    assert.match(leaks.text, /\*\*`detector\/pyramid\.py:18`: Leaks 35\.8 MiB\/step/);
    const explained = await ask(client, 'explain_gpu_memory_leak', { file: 'detector/pyramid.py', line: 18 });
    const { finding, lines } = JSON.parse(explained.text) as {
      finding: { holder: { name: string; fix: string } };
      lines: { file: string; line: number; runs: { verdict: string; stacks: object[] }[] }[];
    };
    assert.equal(finding.holder.name, 'FeaturePyramid.visited');
    assert.deepEqual(
      lines.map(({ file, line, runs }) => [file, line, runs[0].verdict]),
      [['detector/pyramid.py', 16, 'leak']],
    );
    const other = await ask(client, 'explain_gpu_memory_leak', { file: 'detector/data.py', line: 1 });
    assert.match(other.text, /"verdict":null.*"line":18/);
    const peak = await ask(client, 'gpu_memory_at_peak');
    assert.match(peak.text, /Peak of device 0: 1\.5 GiB in step 40/);
    assert.match(
      (await ask(client, 'gpu_memory_at_peak', { rank: 7 })).text,
      /There is no rank 7\. Recorded ranks: 0\./,
    );
  });

  it('compares two snapshots below the root, and reads none elsewhere', async () => {
    const client = await connected('detector');
    const [before, after] = ['snapshots/step_0005.pickle', 'snapshots/step_0040.pickle'];
    const compared = await ask(client, 'compare_gpu_memory_snapshots', { before, after });
    assert.match(compared.text, /pyramid\.py:16/);
    for (const path of ['../ranks', join(folder, 'package.json'), '/etc/passwd']) {
      const refused = await ask(client, 'compare_gpu_memory_snapshots', { before, after: path });
      assert.ok(refused.isError);
      assert.match(refused.text, /is not a file below/);
    }
  });

  it('says what other settings of the allocator would reserve, and refuses wrong ones with a sentence', async () => {
    const client = await connected('detector');
    const path = 'snapshots/step_0040.pickle';
    const { text } = await ask(client, 'gpu_memory_what_if', { path, capacity: '1GiB' });
    assert.match(
      text,
      /^Device 0: .* replayed, all as recorded\.\n.*\n {2}With the recorded settings, 1\.0 GiB is .* short:/s,
    );
    const refused = async (input: object): Promise<string> => {
      const { text: reason, isError } = await ask(client, 'gpu_memory_what_if', { path, ...input });
      assert.ok(isError);
      return reason;
    };
    assert.match(await refused({ settings: ['max_split_size_mb:1'] }), /takes .* at least 20, not '1'\./);
    assert.match(await refused({ capacity: 'much' }), /such as 24GiB, not "much"\./);
    assert.match(await refused({ path: '/etc/passwd' }), /is not a file below/);
  });

  it('explains an out-of-memory message in a text or a log, with the line of the workspace', async () => {
    const client = await connected('detector');
    const text =
      'Traceback (most recent call last):\n  File "/srv/detector/pyramid.py", line 16, in forward\n' +
      'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 9.00 GiB. GPU 0 has a total capacity of 8.00 GiB of';
    writeFileSync(join(folder, 'detector/job.log'), text);
    for (const input of [{ text }, { path: 'job.log' }]) {
      const { text: answer } = await ask(client, 'explain_gpu_out_of_memory', input);
      assert.match(answer, /^The request of 9\.0 GiB is larger than the device, which has 8\.0 GiB\.\n/);
      assert.match(answer, /\n {2}detector\/pyramid\.py:16 \(forward\) requested 9\.0 GiB on device 0\./);
    }
    const frames = [
      [67, '<module>'],
      [63, 'main'],
      [43, 'train'],
    ].map(([line, name]) => `  File "/srv/train.py", line ${line}, in ${name}\n`);
    const unsure = `Traceback (most recent call last):\n${frames.join('')}CUDA out of memory. Tried to allocate 1.00 GiB. GPU 0;\n`;
    const { text: candidate } = await ask(client, 'explain_gpu_out_of_memory', { text: unsure });
    assert.match(
      candidate,
      /\n {2}Line detector\/pyramid\.py:18 may keep tensors of every step .*: a candidate, not proved\.$/,
    );
    for (const input of [{}, { text, path: 'job.log' }, { text: 'step 12' }, { path: '/etc/passwd' }])
      assert.ok((await ask(client, 'explain_gpu_out_of_memory', input)).isError);
  });

  it('names lines that leak on some ranks only', async () => {
    const client = await connected('ranks');
    const { text } = await ask(client, 'gpu_memory_rank_differences');
    assert.match(text, /"linesThatLeakOnSomeRanks":\{"count":1,.*collect\.py:28/);
  });

  it('reads a later snapshot, and names the invalid file', async () => {
    const client = await connected('empty');
    const nothing = await ask(client, 'list_gpu_memory_leaks');
    assert.ok(nothing.isError);
    assert.match(nothing.text, /holds no snapshot.*ask how_to_record_gpu_memory/s);
    const snapshots = join(root, 'examples/detector/snapshots');
    for (const name of readdirSync(snapshots)) cpSync(join(snapshots, name), join(folder, 'empty', name));
    writeFileSync(join(folder, 'empty/torn.pickle'), Buffer.from([0x80, 2, 0x7d]));
    const leaks = await ask(client, 'list_gpu_memory_leaks');
    assert.match(leaks.text, /35\.8 MiB\/step/);
    assert.match(leaks.text, /torn\.pickle/);
  });

  it('ends a question that is cancelled, and answers the next', async () => {
    const client = await connected('detector');
    const cancel = new AbortController();
    const first = client.callTool({ name: 'gpu_memory_at_peak', arguments: {} }, { signal: cancel.signal });
    cancel.abort();
    await assert.rejects(first);
    assert.match((await ask(client, 'list_gpu_memory_leaks')).text, /35\.8 MiB\/step/);
  });
});
