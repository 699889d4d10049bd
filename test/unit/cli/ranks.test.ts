import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Report } from '../../../src/core/report/report.js';
import { ranksText } from '../../../src/core/report/ranks/ranks.js';
import { FIXTURES, picklesUnder } from '../../support/snapshots.js';
import { runHere } from './runHere.js';

const TWO = picklesUnder(join(FIXTURES, 'recordings/two_ranks'));
const LEAKING = TWO.filter((path) => path.includes('rank0'));
const CALM = TWO.filter((path) => path.includes('rank1'));

describe('Ranks in names', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'leakline-ranks-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  /** Writes the recordings of a job: rank 1 leaks. @param nameOf a rank's snapshot of a step */
  function writeJob(ranks: readonly number[], nameOf: (rank: number, step: number) => string, sidecar = false): void {
    for (const rank of ranks) {
      (rank === 1 ? LEAKING : CALM).forEach((file, step) => {
        const path = join(folder, nameOf(rank, step));
        mkdirSync(dirname(path), { recursive: true });
        copyFileSync(file, path);
        const recording = { schema: 'leakline.recording/2', run: 'job7', rank, worldSize: 4, step };
        if (sidecar) writeFileSync(path.replace('.pickle', '.leakline.json'), JSON.stringify(recording));
      });
    }
  }

  async function reportOf(...options: string[]): Promise<Report> {
    const { stdout } = await runHere('analyze', '--json', ...options, folder);
    return JSON.parse(stdout) as Report;
  }

  for (const [title, nameOf, options] of [
    ['a bare number, by the pattern', (rank, step) => `step_${step}/snapshot_${rank}.pickle`, ['_(\\d+)\\.pickle']],
    ['a process number beside the rank', (rank, step) => `mem_rank${rank}_pid${4000 + rank}_step_${step}.pickle`, []],
    ['a host and a time', (rank, step) => `gpu-${rank}a_rank${rank}_Nov_22_10_00_0${step}.pickle`, []],
    ['a time and tensor rank', (rank, step) => `17637498${step}5.${rank}23456-TP-${rank}-memory.pickle`, []],
  ] satisfies [string, (rank: number, step: number) => string, string[]][]) {
    it(`are one job: ${title}`, async () => {
      writeJob([0, 1, 2, 3], nameOf);
      const report = await reportOf(...options.flatMap((pattern) => ['--rank-pattern', pattern]));
      assert.deepEqual(
        report.runs.map(({ rank }) => rank).sort(),
        [0, 1, 2, 3],
        report.runs.map(({ id }) => id).join('\n'),
      );
      assert.equal(new Set(report.runs.map(({ job }) => job)).size, 1);
      assert.match(report.ranks[0].message, /grows on rank 1 .*not grow on ranks 0, 2 and 3|0, 2 and 3/);
    });
  }

  it('of the recorder are one job, whatever the names and folders', async () => {
    writeJob([0, 1, 2, 3], (rank, step) => `node${rank}/host${rank}_Nov_22_10_00_0${step}.pickle`, true);
    const report = await reportOf();
    assert.deepEqual(
      report.runs.map(({ rank, job }) => [rank, job]),
      [0, 1, 2, 3].map((rank) => [rank, 'job7']),
    );
    assert.equal(report.ranks.length, 1);
    assert.deepEqual(report.missing, []);
  });

  it('that are missing are named, by the recorder and by the user', async () => {
    writeJob([0, 1], (rank, step) => `rank${rank}_step_${step}.pickle`, true);
    const [missing] = (await reportOf()).missing;
    assert.deepEqual([missing.expected, missing.ranks], [4, [2, 3]]);
    assert.match(missing.message, /Ranks 2 and 3 have no snapshot\. The report covers 2 of 4 ranks/);
    assert.deepEqual((await reportOf('--expect-ranks', '3')).missing[0].ranks, [2]);
    assert.equal((await runHere('analyze', '--fail-on', 'incomplete', folder)).status, 1);
    assert.equal((await runHere('analyze', '--fail-on', 'incomplete', '--expect-ranks', '2', folder)).status, 0);
    assert.match((await runHere('analyze', folder)).stdout, /Ranks 2 and 3 have no snapshot/);
  });

  it('that are missing are limited over all jobs, for any recorded number', async () => {
    for (let job = 0; job < 8; job++) {
      const path = join(folder, `job${job}_rank0_step_1`);
      copyFileSync(TWO[job], `${path}.pickle`);
      const facts = { schema: 'leakline.recording/2', step: 1, run: `job${job}`, rank: job, worldSize: 1e9 };
      writeFileSync(`${path}.leakline.json`, JSON.stringify(facts));
    }
    const { missing } = await reportOf();
    assert.equal(missing.length, 8);
    const named = missing.reduce((sum, { ranks }) => sum + ranks.length, 0);
    assert.ok(named <= 2 ** 17, `${named} ranks`);
    assert.match(missing[0].message, /The report covers 1 of 1000000000 ranks\./);
  });

  it('that end before the others are named', async () => {
    writeJob([0, 1, 2], (rank, step) => `rank${rank}_step_${step}.pickle`);
    assert.deepEqual((await reportOf()).behind, []);
    rmSync(join(folder, 'rank2_step_4.pickle'));
    const [behind] = (await reportOf()).behind;
    assert.deepEqual([behind.step, behind.ranks], [4, [{ rank: 2, step: 3 }]]);
    assert.match((await runHere('analyze', folder)).stdout, /of rank 2 end before step 4, the last of the others\./);
  });

  it('of two jobs with the same ranks stay two jobs', async () => {
    writeJob([0, 1], (rank, step) => `exp1_rank${rank}_step_${step}.pickle`);
    // Where rank 0 leaks: equal contents would be one process.
    writeJob([0, 1], (rank, step) => `exp2_rank${1 - rank}_step_${step}.pickle`);
    const { runs, ranks } = await reportOf();
    assert.equal(new Set(runs.map(({ job }) => job)).size, 2);
    assert.deepEqual(ranks.map(({ growing }) => growing.map(({ rank }) => rank)).sort(), [[0], [1]]);
  });

  it('are ranges in messages, and the text shows one rank of many', async () => {
    writeJob([...Array(12).keys()], (rank, step) => `rank${rank}_step_${step}.pickle`);
    const { stdout } = await runHere('analyze', folder);
    assert.match(stdout, /12 ranks: .*\b1\b.*; .*0 and 2–11.*Shown: rank 1\./);
    assert.match(stdout, /grows on rank 1 .* on ranks 0 and 2–11\./);
    assert.equal([...stdout.matchAll(/VERDICT/g)].length, 1);
    assert.equal([...(await runHere('analyze', '--all', folder)).stdout.matchAll(/VERDICT/g)].length, 12);
    assert.equal(ranksText([43, 17, 42, 0, 1, 2, 42]), '0–2, 17, 42 and 43');
  });

  it('that leak are found beside a torn file', async () => {
    writeJob([0, 1], (rank, step) => `rank${rank}_step_${step}.pickle`);
    truncateSync(join(folder, 'rank0_step_1.pickle'), 4000);
    const { status, stderr } = await runHere('analyze', '--fail-on', 'growing', folder);
    assert.equal(status, 1);
    assert.match(stderr, /rank0_step_1\.pickle/);
    assert.equal((await runHere('analyze', '--fail-on', 'cycle', folder)).status, 2);
    assert.equal((await runHere('analyze', '--fail-on', 'incomplete', folder)).status, 1);
    assert.deepEqual(
      (await reportOf()).failed.map(({ path }) => path),
      [join(folder, 'rank0_step_1.pickle')],
    );
  });

  it('come from a pattern in linear time', async () => {
    // By going back, this takes longer than the universe is old.
    await runHere('analyze', '--rank-pattern=(?:x+x+)+y(\\d)', join(folder, `${'x'.repeat(200)}.pickle`));
  });

  it('need a pattern with one group and a number of ranks', async () => {
    const patterns = ['(', '_\\d+', '(?<=_)(\\d+)', '(_)(\\d)\\1'].map((text) => `--rank-pattern=${text}`);
    for (const option of [...patterns, '--expect-ranks=0', '--expect-ranks=two'])
      assert.equal((await runHere('analyze', option, folder)).status, 2, option);
  });
});
