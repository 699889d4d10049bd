import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RpcHandlers } from '../../../src/protocol/rpc.js';
import type { WorkerApi } from '../../../src/protocol/workerApi.js';
import { workerHandlers } from '../../../src/worker/handlers.js';
import { SnapshotStore } from '../../../src/worker/snapshotStore.js';
import { WorkspaceFiles } from '../../../src/worker/workspaceFiles.js';
import { readingHere } from '../../support/readingHere.js';
import { FIXTURES, picklesUnder } from '../../support/snapshots.js';
import { runHere } from '../cli/runHere.js';

const { signal } = new AbortController();
const VIEW = { device: 0, axis: 'events', window: null, pixels: 100 } as const;

describe('Digests of a fleet in a window', () => {
  let folder: string;
  let dumps: string;
  let worker: RpcHandlers<WorkerApi>;

  const newWorker = (): RpcHandlers<WorkerApi> => {
    const reading = readingHere();
    return workerHandlers(new SnapshotStore(reading), reading, new WorkspaceFiles(), () => undefined);
  };
  const digests = (): string[] =>
    readdirSync(join(folder, 'out/digests'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.lkd'))
      .map((name) => join(folder, 'out/digests', name))
      .sort();
  const loadAll = async (paths: readonly string[], by = worker): Promise<string[]> => {
    const loaded = await Promise.all(paths.map(async (path) => by.load({ path }, signal)));
    return loaded.flatMap(({ snapshots }) => snapshots.map(({ path }) => path));
  };

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'leakline-out-'));
    dumps = join(folder, 'dumps');
    cpSync(join(FIXTURES, 'recordings/two_ranks/snapshots'), dumps, { recursive: true, preserveTimestamps: true });
    const { status } = await runHere('digest', '--out', join(folder, 'out'), dumps);
    assert.equal(status, 0);
    worker = newWorker();
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  it('are reported as the snapshots they are of', async () => {
    const whole = newWorker();
    await loadAll(picklesUnder(dumps), whole);
    const expected = await whole.report(null, signal);
    rmSync(dumps, { recursive: true });
    await loadAll(digests());
    const result = await worker.report(null, signal);
    assert.equal(result.report.ranks.length, 1);
    assert.deepEqual(result, expected);
  });

  it('do not count beside their snapshots, wherever these lie', async () => {
    await loadAll(digests());
    await loadAll(picklesUnder(dumps));
    const counted = async (): Promise<number> =>
      (await worker.report(null, signal)).report.runs.reduce((sum, { snapshots }) => sum + snapshots.length, 0);
    assert.equal(await counted(), picklesUnder(dumps).length);
    worker = newWorker();
    renameSync(dumps, join(folder, 'copied'));
    await loadAll(digests());
    await loadAll(picklesUnder(join(folder, 'copied')));
    assert.equal(await counted(), digests().length);
    // Where a snapshot goes, its digest reports it again.
    const [gone] = picklesUnder(join(folder, 'copied'));
    await worker.unload({ path: gone }, signal);
    assert.equal(await counted(), digests().length);
  });

  it('open the timeline of an equal snapshot that exists here, else show its path', async () => {
    const [path] = await loadAll([digests()[0]]);
    const whole = newWorker();
    await loadAll([path], whole);
    assert.deepEqual(await worker.timeline({ path, ...VIEW }, signal), await whole.timeline({ path, ...VIEW }, signal));
    worker = newWorker();
    await loadAll([digests()[0]]);
    cpSync(picklesUnder(dumps)[1], path);
    await assert.rejects(async () => worker.timeline({ path, ...VIEW }, signal), {
      message: `${path} is a different snapshot from the one that was digested. Digest again.`,
    });
    rmSync(path);
    await assert.rejects(async () => worker.timeline({ path, ...VIEW }, signal), {
      message: `The timeline needs the snapshot itself, which lies at ${path}. Copy it here.`,
    });
  });

  it('open the timeline of a snapshot that was moved together with its digests', async () => {
    const [path] = await loadAll([digests()[0]]);
    const expected = await worker.timeline({ path, ...VIEW }, signal);
    const moved = `${folder}-moved`;
    renameSync(folder, moved);
    [folder, worker] = [moved, newWorker()];
    assert.deepEqual(await loadAll([digests()[0]]), [path]);
    assert.deepEqual(await worker.timeline({ path, ...VIEW }, signal), expected);
  });

  it('that cannot be trusted are named', async () => {
    const [path] = digests();
    writeFileSync(path, 'no digest');
    await assert.rejects(async () => worker.load({ path }, signal), {
      message: `${path} is not a digest that can be trusted. Remove it and digest again.`,
    });
  });
});
