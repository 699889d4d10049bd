/** Facts that a format lacks are in no answer: the report, the timeline and its parts. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { renderMarkdown } from '../../../src/core/render/renderMarkdown.js';
import { renderText } from '../../../src/core/render/renderText.js';
import { unpackPoints } from '../../../src/protocol/curveCode.js';
import type { RpcHandlers } from '../../../src/protocol/rpc.js';
import type { WorkerApi } from '../../../src/protocol/workerApi.js';
import { workerHandlers } from '../../../src/worker/handlers.js';
import { SnapshotStore } from '../../../src/worker/snapshotStore.js';
import { WorkspaceFiles } from '../../../src/worker/workspaceFiles.js';
import { readingHere } from '../../support/readingHere.js';
import { FIXTURES } from '../../support/snapshots.js';

const { signal } = new AbortController();
const ALL = { maxLines: Infinity };

/** The facts of an input. */
type Said = 'trace' | 'times' | 'stacks' | 'requested' | 'reserved' | 'addresses' | 'pools';
const EVERYTHING: readonly Said[] = ['trace', 'times', 'stacks', 'requested', 'reserved', 'addresses', 'pools'];
const but = (...missing: readonly Said[]): readonly Said[] => EVERYTHING.filter((what) => !missing.includes(what));

const SNAPSHOTS: Readonly<Record<string, readonly Said[]>> = {
  'shapes/t112.p4.pickle': but('trace', 'times', 'stacks', 'requested', 'pools'),
  'shapes/t113.p4.pickle': but('trace', 'times', 'pools'),
  'shapes/t20.p4.pickle': but('times', 'pools'),
  'shapes/t21.p4.pickle': but('times'),
  'shapes/t22.p4.pickle': EVERYTHING,
  'shapes/t213.p5.pickle': EVERYTHING,
  'shapes/t213.json': EVERYTHING,
  'shapes/t213_torchsave.pt': EVERYTHING,
  'shapes/t213_torchsave_legacy.pt': EVERYTHING,
  'shapes/xpu_like.p4.pickle': EVERYTHING,
  'shapes/t213_segments_list.pickle': but('trace', 'times'),
  'shapes/no_history.p4.pickle': but('trace', 'times', 'stacks'),
  'shapes/ctx_none.p4.pickle': but('stacks'),
  'shapes/ctx_state.p4.pickle': EVERYTHING,
  'profiler/chrome_trace.json.gz': but('requested', 'reserved'),
  'profiler/profile_to_snapshot.pickle.gz': but('times', 'requested', 'reserved'),
};

/** Without a trace, but with the user's scopes, which have times. */
const ANNOTATED = 'shapes/no_history.p4.pickle';

const SMI =
  'timestamp, index, memory.used [MiB]\n2026/11/20 16:41:02.123, 0, 5 MiB\n2026/11/20 16:41:03.123, 0, 6 MiB\n';

describe('What a format does not say', () => {
  let worker: RpcHandlers<WorkerApi>;
  let folder: string;

  beforeEach(async () => {
    const reading = readingHere();
    worker = workerHandlers(new SnapshotStore(reading), reading, new WorkspaceFiles(), () => undefined);
    folder = await mkdtemp(join(tmpdir(), 'leakline-absent-'));
  });

  afterEach(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  for (const [file, said] of Object.entries(SNAPSHOTS)) {
    const knows = (what: Said): boolean => said.includes(what);

    it(`is in no answer about ${file}`, async () => {
      const path = join(FIXTURES, file);
      await worker.load({ path }, signal);
      const { report } = await worker.report(null, signal);
      const [run] = report.runs;
      const [snapshot] = run.snapshots;
      assert.equal(snapshot.takenAtUs !== null, knows('times') || file === ANNOTATED);
      assert.equal(snapshot.events > 0, knows('trace'));
      assert.equal(run.peak !== null, knows('trace'));
      if (run.peak !== null) {
        assert.equal(run.peak.timeUs !== null, knows('times'));
        assert.equal(run.peak.reservedBytes !== null, knows('reserved'));
      }
      assert.deepEqual([run.forecast, run.outOfMemory, run.process], [null, [], []]);
      if (!knows('stacks')) assert.deepEqual([run.lines, run.buckets.library], [[], 0]);
      const total = snapshot.devices.reduce((sum, { liveBytes }) => sum + liveBytes, 0);
      const lines = run.lines.reduce((sum, { liveBytes }) => sum + liveBytes, 0);
      assert.equal(lines + run.buckets.library + run.buckets.beforeRecording, total);
      for (const words of [renderText(report, ALL), renderMarkdown(report, ALL)]) {
        assert.doesNotMatch(words, /NaN|undefined|null|Invalid|:-1|Infinity/);
      }

      for (const { device, reservedBytes, requestedBytes, liveBytes } of snapshot.devices) {
        assert.equal(reservedBytes !== null, knows('reserved'));
        assert.equal(requestedBytes !== null, knows('requested'));
        const view = await worker.timeline({ path, device, axis: 'time', window: null, pixels: 200 }, signal);
        assert.equal(view.axis, knows('times') ? 'time' : 'events');
        assert.equal(view.startUs !== null, knows('times'));
        const points = unpackPoints(view.packed);
        assert.equal(points.reserved !== null, knows('reserved'));
        assert.equal(view.capacityBytes, null);
        assert.equal(view.events > 0, knows('trace'));
        assert.ok(points.live.every(Number.isFinite) && points.x.every(Number.isFinite));

        const last = view.events - 1;
        const live = await worker.liveAt({ path, device, event: last, by: 'line' }, signal);
        assert.equal(live.timeUs !== null, knows('times'));
        assert.equal(live.reservedBytes !== null, knows('reserved'));
        assert.equal(live.liveBytes, liveBytes);
        if (!knows('stacks')) assert.deepEqual([live.lines, live.buckets.library.bytes], [[], 0]);

        const allocated = await worker.allocatedIn({ path, device, axis: 'events', window: null, by: 'line' }, signal);
        if (!knows('trace')) assert.equal(allocated.aliveBytes, 0);

        const size = { pixels: 200, rows: 100, bytes: null, grouping: 'line', line: null } as const;
        const bands = await worker.bands({ path, device, axis: 'time', window: null, ...size }, signal);
        assert.equal(bands.axis, view.axis);
        for (const { id } of bands.allSeries.slice(0, 3)) {
          const asked = { path, device, grouping: 'line', series: id, event: last, row: null } as const;
          const { ageUs, allocated: birth, metadata } = await worker.bandDetail(asked, signal);
          if (!knows('times') || birth < 0) assert.equal(ageUs, null);
          assert.equal(metadata, '');
        }

        const map = await worker.memoryMap(
          { path, device, event: last, pixels: 200, rows: 1, only: null, changed: null },
          signal,
        );
        assert.equal(map.hasPlaces, knows('addresses') && knows('reserved'));
        for (const { pool } of map.pools) assert.equal(pool !== null, knows('pools'), `pool ${pool}`);
        const curve = await worker.runCurve({ path, device, axis: 'time', pixels: 200 }, signal);
        if (knows('trace')) assert.equal(curve.axis, knows('times') ? 'time' : 'events');
        assert.equal(curve.parts[0].reservedBytes !== null, knows('reserved'));
      }
    });
  }

  for (const [name, times, content] of [
    ['nvidia-smi.csv', true, SMI],
    ['processes.csv', false, '4711, 500 MiB\n4711, 510 MiB\n'],
    ['memory_stats.jsonl', false, '{"allocated_bytes.all.current": 5}\n{"allocated_bytes.all.current": 6}\n'],
    ['timeline.json', true, '[[1795193448592381,1795193448592533],[[0,1,0,0,0,0,0,0,0],[0,2,0,0,0,0,0,0,0]]]'],
  ] as const) {
    it(`is in no answer about ${name}, which has amounts and no lines`, async () => {
      const path = join(folder, name);
      await writeFile(path, content);
      assert.deepEqual((await worker.load({ path }, signal)).snapshots, []);
      const { report } = await worker.report(null, signal);
      assert.deepEqual([report.runs, report.trends.length], [[], 1]);
      assert.equal(report.trends[0].startUs !== null, times);
      for (const words of [renderText(report, ALL), renderMarkdown(report, ALL)]) {
        assert.match(words, times ? /2 rows over / : /2 rows without times/);
        assert.doesNotMatch(words, /NaN|undefined|null|Infinity/);
      }
      const at = { path, device: 0 };
      const view = await worker.timeline({ ...at, axis: 'time', window: null, pixels: 10 }, signal);
      const { reserved } = unpackPoints(view.packed);
      assert.deepEqual([view.axis, view.startUs !== null, reserved], [times ? 'time' : 'events', times, null]);
      assert.deepEqual([view.hasAllocations, view.capacityBytes, view.marks], [false, null, []]);
      const live = await worker.liveAt({ ...at, event: 1, by: 'line' }, signal);
      assert.deepEqual([live.lines, live.reservedBytes, live.timeUs !== null], [[], null, times]);
      assert.equal(live.buckets.noStack.bytes, live.liveBytes);
      assert.equal(
        (await worker.memoryMap({ ...at, event: 1, pixels: 10, rows: 1, only: null, changed: null }, signal)).hasPlaces,
        false,
      );
      assert.deepEqual((await worker.runCurve({ ...at, axis: 'time', pixels: 10 }, signal)).parts, []);
    });
  }
});
