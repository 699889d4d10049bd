import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { cycleChains } from '../../../src/core/verdict/cycleChains.js';
import { digestSnapshot, type SnapshotDigest } from '../../../src/core/digest/digest.js';
import { readInput } from '../../../src/core/formats/readSnapshot.js';
import type { CycleGraph } from '../../../src/core/model/cycleGraph.js';
import type { DigestFrame } from '../../../src/core/model/digestFrame.js';
import { buildReport } from '../../../src/core/report/buildReport.js';
import { renderMarkdown } from '../../../src/core/render/renderMarkdown.js';
import { renderText } from '../../../src/core/render/renderText.js';
import type { OtherInputs } from '../../../src/core/report/otherInputs.js';
import type { Report } from '../../../src/core/report/report.js';
import { bytesSource } from '../../support/bytesSource.js';
import { seededRandom } from '../../support/seededRandom.js';
import { FIXTURES, picklesUnder, readFile } from '../../support/snapshots.js';

const PROFILER = join(FIXTURES, 'profiler');
const NO_WORKSPACE = { files: [], rules: [] };
const ALL = { maxLines: Infinity };

/** The report on inputs that are not snapshots. */
async function reportOn(...paths: string[]): Promise<Report> {
  const trends: OtherInputs['trends'][number][] = [];
  const cycles: OtherInputs['cycles'][number][] = [];
  for (const path of paths) {
    const result = await readInput(bytesSource(path, readFileSync(path)));
    if (result.kind === 'trend') trends.push({ path, trend: result.trend });
    if (result.kind === 'cycles') cycles.push({ path, cycles: result.cycles });
  }
  return buildReport([], NO_WORKSPACE, { trends, cycles }).report;
}

/** A graph of `count` objects; a tensor is an object without references. */
function graph(count: number, tensors: readonly number[], edges: readonly (readonly [number, number])[]): CycleGraph {
  return {
    format: 'cycleGraph',
    fileBytes: 1,
    nodes: Array.from({ length: count }, (_, i) => ({ label: `n${i}`, isTensor: tensors.includes(i), frames: [] })),
    edges: edges.map(([from, to]) => ({ from, to, label: '' })),
  };
}

describe('Chains of a reference cycle', () => {
  it('are real: each object refers to the next, the last to the first, and the path leads to the tensor', () => {
    const random = seededRandom(5);
    let cyclic = 0;
    for (let round = 0; round < 300; round++) {
      const count = 2 + random(30);
      const edges = Array.from({ length: random(count * 2) }, () => [random(count), random(count)] as const);
      const refers = (from: number, to: number): boolean => edges.some(([a, b]) => a === from && b === to);
      const tensors = [random(count), random(count)];
      const chains = cycleChains(graph(count, tensors, edges));
      assert.deepEqual(
        chains.map(({ tensor }) => tensor),
        [...new Set(tensors)].sort((a, b) => a - b),
      );
      for (const { tensor, cycle, path } of chains) {
        assert.equal(path.at(-1), tensor);
        path.slice(1).forEach((node, i) => {
          assert.ok(refers(path[i], node));
        });
        cycle.forEach((node, i) => {
          assert.ok(refers(node, cycle[(i + 1) % cycle.length]));
        });
        assert.equal(new Set(cycle).size, cycle.length);
        // Brute force: which objects lead to the tensor, and does any of them lead to itself?
        const leads = (to: number): Set<number> => {
          const found = new Set<number>();
          for (let before = -1; before !== found.size;) {
            before = found.size;
            for (const [a, b] of edges) if (b === to || found.has(b)) found.add(a);
          }
          return found;
        };
        const holders = [tensor, ...leads(tensor)];
        assert.equal(
          cycle.length > 0,
          holders.some((node) => leads(node).has(node)),
        );
        if (cycle.length > 0) {
          cyclic++;
          assert.ok(cycle.includes(path[0]));
        }
      }
    }
    assert.ok(cyclic > 50);
  });

  it('of a hundred thousand objects in a row are found', () => {
    const count = 100_000;
    const edges = Array.from({ length: count - 1 }, (_, i) => [i, i + 1] as const);
    const [chain] = cycleChains(graph(count, [count - 1], [...edges, [1, 0]]));
    assert.deepEqual(chain.cycle, [1, 0]);
    assert.equal(chain.path.length, count - 1);
  });

  it('of as many tensors in a row are not all followed to its end', () => {
    const count = 30_000;
    const all = {
      ...graph(
        count,
        [],
        Array.from({ length: count - 1 }, (_, i) => [i, i + 1] as const),
      ),
    };
    const chains = cycleChains({ ...all, nodes: all.nodes.map((node) => ({ ...node, isTensor: true })) });
    assert.equal(chains.length, count);
    const followed = chains.reduce((sum, { path }) => sum + path.length, 0);
    assert.ok(followed <= (1 << 22) + count, `${followed} objects`);
    assert.ok(chains.every(({ tensor, path }) => path.at(-1) === tensor));
  });
});

describe('Inputs without lines', () => {
  it('are reported: first, last, peak and rate of each quantity', async () => {
    const path = join(PROFILER, 'memory_timeline.json.gz');
    const { trends, runs } = await reportOn(path);
    assert.deepEqual(runs, []);
    assert.equal(trends[0].rows, 2028);
    const result = await readInput(bytesSource(path, readFileSync(path)));
    assert.equal(result.kind, 'trend');
    for (const [i, { name, bytes }] of result.trend.series.entries()) {
      const series = trends[0].series[i];
      assert.deepEqual(
        [series.name, series.firstBytes, series.lastBytes, series.growthBytes, series.peakBytes],
        [name, bytes[0], bytes[2027], bytes[2027] - bytes[0], Math.max(...bytes)],
      );
      assert.equal(series.series.length, 64);
    }
    const sums = Array.from(result.trend.series[0].bytes, (_, row) =>
      result.trend.series.reduce((sum, { bytes }) => sum + bytes[row], 0),
    );
    const peak = Math.max(...sums);
    assert.deepEqual(
      [trends[0].peak?.bytes, trends[0].peak?.timeUs],
      [peak, result.trend.timeUs?.[sums.indexOf(peak)]],
    );
    const report: Report = {
      schema: 'leakline.report/3',
      runs: [],
      ranks: [],
      missing: [],
      behind: [],
      failed: [],
      overBudget: [],
      trends,
      cycles: [],
    };
    for (const words of [renderText(report, ALL), renderMarkdown(report, ALL)]) {
      assert.match(words, /2,028 rows over 0\.022 s, without lines/);
      assert.match(words, /parameter: 64\.0 KiB at first, 391 KiB at last, \+327 KiB, peak 455 KiB`?( |$)/m);
      assert.match(words, /Peak: 1\.8 MiB after 0\.\d{3} s \(optimizer_state 782 KiB, parameter 391 KiB, /);
      assert.doesNotMatch(words, /per row/);
    }
  });

  it('show the cycles that held tensors, with their lines', async () => {
    const report = await reportOn(join(PROFILER, 'cycle.html'));
    const [cycles] = report.cycles;
    assert.deepEqual([cycles.objects, cycles.tensors], [11, 2]);
    assert.deepEqual(
      cycles.kept.map(({ isCycle, line }) => [isCycle, line?.file, line?.line]),
      [
        [true, 'file.py', 1],
        [false, 'file.py', 1],
      ],
    );
    for (const words of [renderText(report, ALL), renderMarkdown(report, ALL)]) {
      assert.match(words, /2 tensors held among 11 objects/);
      assert.match(words, /file\.py:1 \(alloc\): in the cycle .*function hook/);
    }
  });
});

describe('A cycle that the detector saw', () => {
  const files = picklesUnder(join(FIXTURES, 'recordings/node_cycle'));
  const folder = dirname(files[0]);
  let digests: SnapshotDigest[];

  before(async () => {
    digests = await Promise.all(files.map(async (file) => digestSnapshot(file, await readFile(file))));
  });

  /** Memory on the lines that the collector frees, with a graph that names the line of one of them. */
  const holdersWith = (path: string, frames: readonly DigestFrame[]): Map<string, string> => {
    const hook = graph(
      3,
      [2],
      [
        [0, 1],
        [1, 0],
        [1, 2],
      ],
    );
    const cycles = { ...hook, nodes: hook.nodes.map((node) => (node.isTensor ? { ...node, frames } : node)) };
    const { report } = buildReport(digests, NO_WORKSPACE, { trends: [], cycles: [{ path, cycles }] });
    return new Map(
      report.runs
        .flatMap(({ lines }) => lines)
        .filter(({ verdict }) => verdict === 'cycle')
        .map(({ file, line, holder }) => [`${basename(file)}:${line}`, `${holder?.source} ${holder?.text}`]),
    );
  };

  it('beside the snapshots tells it from a list that is cleared, and is what keeps that line’s memory', () => {
    const lines = buildReport(digests, NO_WORKSPACE).report.runs.flatMap((run) => run.lines);
    assert.deepEqual(
      lines.map(({ line, verdict, holder }) => [line, verdict, holder]),
      [
        [14, 'periodic', null],
        [15, 'periodic', null],
      ],
    );
    const frames = [{ file: lines[0].file, line: 14, function: 'make_pair' }];
    const held = holdersWith(join(folder, 'cycle.html'), frames);
    assert.deepEqual([...held], [['leak.py:14', 'cycle n1 → n0 → n1']]);
    // Another folder is another run.
    assert.deepEqual([...holdersWith(join(folder, 'other/cycle.html'), frames)], []);
  });
});
