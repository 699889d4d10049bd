/** Two snapshots side by side as the page gets them: sums against the report, and against every group one by one. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { serialize } from 'node:v8';
import { CALL_GROUPS } from '../../../src/core/timeline/callPaths.js';
import { comparedPaths } from '../../../src/core/runs/comparedPaths.js';
import { digestSnapshot, type SnapshotDigest } from '../../../src/core/digest/digest.js';
import { runCurve } from '../../../src/core/runs/runCurve.js';
import { groupRuns, stepOfDigest } from '../../../src/core/runs/runs.js';
import { seriesCurves } from '../../../src/core/runs/seriesCurves.js';
import { workerHandlers } from '../../../src/worker/handlers.js';
import { SnapshotStore } from '../../../src/worker/snapshotStore.js';
import { WorkspaceFiles } from '../../../src/worker/workspaceFiles.js';
import { readingHere } from '../../support/readingHere.js';
import { FIXTURES, picklesUnder, readFile } from '../../support/snapshots.js';

const signal = new AbortController().signal;
const recordings = (name: string): string[] => picklesUnder(join(FIXTURES, 'planted/recordings', name));
const liveOf = ({ devices }: SnapshotDigest): number => devices.reduce((sum, { liveBytes }) => sum + liveBytes, 0);
const digestOf = async (path: string): Promise<SnapshotDigest> => digestSnapshot(path, await readFile(path));

async function workerOf(paths: readonly string[]): Promise<ReturnType<typeof workerHandlers>> {
  const reading = readingHere();
  const worker = workerHandlers(new SnapshotStore(reading), reading, new WorkspaceFiles(), () => undefined);
  for (const path of paths) await worker.load({ path }, signal);
  return worker;
}

describe('two snapshots side by side', () => {
  const pairs = ['running_total', 'prediction_list', 'two_ranks', 'epoch_outputs'].map((name) => {
    const paths = recordings(name);
    return { name, a: paths[0], b: paths[paths.length - 1] };
  });
  pairs.push({ name: 'two programs', a: pairs[0].a, b: pairs[1].b });

  for (const { name, a, b } of pairs) {
    it(`has every row and sum of the report: ${name}`, async () => {
      const worker = await workerOf([a, b]);
      const report = await worker.compare({ a, b, ignored: [] }, signal);
      const table = await worker.compareTable({ a, b, ignored: [] }, signal);
      const live = ({ devices }: typeof report.a): number => devices.reduce((sum, one) => sum + one.liveBytes, 0);
      assert.deepEqual([table.a.liveBytes, table.b.liveBytes], [live(report.a), live(report.b)]);
      assert.equal(table.total.bytesA, live(report.a));
      assert.equal(table.total.bytesB, live(report.b));
      assert.equal(table.total.growthBytes, live(report.b) - live(report.a));
      const sum = (key: 'bytesA' | 'bytesB' | 'blocksA' | 'blocksB'): number =>
        table.rows.reduce((total, row) => total + row[key], table.others[key]);
      for (const key of ['bytesA', 'bytesB', 'blocksA', 'blocksB'] as const) assert.equal(sum(key), table.total[key]);
      for (const { place, bytesA, bytesB, growthBytes, flow } of table.rows) {
        assert.equal(growthBytes, bytesB - bytesA);
        if (flow !== null) {
          assert.equal(flow.survived.bytes + flow.allocated.bytes, bytesB);
          assert.equal(flow.survived.bytes + flow.freed.bytes, bytesA);
        }
        if (place === null) continue;
        const line = report.lines.find(
          (one) => one.file === place.file && one.line === place.line && one.function === place.function,
        );
        assert.equal(line?.bytesB, bytesB);
      }
      assert.ok(serialize(table).byteLength < 200_000);
    });

    it(`has the sums of every call in its difference graph: ${name}`, async () => {
      const worker = await workerOf([a, b]);
      const [before, after] = [await digestOf(a), await digestOf(b)];
      for (const folded of [false, true]) {
        const paths = comparedPaths(before, after, folded, () => null);
        assert.equal(
          paths.bytesA.reduce((sum, bytes) => sum + bytes, 0),
          liveOf(before),
        );
        assert.equal(
          paths.bytesB.reduce((sum, bytes) => sum + bytes, 0),
          liveOf(after),
        );
        for (const width of ['either', 'after'] as const) {
          const query = { a, b, width, folded, pixels: 1600 };
          const flame = await worker.compareFlame({ ...query, focus: [] }, signal);
          assert.deepEqual([flame.bytesA, flame.bytesB], [liveOf(before), liveOf(after)]);
          assert.deepEqual([flame.rowBytesA[0], flame.rowBytesB[0]], [liveOf(before), liveOf(after)]);
          assert.ok(serialize(flame).byteLength < 200_000);
          const deepest = flame.tree.parent.findLastIndex((_, row) => flame.tree.merged[row] === 0);
          const focus: number[] = [];
          for (let row = deepest; row > 0; row = flame.tree.parent[row]) {
            focus.unshift(flame.calls[flame.tree.call[row]].id);
            const through = bruteForce(paths, pathTo(flame, row));
            assert.deepEqual([flame.rowBytesA[row], flame.rowBytesB[row]], through);
          }
          const focused = await worker.compareFlame({ ...query, focus }, signal);
          assert.equal(focused.rowBytesB[0], flame.rowBytesB[deepest]);
          assert.equal(focused.rowBytesA[0], flame.rowBytesA[deepest]);
          assert.equal(focused.focus.length, focus.length);
          // Each row is the sum of what is below it and of what the call holds itself.
          flame.tree.parent.forEach((_, row) => {
            let below = 0;
            flame.tree.parent.forEach((parent, child) => {
              if (child > 0 && parent === row) below += flame.rowBytesB[child];
            });
            assert.ok(below <= flame.rowBytesB[row]);
          });
        }
      }
      assert.equal(comparedPaths(before, after, true, () => null).table.length >= CALL_GROUPS.length, true);
    });
  }

  function pathTo(
    flame: Awaited<ReturnType<Awaited<ReturnType<typeof workerOf>>['compareFlame']>>,
    row: number,
  ): number[] {
    const path: number[] = [];
    for (let at = row; at > 0; at = flame.tree.parent[at]) path.unshift(flame.calls[flame.tree.call[at]].id);
    return path;
  }

  function bruteForce(paths: ReturnType<typeof comparedPaths>, down: number[]): [number, number] {
    const sums: [number, number] = [0, 0];
    for (let path = 0; path < paths.count; path++) {
      const calls = [...paths.calls.subarray(paths.offset[path], paths.offset[path + 1])];
      if (calls.slice(0, down.length).join() !== down.join()) continue;
      sums[0] += paths.bytesA[path];
      sums[1] += paths.bytesB[path];
    }
    return sums;
  }
});

describe('curves over each other', () => {
  it('retains every value of the runs, at steps if the snapshots have them', async () => {
    const runs = await Promise.all(
      ['running_total', 'prediction_list'].map(async (name) => {
        const digests = await Promise.all(recordings(name).map(digestOf));
        const [run] = groupRuns(digests);
        return { run, process: name, device: 0 };
      }),
    );
    const answer = seriesCurves(runs, null, 1600);
    assert.deepEqual(answer.axes, ['step', 'time', 'events']);
    assert.equal(answer.axis, 'step');
    answer.curves.forEach((curve, i) => {
      const { run } = runs[i];
      curve.parts.forEach((part, at) => {
        const digest = run.snapshots[at];
        const step = stepOfDigest(digest);
        assert.ok(step !== null && Math.abs(part.to - step) < 1e-9, `${part.to} is not step ${String(step)}`);
        assert.equal(part.liveBytes, liveOf(digest));
        assert.equal(curve.live[part.end - 1], liveOf(digest));
      });
      for (let point = 1; point < curve.x.length; point++) assert.ok(curve.x[point] >= curve.x[point - 1]);
      const whole = runCurve(run, 0, 1000);
      assert.deepEqual(curve.live, whole.live);
    });
    assert.ok(answer.extent.from >= -1);
    assert.ok(serialize(answer).byteLength < 200_000);
  });

  it('falls back to time and to events where steps or clocks are missing', async () => {
    const digests = await Promise.all(recordings('running_total').map(digestOf));
    const [run] = groupRuns(digests);
    const unnamed = { snapshots: run.snapshots, steps: run.steps.map(() => null) };
    const timed = seriesCurves([{ run: unnamed, process: 'a', device: 0 }], 'step', 800);
    assert.deepEqual(timed.axes, ['time', 'events']);
    assert.equal(timed.axis, 'time');
    const events = seriesCurves([{ run, process: 'a', device: 0 }], 'events', 800);
    assert.equal(events.axis, 'events');
    assert.ok(events.curves[0].x.every((x) => Number.isInteger(x)));
  });

  it('is bounded however many there are', async () => {
    const paths = recordings('running_total');
    const worker = await workerOf(paths);
    const series = Array.from({ length: 16 }, () => ({ path: paths[0], device: 0, whole: true }));
    const answer = await worker.series({ series, axis: null, pixels: 1600 }, signal);
    assert.equal(answer.curves.length, 16);
    assert.ok(serialize(answer).byteLength < 200_000, String(serialize(answer).byteLength));
  });
});
