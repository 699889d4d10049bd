import assert from 'node:assert/strict';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { digestSnapshot, type SnapshotDigest } from '../../../src/core/digest/digest.js';
import { buildReport } from '../../../src/core/report/buildReport.js';
import { runCurve } from '../../../src/core/runs/runCurve.js';
import { SpillFile } from '../../../src/node/spillFile.js';
import { readRecording } from '../../../src/node/recordingFile.js';
import { storedDigest } from '../../../src/worker/storedDigest.js';
import { SnapshotStore } from '../../../src/worker/snapshotStore.js';
import { workerHandlers } from '../../../src/worker/handlers.js';
import { WorkspaceFiles } from '../../../src/worker/workspaceFiles.js';
import { readingHere } from '../../support/readingHere.js';
import { everyNth } from '../../support/sample.js';
import { FIXTURES, picklesUnder, readFile } from '../../support/snapshots.js';

const RUN = join(FIXTURES, 'planted/recordings/running_total');
const { keep } = new SpillFile();
const workspace = { files: [], rules: [] };

async function digestsOf(files: readonly string[]): Promise<SnapshotDigest[]> {
  return Promise.all(files.map(async (path) => digestSnapshot(path, await readFile(path), await readRecording(path))));
}

describe('A packed digest', () => {
  it('is the same digest', async () => {
    for (const digest of await digestsOf(everyNth(picklesUnder(FIXTURES), 25))) {
      const packed = storedDigest(structuredClone(digest));
      packed.pack(keep);
      for (const part of Object.keys(digest) as (keyof SnapshotDigest)[]) assert.deepEqual(packed[part], digest[part]);
    }
  });

  it('gives the same report and the same curve of a run, before it was looked at and after', async () => {
    const digests = await digestsOf(picklesUnder(RUN));
    const whole = structuredClone(digests);
    const expected = buildReport(whole, workspace);
    const curve = runCurve({ snapshots: whole, steps: whole.map(() => null) }, 0, 100);
    const fresh = digests.map((digest) => storedDigest(digest));
    for (const digest of fresh) digest.pack(keep);
    assert.deepEqual(buildReport(fresh, workspace), expected);
    const stored = digests.map((digest) => storedDigest(digest));
    buildReport(stored, workspace);
    for (const digest of stored.slice(0, -1)) digest.pack(keep);
    assert.deepEqual(buildReport(stored, workspace), expected);
    assert.deepEqual(runCurve({ snapshots: stored, steps: stored.map(() => null) }, 0, 100), curve);
  });

  it('shares its equal parts with the one before', async () => {
    const [first, second] = (await digestsOf(picklesUnder(RUN))).map((digest) => structuredClone(digest));
    const before = storedDigest(first);
    const stored = storedDigest({ ...second, devices: structuredClone(first.devices) }, before);
    assert.equal(stored.devices, before.devices);
    assert.notEqual(stored.heads, before.heads);
    assert.deepEqual(stored.heads, second.heads);
  });

  it('is what the worker keeps of a run but its latest dumps, and a report looks at none of them again', async () => {
    const store = new SnapshotStore(readingHere());
    const worker = workerHandlers(store, readingHere(), new WorkspaceFiles(), () => undefined);
    const { signal } = new AbortController();
    const files = picklesUnder(RUN);
    for (const path of files) await worker.load({ path }, signal);
    const { report } = await worker.report(null, signal);
    const packed = (): number => store.digests.filter(({ isPacked }) => isPacked).length;
    for (let turn = 0; turn < 1000 && packed() < files.length - 3; turn++) await new Promise(setImmediate);
    assert.equal(packed(), files.length - 3);
    for (const digest of store.digests.slice(0, -3)) {
      const parts = [
        'frames',
        'groups',
        'blocks',
        'segments',
        'steps',
        'lifetimes',
        'peaks',
        'spans',
        'curves',
      ] as const;
      for (const part of parts) {
        Object.defineProperty(digest, part, {
          get: () => assert.fail(`${part} of ${digest.path} is looked at again`),
        });
      }
    }
    assert.deepEqual((await worker.report(null, signal)).report, report);
  });

  it('is also what the worker keeps of dumps that come faster than reports', async () => {
    const store = new SnapshotStore(readingHere());
    const folder = await mkdtemp(join(tmpdir(), 'leakline-burst-'));
    const { signal } = new AbortController();
    const [file] = picklesUnder(RUN);
    for (let dump = 0; dump < 80; dump++) {
      const path = join(folder, `step_${dump}.pickle`);
      await copyFile(file, path);
      await store.load(path, signal, () => undefined);
    }
    await rm(folder, { recursive: true });
    assert.equal(store.digests.filter(({ isPacked }) => !isPacked).length, 64);
  });
});
