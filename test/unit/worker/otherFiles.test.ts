import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SnapshotError } from '../../../src/core/bytes/snapshotError.js';
import { unpackPoints } from '../../../src/protocol/curveCode.js';
import type { RpcHandlers } from '../../../src/protocol/rpc.js';
import type { WorkerApi } from '../../../src/protocol/workerApi.js';
import { workerHandlers } from '../../../src/worker/handlers.js';
import { SnapshotStore } from '../../../src/worker/snapshotStore.js';
import { WorkspaceFiles } from '../../../src/worker/workspaceFiles.js';
import { readingHere } from '../../support/readingHere.js';
import { FIXTURES, picklesUnder } from '../../support/snapshots.js';

const { signal } = new AbortController();

describe('The worker', () => {
  let folder: string;
  let worker: RpcHandlers<WorkerApi>;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'leakline-worker-'));
    const reading = readingHere();
    // No columns stay in memory: what is requested is read again.
    worker = workerHandlers(new SnapshotStore(reading, 0), reading, new WorkspaceFiles(), () => undefined);
  });

  afterEach(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  it('knows the snapshots of one page by names of their own', async () => {
    const files = picklesUnder(join(FIXTURES, 'recordings/aux_loss')).slice(0, 2);
    const texts = await Promise.all(files.map(async (file) => (await readFile(file)).toString('base64')));
    const path = join(folder, 'page.html');
    const list = JSON.stringify(texts.map((base64) => ({ name: 'x', base64 })));
    await writeFile(path, `<html><script>\nconst local_files = ${list}\n</script></html>\n`);
    const { snapshots } = await worker.load({ path }, signal);
    assert.deepEqual(
      snapshots.map((snapshot) => snapshot.path),
      [`${path}#1`, `${path}#2`],
    );
    const whole = await worker.load({ path: files[0] }, signal);
    await worker.load({ path: files[1] }, signal);
    assert.deepEqual(snapshots[0].devices, whole.snapshots[0].devices);
    const compare = await worker.compare({ a: `${path}#1`, b: `${path}#2`, ignored: [] }, signal);
    const plain = await worker.compare({ a: files[0], b: files[1], ignored: [] }, signal);
    assert.deepEqual(compare.lines, plain.lines);
    const asked = { device: 0, axis: 'events', window: null, pixels: 100 } as const;
    const view = await worker.timeline({ path: `${path}#2`, ...asked }, signal);
    assert.deepEqual(view.packed, (await worker.timeline({ path: files[1], ...asked }, signal)).packed);
    await worker.unload({ path }, signal);
    assert.throws(() => worker.compare({ a: `${path}#1`, b: `${path}#2`, ignored: [] }, signal), /is not open/);
  });

  it('shows a trend as a curve without lines, and as nothing to compare', async () => {
    const path = join(folder, 'memory_stats.jsonl');
    const rows = [100, 300, 200].map((bytes) =>
      JSON.stringify({ 'allocated_bytes.all.current': bytes, 'reserved_bytes.all.current': 1000 }),
    );
    await writeFile(path, rows.join('\n'));
    assert.deepEqual(await worker.load({ path }, signal), { snapshots: [], read: true });
    const view = await worker.timeline({ path, device: 0, axis: 'time', window: null, pixels: 100 }, signal);
    const points = unpackPoints(view.packed);
    assert.deepEqual(
      [view.axis, [...points.live], [...(points.reserved ?? [])]],
      ['events', [100, 300, 200], [1000, 1000, 1000]],
    );
    const live = await worker.liveAt({ path, device: 0, event: view.peak.event, by: 'line' }, signal);
    assert.deepEqual([live.liveBytes, live.lines, live.buckets.noStack.bytes], [300, [], 300]);
    assert.equal(view.hasAllocations, false);
    const allocated = await worker.allocatedIn({ path, device: 0, axis: 'events', window: null, by: 'line' }, signal);
    assert.deepEqual([allocated.aliveBytes, allocated.lines], [0, []]);
    const asked = { path, device: 0, event: view.peak.event, over: null, folded: true, focus: [], pixels: 100 };
    const { tree, calls, liveBytes } = await worker.flame(asked, signal);
    assert.deepEqual([[...tree.bytes], calls[tree.call[1]].kind, liveBytes], [[300, 300], 'noStack', 300]);
    const { report } = await worker.report(null, signal);
    assert.deepEqual(
      report.trends.map((trend) => [trend.path, trend.rows]),
      [[path, 3]],
    );
    assert.throws(
      () => worker.compare({ a: path, b: path, ignored: [] }, signal),
      (error) => SnapshotError.is(error, 'unsupported'),
    );
  });

  it('draws the sum of a profile’s categories over its time', async () => {
    const path = join(FIXTURES, 'profiler/memory_timeline.json.gz');
    await worker.load({ path }, signal);
    const view = await worker.timeline({ path, device: 0, axis: 'time', window: null, pixels: 8192 }, signal);
    const points = unpackPoints(view.packed);
    const [trend] = (await worker.report(null, signal)).report.trends;
    assert.equal(view.axis, 'time');
    assert.equal(points.reserved, null);
    const last = trend.series.reduce((sum, { lastBytes }) => sum + lastBytes, 0);
    assert.equal(points.live.at(-1), last);
    assert.equal(view.extent.to, (trend.endUs ?? 0) - (trend.startUs ?? 0));
  });
});
