import assert from 'node:assert/strict';
import {
  copyFileSync,
  linkSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { digestSnapshot } from '../../../src/core/digest/digest.js';
import { memberPath } from '../../../src/core/model/memberPath.js';
import { unpackSnapshot } from '../../../src/core/model/snapshotCodec.js';
import { readRecording } from '../../../src/node/recordingFile.js';
import { recordingPath } from '../../../src/node/recordingPath.js';
import { readerVersion } from '../../../src/node/snapshotCache.js';
import { startThread } from '../../../src/node/thread.js';
import type { SnapshotFile } from '../../../src/worker/readerApi.js';
import { readSnapshotFile } from '../../../src/worker/readSnapshotFile.js';
import { ReaderPool } from '../../../src/worker/readerPool.js';
import { SnapshotReading } from '../../../src/worker/snapshotReading.js';
import { SnapshotStore } from '../../../src/worker/snapshotStore.js';
import { eventually } from '../../support/eventually.js';
import { makeSnapshotFile } from '../../support/madeSnapshot.js';
import { builtProgram } from '../../support/repository.js';
import { FIXTURES, picklesUnder, readFile } from '../../support/snapshots.js';
import { wholeSnapshot } from '../../support/wholeSnapshot.js';

const MIB = 1 << 20;
const { signal } = new AbortController();

/** Until a file that was just written is known not to be written again unnoticed. */
const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 150));

/** The worker's own parts, with real threads and files; the columns of every reading are looked at on their way. */
describe('Reading a snapshot a second time', () => {
  let folder: string;
  let cacheFolder: string;
  let path: string;
  let pool: ReaderPool;
  let windows: SnapshotReading[];
  /** The readings of reader threads. */
  let readings: SnapshotFile[];
  /** 3 MB. */
  let made: string;
  let reader: string;

  before(() => {
    made = join(mkdtempSync(join(tmpdir(), 'leakline-made-')), 'made.pickle');
    reader = builtProgram('reader.cjs');
    makeSnapshotFile(made, 20_000);
  });
  after(() => {
    rmSync(join(made, '..'), { recursive: true });
  });
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'leakline-reading-'));
    cacheFolder = join(folder, 'columns');
    path = join(folder, 'a.pickle');
    copyFileSync(made, path);
    await settle();
    readings = [];
    windows = [];
    pool = new ReaderPool(() => startThread(reader, 'test reader'), {
      readers: 2,
      maxBytes: 1 << 30,
    });
  });
  afterEach(async () => {
    for (const window of windows) await window.clearCache(); // waits for what is being written
    await pool.close();
    rmSync(folder, { recursive: true });
  });

  /** The parts of one window. */
  function newWindow(maxBytes = 64 * MIB): SnapshotReading {
    const window = new SnapshotReading(
      async (request, bytes, abort, onProgress) => {
        const reading = await pool.read(request, bytes, abort, onProgress);
        assert.equal(reading.kind, 'snapshot');
        readings.push(reading);
        return reading;
      },
      { cache: { folder: cacheFolder, maxBytes }, timeLimitMs: null },
      readerVersion(reader, {}),
    );
    windows.push(window);
    return window;
  }

  const keptWith = (suffix: string): string[] =>
    readdirSync(folder).includes('columns') ? readdirSync(cacheFolder).filter((name) => name.endsWith(suffix)) : [];
  const kept = (): string[] => keptWith('.columns');
  const untilKept = (files = 1): Promise<void> =>
    eventually(() => {
      assert.equal(kept().length, files);
      assert.equal(keptWith('.digest').length, files);
    });
  /** Reads the columns. */
  const readOnce = async (file = path): Promise<void> => {
    const reading = await newWindow().read({ path: file, bytes: 1, wantsDigest: false }, signal, () => undefined);
    assert.equal(reading.kind, 'snapshot');
    assert.deepStrictEqual(wholeSnapshot(reading.snapshot), wholeSnapshot(await readFile(file)));
  };
  /** Reads what a report is made of. @returns true if that was kept, and no reader had to look at the file */
  const openOnce = async (file = path, member = 0): Promise<boolean> => {
    const before = readings.length;
    const wish = { path: file, bytes: 1, wantsDigest: true, member } as const;
    const reading = await newWindow().read(wish, signal, () => undefined);
    assert.equal(reading.kind, 'snapshot');
    const { snapshot } = await readSnapshotFile(
      { path: file, member, wantsDigest: false, timeLimitMs: null },
      null,
      signal,
      () => undefined,
    ).then((fresh) => ({ snapshot: unpackSnapshot((fresh as SnapshotFile).packed) }));
    const name = memberPath(file, member, reading.members);
    const savedAtUs = 1000 * statSync(file).mtimeMs;
    assert.deepStrictEqual(reading.digest, digestSnapshot(name, snapshot, await readRecording(file), savedAtUs));
    return readings.length === before;
  };
  const wasCached = (): boolean => readings.at(-1)?.storeAs === null;

  it('takes columns that another window stored', async () => {
    await openOnce();
    await untilKept();
    await readOnce();
    assert.ok(wasCached());
  });

  it('opens a file by a digest that another window stored, under its present name', async () => {
    assert.equal(await openOnce(), false);
    await untilKept();
    assert.equal(await openOnce(), true);
    const other = join(folder, 'link.pickle');
    linkSync(path, other);
    await settle();
    assert.equal(await openOnce(other), false); // the link has changed the file's times
    await untilKept(2);
    assert.equal(await openOnce(other), true);
    assert.equal(await openOnce(path), true);
  });

  it('makes a digest again, from stored columns, when the sidecar differs', async () => {
    assert.equal(await openOnce(), false);
    await untilKept();
    const sidecar = recordingPath(path);
    for (const step of [7, 8]) {
      writeFileSync(sidecar, JSON.stringify({ schema: 'leakline.recording/1', run: 'r', step }));
      assert.equal(await openOnce(), false);
      assert.equal(readings.at(-1)?.digest?.recording?.step, step);
      assert.ok(wasCached());
      await eventually(() => {
        assert.equal(keptWith('.digest').length, step - 5);
      });
    }
    assert.equal(await openOnce(), true);
    rmSync(sidecar);
    assert.equal(await openOnce(), true);
  });

  it('reads a file again whose sidecar changed while the window knew it', async () => {
    const store = new SnapshotStore(newWindow());
    const load = async (): Promise<[boolean, number | null]> => {
      const { digests, read } = await store.load(path, signal, () => undefined);
      return [read, digests[0].recording?.step ?? null];
    };
    assert.deepEqual(await load(), [true, null]);
    assert.deepEqual(await load(), [false, null]);
    writeFileSync(recordingPath(path), JSON.stringify({ schema: 'leakline.recording/1', run: 'r', step: 7 }));
    assert.deepEqual(await load(), [true, 7]);
    assert.deepEqual(await load(), [false, 7]);
    rmSync(recordingPath(path));
    assert.deepEqual(await load(), [true, null]);
  });

  it('keeps every snapshot of a page', async () => {
    const page = join(folder, 'page.html');
    const others = picklesUnder(join(FIXTURES, 'recordings/aux_loss')).slice(0, 2);
    const list = [path, ...others].map((file) => ({ name: 'x', base64: readFileSync(file).toString('base64') }));
    writeFileSync(page, `<html><script>\nconst local_files = ${JSON.stringify(list)}\n</script></html>\n`);
    await settle();
    const load = async (): Promise<SnapshotStore> => {
      const store = new SnapshotStore(newWindow());
      const { digests } = await store.load(page, signal, () => undefined);
      assert.deepEqual(
        digests.map((digest) => digest.path),
        [`${page}#1`, `${page}#2`, `${page}#3`],
      );
      return store;
    };
    await load();
    assert.equal(readings.length, 3);
    await untilKept(3);
    for (const member of [0, 1, 2]) assert.equal(await openOnce(page, member), true);
    const store = await load();
    assert.equal(readings.length, 3);
    // Looking at one of them reads its columns, not the page.
    assert.deepStrictEqual((await store.snapshot(`${page}#3`, signal)).blocks, (await readFile(others[1])).blocks);
    assert.ok(wasCached());
  });

  it('reads a file again that was rewritten in place, with equal size and restored time', async () => {
    const dated = new Date(1_700_000_000_123);
    utimesSync(path, dated, dated);
    await settle();
    await openOnce();
    await untilKept();
    const content = readFileSync(path);
    const at = content.indexOf('op_1');
    content.write('xy_1', at); // a function's name, somewhere in the file
    writeFileSync(path, content);
    utimesSync(path, dated, dated);
    await settle();
    assert.equal(statSync(path).size, content.length);
    assert.equal(await openOnce(), false);
    assert.ok(!wasCached());
  });

  it('reads a file again whose stored columns are damaged, and stores them again', async () => {
    await readOnce();
    const [name] = await eventually(() => {
      assert.equal(kept().length, 1);
      return kept();
    });
    const file = join(cacheFolder, name);
    const whole = readFileSync(file);
    for (const damaged of [whole.subarray(0, whole.length - 9), Buffer.from(whole).fill(1, 5_000, 5_100)]) {
      writeFileSync(file, damaged);
      await readOnce();
      assert.ok(!wasCached());
      await eventually(() => {
        assert.ok(readFileSync(file).equals(whole), 'the damaged file is still there');
      });
    }
  });

  it('reads small files, and files that may still be written, without the cache', async () => {
    await openOnce(join(FIXTURES, 'shapes/t213.p4.pickle'));
    const later = new Date(Date.now() + 3_600_000); // just written, however long it takes to look
    utimesSync(path, later, later);
    await openOnce();
    assert.deepEqual(
      readings.map(({ storeAs, storeDigestAs }) => [storeAs, storeDigestAs]),
      [
        [null, null],
        [null, null],
      ],
    );
    assert.deepEqual(kept(), []);
  });

  it('stores nothing with a limit of zero, and removes stored files', async () => {
    await readOnce();
    await eventually(() => {
      assert.equal(kept().length, 1);
    });
    const window = newWindow();
    await window.configure({ cache: { folder: cacheFolder, maxBytes: 0 }, timeLimitMs: null });
    assert.deepEqual(kept(), []);
    await window.read({ path, bytes: 1, wantsDigest: true }, signal, () => undefined);
    await window.clearCache(); // waits for what is being written
    assert.equal(readings.at(-1)?.storeAs, null);
  });

  it('removes stored files on request, even during a write', async () => {
    const window = newWindow();
    await window.read({ path, bytes: 1, wantsDigest: true }, signal, () => undefined);
    await window.clearCache();
    assert.deepEqual(kept(), []);
    assert.ok(!readdirSync(folder).includes('columns'));
  });

  it('is called by the store after columns were removed from memory', async () => {
    const other = join(folder, 'b.pickle');
    copyFileSync(made, other);
    await settle();
    const window = newWindow();
    const store = new SnapshotStore(window, 1);
    for (const file of [path, other]) await store.load(file, signal, () => undefined);
    await untilKept(2);
    const expected = wholeSnapshot(await readFile(path));
    assert.deepStrictEqual(wholeSnapshot(await store.snapshot(path, signal)), expected);
    assert.ok(wasCached());
    assert.equal(readings.length, 3);
    assert.equal(readings[2].digest, null);
  });
});
