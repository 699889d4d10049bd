/** A file is one input, however its path is written. */
import assert from 'node:assert/strict';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { spawnSync } from 'node:child_process';
import type { Report } from '../../../src/core/report/report.js';
import type { CliRun } from '../../support/cli.js';
import { builtProgram } from '../../support/repository.js';
import { FIXTURES, picklesUnder } from '../../support/snapshots.js';
import { runHere } from './runHere.js';

describe('A job', () => {
  let folder: string;
  let job: string;
  const at = (name: string): string => join(folder, name);
  /** The content of files below a folder, by path. */
  const filesIn = (name: string): Map<string, string> =>
    new Map(
      readdirSync(at(name), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .map((path) => [relative(at(name), path), readFileSync(path, 'base64')]),
    );
  const stream = (file: string, name: string, out: string, cwd?: string): void => {
    const args = [builtProgram('cli.js'), 'digest', '-', '--name', name, '--out', out];
    const { status, stderr } = spawnSync(process.execPath, args, { input: readFileSync(file), cwd, encoding: 'utf8' });
    assert.equal(status, 0, stderr);
  };

  before(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'leakline-identity-')));
    job = at('job');
    cpSync(join(FIXTURES, 'planted/recordings/retry_smaller'), job, { recursive: true });
    cpSync(join(FIXTURES, 'recordings/aux_loss'), at('leak'), { recursive: true });
    for (const name of ['job', 'leak']) symlinkSync(at(name), at(`linked_${name}`), 'junction');
  });
  after(() => {
    rmSync(folder, { recursive: true });
  });

  /** Ways to write the path of a folder. */
  const ways = (name: string): string[] => [
    at(name),
    relative(process.cwd(), at(name)),
    `${at(name)}/`,
    at(`linked_${name}`),
    join(at('linked_job'), '..', name),
  ];

  it('has the same report in each format, and the same baseline, by each way to its folder', async () => {
    for (const format of ['--json', '--sarif', '--markdown', '--all']) {
      const reports = new Set<string>();
      for (const way of ways('leak'))
        reports.add((await runHere('analyze', format, '--root', join(way, 'src'), join(way, 'snapshots'))).stdout);
      assert.equal(reports.size, 1, format);
    }
    const baselines = new Set<string>();
    for (const way of ways('leak')) {
      await runHere('baseline', 'write', '--root', join(way, 'src'), join(way, 'snapshots'));
      baselines.add(readFileSync(at('leak/src/.leakline.json'), 'utf8'));
      rmSync(at('leak/src/.leakline.json'));
    }
    assert.equal(baselines.size, 1);
    assert.match([...baselines][0], /"statement"/);
  });

  it('counts each file once, whatever paths lead to it', async () => {
    const { runs } = JSON.parse((await runHere('analyze', '--json', ...ways('job'))).stdout) as Report;
    assert.deepEqual(
      runs.map(({ snapshots }) => snapshots.length),
      [picklesUnder(job).length],
    );
  });

  it('counts each file once, also if links to it are beside it, and does not walk to what contains it', async () => {
    const linked = at('with_links');
    mkdirSync(linked);
    const [file, other] = picklesUnder(at('leak'));
    cpSync(file, join(linked, 'step.pickle'));
    for (const name of ['last.pickle', 'z.pickle']) symlinkSync('step.pickle', join(linked, name));
    for (const name of ['far.pickle', 'further.pickle']) symlinkSync(other, join(linked, name));
    symlinkSync('/', join(linked, 'all'));
    symlinkSync('/proc', join(linked, 'processes'));
    symlinkSync('..', join(linked, 'up'));
    const { stdout, stderr, status } = await runHere('analyze', '--json', linked);
    const { runs } = JSON.parse(stdout) as Report;
    assert.deepEqual(runs.flatMap(({ snapshots }) => snapshots.map(({ path }) => relative(linked, path))).sort(), [
      'far.pickle',
      'step.pickle',
    ]);
    assert.equal(status, 0);
    const sentence = (name: string, target: string): string =>
      `leakline: ${linked}/${name} is skipped: it links to ${target}, which contains this folder or files of the system. Link to the folder of the snapshots.\n`;
    assert.equal(stderr, sentence('all', '/') + sentence('processes', '/proc') + sentence('up', folder));
  });

  it('has a baseline that follows no link, and errors that quote nothing of linked files', async () => {
    const [leak, file, target] = [at('leak/src'), at('leak/src/.leakline.json'), at('secret')];
    const write = (): Promise<CliRun> => runHere('baseline', 'write', '--root', leak, at('leak/snapshots'));
    for (const secret of ['{}', 'hunter2: x', '{"a": hunter2}', '{\n"hunter2" 1}']) {
      writeFileSync(target, secret);
      symlinkSync(target, file);
      const { stderr, status } = await write();
      assert.equal(status, 2);
      assert.match(
        stderr,
        secret === '{}' ? /is not written: .* is a link\. Replace it/ : /it is not JSON( at line \d)?\.\n/,
      );
      assert.doesNotMatch(stderr, /hunter2/);
      assert.equal(readFileSync(target, 'utf8'), secret);
      rmSync(file);
    }
    assert.equal((await write()).status, 0);
    assert.deepEqual(
      readdirSync(leak).sort(),
      ['.leakline.json', ...readdirSync(join(FIXTURES, 'recordings/aux_loss/src'))].sort(),
    );
    rmSync(file);
  });

  it('has the same digests, and the same report of them, also when each snapshot is streamed', async () => {
    for (const [i, way] of ways('job').entries()) {
      const out = i % 2 === 0 ? at(`out${i}`) : relative(process.cwd(), at(`out${i}`));
      assert.equal((await runHere('digest', '--out', out, way)).status, 0);
      assert.deepEqual(filesIn(`out${i}`), filesIn('out0'), way);
    }
    for (const file of picklesUnder(job)) stream(file, relative(job, file), at('streamed'), job);
    assert.deepEqual(filesIn('streamed'), filesIn('out0'));
    // Without a root, analyze looks for the folder of the recorded program, which a digest does not name.
    const root = join(FIXTURES, 'planted/leaks');
    const json = async (...args: string[]): Promise<Report> =>
      JSON.parse((await runHere(...args, '--root', root, '--json')).stdout) as Report;
    const whole = await json('analyze', job);
    for (const name of ['out0', 'out1', 'streamed']) assert.deepEqual(await json('report', at(name)), whole, name);
  });

  it('has the ranks that links say', async () => {
    mkdirSync(at('links'));
    for (const rank of [0, 1]) symlinkSync(at('leak/snapshots'), at(`links/rank${rank}`), 'junction');
    const links = [0, 1].map((rank) => at(`links/rank${rank}`));
    const { runs } = JSON.parse((await runHere('analyze', '--json', ...links)).stdout) as Report;
    assert.deepEqual(
      runs.map(({ rank }) => rank),
      [0, 1],
    );
  });

  it('has two ranks if two are streamed, also with the same bytes', async () => {
    const [file] = picklesUnder(at('leak'));
    mkdirSync(at('empty'));
    for (const rank of [0, 1]) stream(file, `s3://bucket/job/rank${rank}/step_1.pickle`, at('ranks'), at('empty'));
    const { runs } = JSON.parse((await runHere('report', '--json', at('ranks'))).stdout) as Report;
    assert.deepEqual(
      runs.map(({ rank, snapshots }) => [rank, snapshots.length]),
      [
        [0, 1],
        [1, 1],
      ],
    );
    assert.equal(new Set(runs.map((run) => run.job)).size, 1);
  });
});
