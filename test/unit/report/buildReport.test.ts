import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { digestSnapshot, type SnapshotDigest } from '../../../src/core/digest/digest.js';
import { buildCompare } from '../../../src/core/report/compare/buildCompare.js';
import { buildReport } from '../../../src/core/report/buildReport.js';
import type { Buckets, CompareReport, RunReport } from '../../../src/core/report/report.js';
import { CORPUS, FIXTURES, hasCorpus, picklesUnder, readFile } from '../../support/snapshots.js';

async function digestsOf(files: readonly string[]): Promise<SnapshotDigest[]> {
  return Promise.all(files.map(async (file) => digestSnapshot(file, await readFile(file))));
}

function pythonFiles(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.py')) : [];
}

async function runsOf(folder: string): Promise<RunReport[]> {
  const workspace = { files: pythonFiles(join(folder, 'src')), rules: [] };
  return buildReport(await digestsOf(picklesUnder(folder)), workspace).report.runs;
}

function growingLines(run: RunReport): string[] {
  return run.lines
    .filter((line) => line.verdict === 'growing')
    .map((line) => `${line.file}:${line.line}`)
    .sort();
}

function liveBytes(run: RunReport, snapshot: number): number {
  return run.snapshots[snapshot].devices.reduce((sum, device) => sum + device.liveBytes, 0);
}

function bucketSum({ library, beforeRecording }: Buckets): number {
  return library + beforeRecording;
}

describe('The report', () => {
  it('adds up to the live bytes of the last snapshot, with its buckets', async () => {
    const files = [...picklesUnder(join(FIXTURES, 'shapes')), ...picklesUnder(join(FIXTURES, 'recordings'))];
    if (hasCorpus()) files.push(...picklesUnder(join(CORPUS, 'recorded_on_gpu')));
    else console.log('    without the corpus: it is not beside the checkout');
    const { report } = buildReport(await digestsOf(files), { files: [], rules: [] });
    assert.equal(
      report.runs.reduce((sum, run) => sum + run.snapshots.length, 0),
      files.length,
    );
    for (const run of report.runs) {
      const self = run.lines.reduce((sum, line) => sum + line.liveBytes, 0);
      assert.equal(self + bucketSum(run.buckets), liveBytes(run, run.snapshots.length - 1));
      for (const line of run.lines) {
        assert.equal(
          line.stacks.reduce((sum, stack) => sum + stack.liveBytes, 0),
          line.liveBytes,
        );
        assert.equal(line.series.at(-1), line.liveBytes);
        assert.equal(line.growthBytes, line.liveBytes - line.series[0]);
        assert.ok(line.totalBytes >= line.liveBytes);
      }
    }
  });

  it('names the lines whose losses are held with their graphs, and no parameter', async () => {
    const [run] = await runsOf(join(FIXTURES, 'recordings/aux_loss'));
    assert.deepEqual(growingLines(run), ['model.py:14', 'model.py:26', 'train.py:10', 'train.py:19']);
    assert.equal(run.verdict, 'growing');
    const line = run.lines.find((candidate) => candidate.line === 19);
    assert.equal(line?.leakedBytes, 0, 'without the source nothing is proved');
    assert.equal(run.steps, 'period');
    assert.equal(line.bytesPerStep, 196_608);
    assert.equal(line.mapped, true);
  });

  it('has rates per step of the names where no trace counts steps, and else per snapshot', async () => {
    const digests = await digestsOf(picklesUnder(join(FIXTURES, 'planted/recordings/running_total')));
    const untraced = digests.map((digest) => ({ ...digest, steps: null, lifetimes: [] }));
    const numbered = untraced.map((digest, i) => ({ ...digest, path: `/out/snapshot_${i}.pickle` }));
    const [named, counted] = [untraced, numbered].map(
      (all) => buildReport(all, { files: ['leaks/running_total.py'], rules: [] }).report.runs[0],
    );
    assert.deepEqual([named.steps, counted.steps], ['names', 'snapshots']);
    const rates = ({ lines }: RunReport): (number | null)[] => lines.map(({ bytesPerStep }) => bytesPerStep);
    assert.ok(rates(counted).some((rate) => (rate ?? 0) > 0));
    const stepsBetween = 6;
    assert.deepEqual(
      rates(named).map((rate) => rate && rate * stepsBetween),
      rates(counted),
    );
  });

  it('distinguishes the rank that stores its outputs from the one that does not', async () => {
    const [rank0, rank1] = await runsOf(join(FIXTURES, 'recordings/two_ranks'));
    assert.deepEqual(growingLines(rank0), ['collect.py:28']);
    assert.deepEqual(growingLines(rank1), []);
    assert.deepEqual([rank0.rank, rank1.rank], [0, 1]);
  });

  it('does not call memory a leak that the collector frees', async () => {
    const [run] = await runsOf(join(FIXTURES, 'recordings/node_cycle'));
    assert.deepEqual(growingLines(run), []);
  });

  it('accuses no line of the healthy recordings', async function () {
    if (!hasCorpus()) {
      console.log('    skipped: no corpus beside the checkout');
      this.skip();
    }
    for (const name of ['healthy_resnet', 'warmup_plateau']) {
      for (const run of await runsOf(join(CORPUS, name))) assert.deepEqual(growingLines(run), [], name);
    }
  });

  it('has growth, not a leak, for two snapshots without steps, and for 20 steps without the source', async () => {
    const files = picklesUnder(join(FIXTURES, 'recordings/aux_loss')).slice(0, 2);
    const digests = await digestsOf(files);
    const untraced = digests.map((digest) => ({ ...digest, steps: null, lifetimes: [], spans: [] }));
    for (const [of, verdict] of [
      [untraced, 'tooShort'],
      [digests, 'growing'],
    ] as const) {
      const { report } = buildReport(of, { files: ['train.py', 'model.py'], rules: [] });
      assert.equal(report.runs[0].verdict, verdict);
      assert.ok(report.runs[0].lines.some((line) => line.growthBytes > 0));
      assert.ok(report.runs[0].lines.every((line) => line.leakedBytes === 0));
    }
  });
});

function growthSum(compare: CompareReport): number {
  return [...compare.lines, ...Object.values(compare.buckets)].reduce((sum, cell) => sum + cell.growthBytes, 0);
}

describe('Comparing two snapshots', () => {
  it('shares the difference of their live bytes out to the byte, either way round', async () => {
    const digests = await digestsOf(picklesUnder(join(FIXTURES, 'shapes')));
    for (const a of digests) {
      for (const b of digests) {
        const live = (digest: SnapshotDigest): number => digest.devices.reduce((sum, one) => sum + one.liveBytes, 0);
        assert.equal(growthSum(buildCompare(a, b, { files: [], rules: [] })), live(b) - live(a));
      }
    }
  });

  it('counts survivors, new and freed blocks of one process', async () => {
    const [a, , c] = await digestsOf(picklesUnder(join(FIXTURES, 'recordings/aux_loss')));
    const compare = buildCompare(a, c, { files: ['train.py', 'model.py'], rules: [] });
    for (const line of compare.lines) {
      assert.ok(line.flow !== null);
      assert.equal(line.flow.survived.bytes + line.flow.allocated.bytes, line.bytesB);
      assert.equal(line.flow.survived.bytes + line.flow.freed.bytes, line.bytesA);
      assert.equal(line.flow.survived.blocks + line.flow.allocated.blocks, line.blocksB);
    }
    const leaking = compare.lines.find((line) => line.file === 'train.py' && line.line === 19);
    assert.ok(leaking?.flow);
    assert.equal(leaking.flow.freed.blocks, 0);
    assert.equal(leaking.flow.allocated.bytes, leaking.growthBytes);
    assert.equal(compare.lines[0].growthBytes, Math.max(...compare.lines.map((line) => line.growthBytes)));
  });
});
