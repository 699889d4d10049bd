import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { usageSentence } from '../../../src/cli/usageError.js';
import { TOOLS } from '../../../src/cli/mcp/tools.js';
import { Turns } from '../../../src/cli/mcp/turns.js';
import { builtProgram } from '../../support/repository.js';
import { FIXTURES, picklesUnder } from '../../support/snapshots.js';
import { recordAnswer, Roots } from '../../../src/cli/mcp/serve.js';

describe('The tools of agents', () => {
  it('each have a title', () => {
    assert.deepEqual(
      TOOLS.filter(({ title }) => !title).map(({ name }) => name),
      [],
    );
  });

  it('explain how to record a given script, without its interpreter', () => {
    assert.match(recordAnswer('python3 train.py --lr 1'), /`leakline run train\.py --lr 1`/);
  });
});

describe('The server of agents', () => {
  const SHAPES = join(FIXTURES, 'shapes');
  const HELLO = `${JSON.stringify({
    jsonrpc: '2.0',
    id: 0,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
  })}\n`;
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'leakline-mcp-test-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });
  /** Ends with its input, also where the first report is not done. */
  const serve = (input: string): { status: number | null; stdout: string; stderr: string } =>
    spawnSync(process.execPath, [builtProgram('cli.js'), 'mcp', '--root', SHAPES, SHAPES], {
      encoding: 'utf8',
      input,
      env: { ...process.env, TMPDIR: folder },
    });

  it('ends with its input, and leaves nothing', () => {
    const { status, stdout, stderr } = serve(HELLO);
    assert.deepEqual([status, stderr], [0, '']);
    assert.match(stdout, /^\{.*"serverInfo".*\}\n$/);
    assert.deepEqual(readdirSync(folder), []);
  });

  it('lists nothing that links of its folders lead to', () => {
    const work = join(folder, 'work');
    mkdirSync(work);
    const [secret] = picklesUnder(join(FIXTURES, 'recordings/aux_loss'));
    symlinkSync(secret, join(work, 'file.pickle'));
    symlinkSync(dirname(secret), join(work, 'folder'));
    symlinkSync(folder, join(work, 'up'));
    const question = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'list_gpu_memory_leaks', arguments: {} },
    });
    const answers: string[] = [];
    return new Promise<void>((resolve) => {
      const server = spawn(process.execPath, [builtProgram('cli.js'), 'mcp', '--root', work], {
        env: { ...process.env, TMPDIR: folder },
      });
      server.stdout.on('data', (chunk: Buffer) => {
        answers.push(String(chunk));
        if (answers.join('').includes('"id":1')) server.stdin.end();
      });
      server.once('exit', () => resolve());
      server.stdin.write(`${HELLO}${question}\n`);
    }).then(() => {
      const answer = answers.join('');
      for (const name of ['file.pickle', 'folder', 'up'])
        assert.match(answer, new RegExp(`${name} is skipped: it links out of the folders of this server`));
      assert.ok(!answer.includes(dirname(secret)));
    });
  });

  it('answers each message that cannot be read with an error, and complains about five of them', () => {
    const { status, stdout, stderr } = serve(HELLO + '[]\n'.repeat(20));
    const errors = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: unknown; error?: { code: number; message: string } })
      .filter(({ error }) => error !== undefined);
    assert.deepEqual(
      errors.map(({ id, error }) => [id, error?.code]),
      Array.from({ length: 20 }, () => [null, -32600]),
    );
    assert.equal(errors[0].error?.message, 'it is not JSON-RPC 2.0');
    const lines = stderr.trimEnd().split('\n');
    assert.deepEqual([status, lines.length, readdirSync(folder)], [2, 5, []]);
    for (const line of lines) assert.match(line, /^leakline: A message of the agent cannot be read: [^\\]{1,120}\.$/);
  });

  it('ends after a message of more than 10 MiB, and says so', () => {
    const { status, stdout, stderr } = serve(`${HELLO}${'x'.repeat(11 << 20)}\n${HELLO}`);
    assert.deepEqual([status, readdirSync(folder)], [2, []]);
    assert.match(
      stderr,
      /^leakline: A message of the agent cannot be read: .* exceeded maximum size of 10485760 bytes\.\n$/,
    );
    assert.match(stdout.split('\n')[1], /^\{.*"id":null,"error":\{"code":-32600/);
  });
});

describe('Questions of agents', () => {
  const ASKER = new AbortController().signal;
  let turns: Turns;
  let reports: number;
  const report = (abandoned: AbortSignal): Promise<string> =>
    Promise.resolve(`report ${++reports}${abandoned.aborted ? ', abandoned' : ''}`);
  /** Asks during the work for another question. */
  const whileBusy = (ask: () => Promise<string>[]): Promise<PromiseSettledResult<string>[]> => {
    let asked: Promise<string>[] = [];
    const busy = turns.take('report', ASKER, async () => {
      asked = ask();
      return Promise.resolve();
    });
    return busy.then(() => Promise.allSettled(asked));
  };
  beforeEach(() => {
    turns = new Turns();
    reports = 0;
  });

  it('share one answer while they wait, which is newer than all of them', async () => {
    const ends = await whileBusy(() => [
      turns.take('report', ASKER, report),
      turns.take('compare', ASKER, report),
      turns.take('report', ASKER, report),
    ]);
    assert.deepEqual(
      ends.map((end) => end.status === 'fulfilled' && end.value),
      ['report 1', 'report 2', 'report 1'],
    );
  });

  it('are dropped when all askers left, and only then', async () => {
    const askers = [new AbortController(), new AbortController(), new AbortController()];
    const ends = await whileBusy(() => {
      const [some, last, only] = askers.map(({ signal }) => signal);
      const asked = [
        turns.take('report', some, report),
        turns.take('report', last, report),
        turns.take('compare', only, report),
      ];
      askers[0].abort();
      askers[2].abort();
      return [...asked, turns.take('compare', ASKER, report)];
    });
    assert.deepEqual(
      ends.map((end) => (end.status === 'fulfilled' ? end.value : (end.reason as Error).name)),
      ['report 1', 'report 1', 'AbortError', 'report 2'],
    );
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
        usageSentence(error) ?? '',
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
