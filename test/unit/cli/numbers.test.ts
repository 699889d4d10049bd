/** The command line's numbers against brute force, to the byte. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { CompareReport, Report, RunReport } from '../../../src/core/report/report.js';
import { hasPython } from '../../support/bruteForce.js';
import { CORPUS, FIXTURES, hasCorpus, picklesUnder } from '../../support/snapshots.js';
import { ownerLines, type OwnerLines } from './ownerLines.js';
import { runHere } from './runHere.js';

interface Recording {
  name: string;
  root: string;
  /** The root of the recorded paths, and its place in the workspace. */
  from: string;
  to: string;
}

const PLANTED: Recording[] = [CORPUS, join(FIXTURES, 'recordings')]
  .filter((folder) => existsSync(folder))
  .flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => existsSync(join(folder, name, 'src')))
      .map((name) => ({ name, root: join(folder, name), from: `/home/ml/${name}/`, to: 'src/' })),
  );

const key = (line: { file: string; line: number; function: string }): string =>
  `${line.file}:${line.line}:${line.function}`;

function assertRun(run: RunReport, wanted: readonly OwnerLines[]): void {
  const last = wanted[wanted.length - 1];
  const lines = new Map(run.lines.map((line) => [key(line), line]));
  assert.equal(lines.size, run.lines.length, 'every line comes once');
  const names = new Set([...lines.keys(), ...wanted.flatMap((snapshot) => Object.keys(snapshot.lines))]);
  for (const name of names) {
    const series = wanted.map((snapshot) => snapshot.lines[name]?.[0] ?? 0);
    const line = lines.get(name);
    assert.deepEqual(line?.series, series, name);
    assert.equal(line.liveBytes, series[series.length - 1], name);
    assert.equal(line.growthBytes, series[series.length - 1] - series[0], name);
    assert.equal(line.blocks, last.lines[name]?.[1] ?? 0, name);
  }
  assert.deepEqual(run.buckets, {
    library: last.library,
    beforeRecording: last.before + last.noStack,
  });
  assert.equal(run.noStack, last.noStack);
  assert.equal(
    run.snapshots[run.snapshots.length - 1].devices.reduce((total, device) => total + device.liveBytes, 0),
    last.live,
  );
}

function assertCompare(report: CompareReport, a: OwnerLines, b: OwnerLines): void {
  const lines = new Map(report.lines.map((line) => [key(line), line]));
  for (const name of new Set([...lines.keys(), ...Object.keys(a.lines), ...Object.keys(b.lines)])) {
    const [bytesA, blocksA] = a.lines[name] ?? [0, 0];
    const [bytesB, blocksB] = b.lines[name] ?? [0, 0];
    const line = lines.get(name);
    assert.deepEqual(
      [line?.bytesA, line?.bytesB, line?.growthBytes, line?.blocksA, line?.blocksB],
      [bytesA, bytesB, bytesB - bytesA, blocksA, blocksB],
      name,
    );
    const flow = line?.flow ?? null;
    if (flow === null) continue;
    assert.equal(flow.survived.blocks + flow.allocated.blocks, blocksB, `${name}: what survived and what is new is B`);
    assert.equal(flow.survived.bytes + flow.allocated.bytes, bytesB, name);
    assert.equal(flow.survived.blocks + flow.freed.blocks, blocksA, `${name}: what survived and what was freed is A`);
  }
  assert.equal(report.buckets.library.growthBytes, b.library - a.library);
  assert.equal(report.buckets.beforeRecording.growthBytes, b.before + b.noStack - (a.before + a.noStack));
  assert.equal(report.noStack.growthBytes, b.noStack - a.noStack);
}

async function json(...args: string[]): Promise<unknown> {
  const { status, stdout, stderr } = await runHere(...args);
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout);
}

describe('The command line and brute force agree', () => {
  before(function () {
    if (!hasPython()) this.skip();
    if (!hasCorpus()) console.log('    without the corpus: it is not beside the checkout');
  });

  for (const { name, root, from, to } of PLANTED) {
    describe(`on ${name} (${root.startsWith(CORPUS) ? 'corpus' : 'fixtures'}),`, () => {
      let runs: RunReport[];
      let wanted: OwnerLines[][];

      before(async () => {
        const files = picklesUnder(root);
        ({ runs } = (await json('analyze', '--json', '--root', root, ...files)) as Report);
        const found = new Map(ownerLines(files, from, to).map((lines, i) => [files[i], lines]));
        wanted = runs.map(({ snapshots }) => snapshots.flatMap(({ path }) => found.get(path) ?? []));
        assert.equal(wanted.flat().length, files.length);
      });

      it('every line', () => {
        for (const [i, run] of runs.entries()) {
          assertRun(run, wanted[i]);
          assert.ok(
            run.lines.every((line) => line.mapped),
            'every line is found in the workspace',
          );
        }
      });

      it('the growth from first to last', async () => {
        const compare = (a: string, b: string) => json('compare', '--json', '--root', root, a, b);
        for (const [i, { snapshots }] of runs.entries()) {
          const [first, last] = [snapshots[0].path, snapshots[snapshots.length - 1].path];
          const [a, b] = [wanted[i][0], wanted[i][wanted[i].length - 1]];
          assertCompare((await compare(first, last)) as CompareReport, a, b);
          assertCompare((await compare(last, first)) as CompareReport, b, a);
        }
      });
    });
  }

  it('on shapes of many releases', async () => {
    const runs = new Map<string, RunReport>();
    for (const file of picklesUnder(join(hasCorpus() ? CORPUS : FIXTURES, 'shapes'))) {
      const { status, stdout } = await runHere('analyze', '--json', file);
      if (status === 0) runs.set(file, (JSON.parse(stdout) as Report).runs[0]);
    }
    assertEach(runs);
    assert.ok(runs.size >= 12, `${runs.size} shapes`);
  });

  it('on recordings of other people’s GPUs', async function () {
    const folder = join(CORPUS, 'recorded_on_gpu');
    if (!existsSync(folder)) this.skip();
    const runs = new Map<string, RunReport>();
    // Our fixtures have files with the names of theirs.
    const root = ['--root', join(FIXTURES, 'shapes')];
    for (const file of picklesUnder(folder)) {
      runs.set(file, ((await json('analyze', '--json', ...root, file)) as Report).runs[0]);
    }
    assertEach(runs);
    assert.ok(runs.size >= 13);
  });

  /** Runs of one file each. */
  function assertEach(runs: ReadonlyMap<string, RunReport>): void {
    const wanted = ownerLines([...runs.keys()]);
    for (const [i, run] of [...runs.values()].entries()) assertRun(run, [wanted[i]]);
  }
});
