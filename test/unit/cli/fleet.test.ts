import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { gather, reportOfGathered } from '../../../src/cli/fleet/gather.js';
import { HeldSummaries } from '../../../src/cli/fleet/heldSummaries.js';
import { Reporting, summaryOf } from '../../../src/cli/fleet/summary.js';
import { isGroupOfShard, isOfShard, shardOf } from '../../../src/cli/fleet/shard.js';
import { digestSnapshot } from '../../../src/core/digest/digest.js';
import type { Report, RunReport } from '../../../src/core/report/report.js';
import { listPythonFiles } from '../../../src/node/listPythonFiles.js';
import { SourceFiles } from '../../../src/node/sourceFiles.js';
import { columnBytes } from '../../../src/node/columnFile.js';
import { builtProgram } from '../../support/repository.js';
import { everyNth, tries } from '../../support/sample.js';
import { seededRandom } from '../../support/seededRandom.js';
import { FIXTURES, picklesUnder, readFile } from '../../support/snapshots.js';
import { runHere } from './runHere.js';
import { writeFleetFile } from '../../../src/node/fleetFile.js';
import { FleetFolder } from '../../../src/node/fleetFolder.js';

const TWO = join(FIXTURES, 'recordings/two_ranks');

/** The files below a folder with their bytes. */
function filesIn(folder: string): Map<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  const files = names.filter((name) => statSync(join(folder, name)).isFile());
  return new Map(files.map((name) => [name, readFileSync(join(folder, name), 'base64')]));
}

const ignore = (): undefined => undefined;
const SILENT = {
  within: null,
  excluded: new Set<string>(),
  print: ignore,
  complain: ignore,
  reading: ignore,
  read: ignore,
  analyzing: ignore,
};

describe('A fleet', () => {
  let folder: string;
  const path = (name: string): string => join(folder, name);
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'leakline-fleet-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  async function good(...args: string[]): Promise<string> {
    const { status, stdout, stderr } = await runHere(...args);
    assert.deepEqual({ status, stderr }, { status: 0, stderr: '' }, args.join(' '));
    return stdout;
  }

  describe('is reported from its digests as from its snapshots', () => {
    const recordings = ['recordings', 'fixes', 'planted/recordings', 'styles'].flatMap((set) =>
      readdirSync(join(FIXTURES, set), { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map((entry) => join(FIXTURES, set, entry.name)),
    );
    const cases = [...recordings, ...['shapes', 'profiler', 'categories'].map((set) => join(FIXTURES, set))];
    for (const inputs of everyNth(cases, 16)) {
      it(relative(FIXTURES, inputs), async () => {
        const analyze = async (...at: string[]): Promise<string> =>
          (await runHere('analyze', '--json', '--root', inputs, ...at)).stdout;
        const whole = await analyze(inputs);
        assert.equal(await analyze('--cache', path('out'), inputs), whole, 'first through a cache');
        const kept = filesIn(path('out'));
        assert.equal(await analyze('--cache', path('out'), inputs), whole, 'from a cache');
        await runHere('digest', '--out', path('digested'), inputs);
        assert.deepEqual(kept, filesIn(path('digested')));
        assert.deepEqual(filesIn(path('out')), kept);
        assert.equal(await analyze(path('out')), whole, 'digests');
        const [held, single] = [await gathered(inputs, Infinity), await gathered(inputs, 0)];
        assert.equal(JSON.stringify(single), JSON.stringify(held), 'digests, rank by rank');
        await runHere('summarize', '--root', inputs, path('out'));
        assert.equal(await analyze(path('out')), whole, 'summaries');
      });
    }

    /** @param max digests that are held */
    async function gathered(root: string, max: number): Promise<Report> {
      const { lineText, sourceText, sourceFacts } = new SourceFiles([{ prefix: '', folder: root }]);
      const files = await listPythonFiles(root);
      const reporting = new Reporting({ files, rules: [], lineText, sourceText, sourceFacts });
      const found = await gather([path('out')], reporting, SILENT, max);
      const isLogged = found.contents.trends.length + found.contents.cycles.length > 0;
      assert.equal(found.contents.digests.length === 0, max === 0 && !isLogged);
      return (await reportOfGathered(found, reporting, SILENT, max)).report;
    }
  });

  it('in four shards writes the files of a single task, and none twice', async () => {
    await good('digest', '--out', path('one'), TWO);
    for (const shard of ['0/4', '1/4', '2/4', '3/4'])
      await good('digest', '--shard', shard, '--out', path('four'), TWO);
    const files = filesIn(path('one/digests'));
    assert.equal(files.size, picklesUnder(TWO).length);
    assert.deepEqual(filesIn(path('four/digests')), files);
    assert.match(await good('digest', '--out', path('one'), TWO), /: 0 read, 10 there, 0 failed\.$/m);
    assert.deepEqual(filesIn(path('one/digests')), files);
  });

  it('continues after a killed task, and leaves no partial file among the digests', async () => {
    await good('digest', '--out', path('one'), TWO);
    await good('digest', '--out', path('killed'), TWO);
    const [first, second] = filesIn(path('killed/digests')).keys();
    rmSync(path(`killed/digests/${first}`));
    rmSync(path(`killed/digests/${second}`));
    writeFileSync(path('killed/unfinished/old'), 'half');
    utimesSync(path('killed/unfinished/old'), 1, 1);
    assert.match(await good('digest', '--out', path('killed'), TWO), /2 read, 8 there/);
    assert.deepEqual(filesIn(path('killed/digests')), filesIn(path('one/digests')));
    assert.deepEqual(readdirSync(path('killed/unfinished')), []);
  });

  it('names a snapshot by its content: a copy elsewhere, at another time, has the same key', async () => {
    cpSync(TWO, path('copy'), { recursive: true });
    await good('digest', '--out', path('a'), TWO);
    await good('digest', '--out', path('b'), path('copy'));
    const keys = (out: string): string[] =>
      [...filesIn(path(`${out}/digests`)).keys()].map((name) => basename(name)).sort();
    assert.deepEqual(keys('b'), keys('a'));
  });

  it('is read by several threads as by one', () => {
    cpSync(TWO, path('job'), { recursive: true });
    const torn = picklesUnder(path('job'))[1];
    truncateSync(torn, statSync(torn).size / 2);
    const built = (...args: string[]) => {
      const { status, stdout, stderr } = spawnSync(process.execPath, [builtProgram('cli.js'), ...args], {
        encoding: 'utf8',
      });
      return { status, stdout, stderr };
    };
    const digest = (jobs: string) => built('digest', '--jobs', jobs, '--out', path('out'), path('job'));
    const one = digest('1');
    assert.match(one.stdout, /9 read, 0 there, 1 failed/);
    const files = filesIn(path('out'));
    rmSync(path('out'), { recursive: true });
    assert.deepEqual(digest('3'), one);
    assert.deepEqual(filesIn(path('out')), files);
    const analyze = (...args: string[]) => built('analyze', '--json', ...args, path('job'));
    const alone = analyze();
    assert.equal(alone.status, 2);
    assert.deepEqual(analyze('--jobs', '3', '--cache', path('cache')), alone);
    assert.deepEqual(filesIn(path('cache')), files);
  });

  it('is cleaned of digests of different versions, and of summaries without digests', async () => {
    await good('digest', '--out', path('out'), TWO);
    await good('summarize', path('out'));
    const before = [...filesIn(path('out')).keys()];
    assert.match(await good('clean', path('out')), /: 0 digests and 0 summaries removed\.$/m);
    const other = columnBytes({ facts: { schema: 'leakline.digest/1', version: '0.0.0' }, columns: {} });
    const ofRank1 = before.filter((name) => /digests.*rank00001/.test(name));
    assert.equal(ofRank1.length, 5);
    for (const name of ofRank1) writeFileSync(path(`out/${name}`), gzipSync(other));
    assert.match(await good('clean', path('out')), /: 5 digests and 1 summaries removed\.$/m);
    assert.deepEqual(
      [...filesIn(path('out')).keys()],
      before.filter((name) => !name.includes('rank00001')),
    );
    assert.equal((await runHere('clean', TWO)).status, 2);
  });

  it('reads files that are missing from the cache', async () => {
    const analyze = (...args: string[]) => runHere('analyze', '--json', ...args, TWO);
    const alone = await analyze();
    await analyze('--cache', path('cache'));
    for (const name of filesIn(path('cache/digests')).keys()) writeFileSync(path(`cache/digests/${name}`), 'torn');
    assert.deepEqual(await analyze('--cache', path('cache')), alone);
    writeFileSync(path('file'), '');
    const { status, stdout, stderr } = await analyze('--cache', path('file'));
    assert.deepEqual([status, stdout], [0, alone.stdout]);
    assert.match(stderr, /^leakline: .*file cannot be used as a cache \(.*\)\. Name another folder\.\n$/);
  });

  it('reports leaks beside a torn file, and forgets the note when the file is whole', async () => {
    cpSync(TWO, path('job'), { recursive: true });
    const torn = picklesUnder(path('job'))[1];
    const whole = readFileSync(torn);
    truncateSync(torn, whole.length / 2);
    assert.match(await good('digest', '--out', path('out'), path('job')), /9 read, 0 there, 1 failed/);
    const report = (...args: string[]): Promise<{ status: number | null; stdout: string; stderr: string }> =>
      runHere('report', ...args, path('out'));
    assert.equal((await report('--fail-on', 'growing')).status, 1);
    assert.equal((await report('--fail-on', 'incomplete')).status, 1);
    assert.deepEqual([(await report()).status, (await report()).stderr], [0, '']);
    assert.ok((await report()).stdout.includes(torn));
    const { failed } = JSON.parse((await report('--json')).stdout) as Report;
    assert.deepEqual([failed.length, failed[0].path], [1, torn]);
    writeFileSync(torn, whole);
    await good('digest', '--out', path('out'), path('job'));
    assert.deepEqual((JSON.parse((await report('--json')).stdout) as Report).failed, []);
  });

  it('reports that there is nothing to digest or to report on', async () => {
    const missing = await runHere('digest', '--out', path('out'), path('none'));
    assert.equal(missing.status, 2);
    assert.match(missing.stderr, /none cannot be read: there is no such file/);
    mkdirSync(path('out/digests'), { recursive: true });
    assert.equal((await runHere('report', path('out'))).status, 2);
    assert.match((await runHere('report', path('out'))).stderr, /no digest to report on/);
    assert.match((await runHere('report', TWO)).stderr, /holds no digests: leakline digest --out/);
    assert.match((await runHere('digest', TWO)).stderr, /digest needs --out/);
    assert.match((await runHere('digest', '-', '--out', path('out'))).stderr, /with --name/);
    assert.match((await runHere('summarize')).stderr, /summarize takes a folder/);
    assert.match((await runHere('summarize', path('none'))).stderr, /none holds no digests: leakline digest --out/);
  });

  it('names ranks without digests', async () => {
    await good('digest', '--out', path('out'), TWO);
    const { missing } = JSON.parse(await good('report', '--json', '--expect-ranks', '64', path('out'))) as Report;
    assert.deepEqual(
      missing[0].ranks,
      Array.from({ length: 62 }, (_, i) => i + 2),
    );
    assert.match(
      await good('report', '--expect-ranks', '64', path('out')),
      /Ranks 2–63 have no snapshot\. The report covers 2 of 64/,
    );
  });

  it('is summarized again when a digest came, a source changed, or a summary is damaged', async () => {
    cpSync(TWO, path('job'), { recursive: true });
    const [last] = picklesUnder(path('job')).slice(-1);
    const late = readFileSync(last);
    rmSync(last);
    const out = path('out');
    const root = ['--root', path('job')];
    const equal = async (): Promise<void> => {
      assert.equal(await good('report', '--json', ...root, out), await good('analyze', '--json', ...root, path('job')));
    };
    await good('digest', '--out', out, path('job'));
    assert.match(await good('summarize', ...root, out), /2 ranks summarized, 0 there/);
    assert.match(await good('summarize', ...root, out), /0 ranks summarized, 2 there/);
    await equal();
    writeFileSync(last, late);
    await good('digest', '--out', out, path('job'));
    await equal();
    assert.match(await good('summarize', ...root, out), /1 ranks summarized, 1 there/);
    const [summary] = readdirSync(path('out/ranks'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.json'),
    );
    const text = readFileSync(path(`out/ranks/${summary}`), 'utf8');
    const random = seededRandom(5);
    for (let round = 0; round < tries(40, 12); round++) {
      const at = random(text.length);
      writeFileSync(path(`out/ranks/${summary}`), text.slice(0, at) + '1' + text.slice(at + 1 + random(30)));
      const { status } = await runHere('report', '--json', ...root, out);
      assert.equal(status, 0);
    }
    for (const bad of [
      '{"schema":"leakline.rank/1"}',
      text.replace(/"snapshots":\[/, '"snapshots":[null,'),
      text.replace('"runs":[', '"runs":[null,'),
    ]) {
      assert.notEqual(bad, text);
      writeFileSync(path(`out/ranks/${summary}`), bad);
      await equal();
    }
    const [source] = readdirSync(path('job'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.py'),
    );
    writeFileSync(join(path('job'), source), '# Nothing is left.\n');
    await equal();
  });

  it('holds the lines of two reports of any number of summaries, and no invalid summary among them', async () => {
    const digests = await Promise.all(
      picklesUnder(TWO).map(async (name) => digestSnapshot(name, await readFile(name))),
    );
    const one = await summaryOf(digests, [], new Reporting({ files: [], rules: [] }));
    const [{ run, names }] = one.runs;
    const alone = { ...run, peak: null, peaks: [], atExit: [], outOfMemory: [] };
    const lines = [{ ...run.lines[0], function: 'f'.repeat(2000), stacks: [] }];
    const size = JSON.stringify(lines[0]).length;
    const group = { name: 'job/rank00000', digests: [], folder: new FleetFolder(path('out')) };
    const invalid = { ...group, name: 'invalid' };
    const held = new HeldSummaries(50 * size);
    const opened = held.addFromFile(
      { group: invalid, summary: { ...one, runs: [{ run: {} as RunReport, names }] } },
      size,
    );
    for (let i = 0; i < 1000; i++)
      opened.push(
        ...held.addFromFile({ group, summary: { ...one, runs: [{ run: { ...alone, lines }, names }] } }, size),
      );
    assert.deepEqual(opened, [invalid]);
    const runs = held.all.flatMap(({ summary }) => summary.runs);
    const kept = runs.flatMap((part) => part.run.lines).length;
    assert.ok(kept >= 50 && kept <= 100, `${kept} lines`);
    const omitted = runs.reduce((sum, part) => sum + part.run.otherLines.lines - run.otherLines.lines, 0);
    assert.deepEqual([runs.length, kept + omitted], [1000, 1000]);

    // It can be joined, but its lines cannot be added to the omitted ones.
    const part = { run: { ...alone, lines, otherLines: null as never }, names };
    assert.deepEqual(new HeldSummaries(0).addFromFile({ group, summary: { ...one, runs: [part] } }, size), [group]);
  });

  it('believes no summary, digest or note beyond its size', async () => {
    await good('digest', '--out', path('out'), TWO);
    await good('summarize', path('out'));
    const whole = await good('report', '--json', path('out'));
    const [name] = filesIn(path('out/ranks')).keys();
    const summary = path(`out/ranks/${name}`);
    const other = readFileSync(summary, 'utf8').replace(
      /"verdict":"[a-zA-Z]+","process"/,
      '"verdict":"none","process"',
    );
    writeFileSync(summary, other + ' '.repeat((32 << 20) - other.length));
    assert.notEqual(await good('report', '--json', path('out')), whole);
    writeFileSync(summary, other + ' '.repeat((32 << 20) - other.length + 1));
    assert.equal(await good('report', '--json', path('out')), whole);

    const log = (length: number): Buffer =>
      Buffer.concat([
        Buffer.from('timestamp, index, memory.used [MiB]\n2026/01/01 00:00:00.000, 0, 5 MiB\n'),
        Buffer.alloc(length, '\n'),
      ]);
    const failedWith = async (): Promise<Report['failed']> =>
      (JSON.parse(await good('report', '--json', path('out'))) as Report).failed;
    const place = path(`out/digests/${name.replace('.json', '/log.lkd')}`);
    writeFileSync(place, await writeFleetFile({ name: 'nvidia-smi.csv', bytes: log(1 << 20) }));
    assert.deepEqual(await failedWith(), []);
    writeFileSync(place, await writeFleetFile({ name: 'nvidia-smi.csv', bytes: log(96 << 20) }));
    assert.match((await failedWith())[0].message, /log\.lkd is not a digest that can be trusted/);
    rmSync(place);

    const note = (i: number, message: string): void => {
      mkdirSync(path('out/failed/job/rank00000'), { recursive: true });
      writeFileSync(path(`out/failed/job/rank00000/x-${i}.json`), JSON.stringify({ path: `x${i}`, message }));
    };
    note(0, 'm'.repeat(60_000));
    note(1, 'm'.repeat(70_000));
    writeFileSync(path('out/failed/job/rank00000/x-2.json'), '[');
    assert.deepEqual(
      (await failedWith()).map((one) => one.path),
      ['x0'],
    );
  });

  it('has more notes on failed files than a process may open', async function () {
    if (process.platform === 'win32') this.skip();
    await good('digest', '--out', path('out'), TWO);
    mkdirSync(path('out/failed/job/rank00000'), { recursive: true });
    for (let i = 0; i < 400; i++)
      writeFileSync(path(`out/failed/job/rank00000/x-${i}.json`), JSON.stringify({ path: `x${i}`, message: 'torn' }));
    const report = `ulimit -n 120; "${process.execPath}" "${builtProgram('cli.js')}" report --json "${path('out')}"`;
    const { status, stdout, stderr } = spawnSync('sh', ['-c', report], { encoding: 'utf8', maxBuffer: 1 << 28 });
    assert.deepEqual([status, stderr, (JSON.parse(stdout) as Report).failed.length], [0, '', 400]);
  });

  it('believes no digest that is damaged, and says so in one sentence', async () => {
    await good('digest', '--out', path('out'), TWO);
    const [name] = filesIn(path('out/digests')).keys();
    const digest = path(`out/digests/${name}`);
    const whole = readFileSync(digest);
    const raw = gunzipSync(whole);
    const random = seededRandom(3);
    for (let round = 0; round < tries(60, 20); round++) {
      const bytes = Buffer.from(round % 2 === 0 ? whole : raw);
      bytes[random(bytes.length)] ^= 1 << random(8);
      writeFileSync(digest, round % 2 === 0 ? bytes : gzipSync(bytes));
      const { status, stdout, stderr } = await runHere('report', '--json', path('out'));
      const { failed, runs } = JSON.parse(stdout) as Report;
      const read = runs.reduce((sum, { snapshots }) => sum + snapshots.length, 0);
      // Some bits of gzip's header mean nothing.
      assert.deepEqual([status, stderr, failed.length + read], [0, '', 10]);
      if (round % 2 === 1) assert.match(failed[0].message, /not a digest that can be trusted/);
    }
    const other = Buffer.from(raw.toString('latin1').replace('leakline.digest/1', 'leakline.digest/9'), 'latin1');
    writeFileSync(digest, gzipSync(other));
    assert.equal((await runHere('report', path('out'))).status, 0);
  });

  it('finds its ranks by the pattern that the digests were made with', async () => {
    for (const [rank, step] of [0, 1].flatMap((one) => [12, 24, 36].map((step) => [one, step]))) {
      mkdirSync(path(`job/step_${step}`), { recursive: true });
      cpSync(join(TWO, `snapshots/rank${rank}/step_${step}.pickle`), path(`job/step_${step}/snapshot_${rank}.pickle`));
    }
    const pattern = ['--rank-pattern', '_(\\d+)\\.pickle'];
    await good('digest', ...pattern, '--out', path('out'), path('job'));
    assert.equal(await good('report', '--json', path('out')), await good('analyze', '--json', ...pattern, path('job')));
  });

  it('takes its shard from the engine', () => {
    const of = (environment: Record<string, string>, shards: number | null = null): string => {
      const { index, count } = shardOf(null, shards, environment);
      return `${index}/${count}`;
    };
    assert.equal(of({}), '0/1');
    assert.equal(of({ SLURM_PROCID: '3', SLURM_NTASKS: '8' }), '3/8');
    assert.equal(of({ SLURM_JOB_ID: '1', SLURM_PROCID: '0', SLURM_NTASKS: '8' }), '0/1', 'a batch script');
    const element = {
      SLURM_ARRAY_TASK_ID: '7',
      SLURM_ARRAY_TASK_COUNT: '4',
      SLURM_ARRAY_TASK_MIN: '1',
      SLURM_ARRAY_TASK_STEP: '2',
    };
    assert.equal(of(element), '3/4');
    assert.equal(of({ ...element, SLURM_STEP_ID: '0', SLURM_PROCID: '1', SLURM_NTASKS: '2' }), '7/8');
    assert.equal(of({ OMPI_COMM_WORLD_RANK: '1', OMPI_COMM_WORLD_SIZE: '2' }), '1/2');
    assert.equal(of({ JOB_COMPLETION_INDEX: '5' }, 64), '5/64');
    assert.throws(() => of({ AWS_BATCH_JOB_ARRAY_INDEX: '5' }), /Give --shards N/);
    assert.throws(() => shardOf('4/4', null, {}), /--shard takes I\/N/);
    const shards = [0, 1, 2].map((index) => ({ index, count: 3, from: '' }));
    for (const name of ['a/rank7.pickle', 'a/snapshot_7.pickle', 'b.pickle', 'c.pickle'])
      assert.equal(shards.filter((shard) => isOfShard(shard, name, null)).length, 1, name);
    assert.ok(isOfShard(shards[1], 'a/rank7.pickle', null) && isGroupOfShard(shards[1], 'a/rank00007'));
  });

  it('reads standard input as it reads the file', async () => {
    const [file] = picklesUnder(join(FIXTURES, 'shapes'));
    await good('digest', '--out', path('file'), file);
    const bytes = readFileSync(file);
    const { status } = spawnSync(
      process.execPath,
      [builtProgram('cli.js'), 'digest', '-', '--name', file, '--out', path('stream')],
      { input: bytes },
    );
    assert.equal(status, 0);
    assert.deepEqual(filesIn(path('stream/digests')), filesIn(path('file/digests')));
  });
});
