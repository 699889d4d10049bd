import assert from 'node:assert/strict';
import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startThread } from '../../../src/node/thread.js';
import type { SnapshotFile } from '../../../src/worker/readerApi.js';
import { ReaderPool } from '../../../src/worker/readerPool.js';
import { SnapshotReading } from '../../../src/worker/snapshotReading.js';
import { SnapshotStore } from '../../../src/worker/snapshotStore.js';
import { eventually } from '../../support/eventually.js';
import { makeSnapshotFile } from '../../support/madeSnapshot.js';
import { repositoryRoot } from '../../support/repository.js';
import { FIXTURES, readFile } from '../../support/snapshots.js';
import { wholeSnapshot } from '../../support/wholeSnapshot.js';

const MIB = 1 << 20;
const { signal } = new AbortController();

/** The worker's own parts, with real threads and files; the columns of every reading are looked at on their way. */
describe('Reading a snapshot a second time', function () {
  this.timeout(30_000);
  let folder: string;
  let cacheFolder: string;
  let path: string;
  let pool: ReaderPool;
  let readings: SnapshotFile[];
  /** 3 MB. */
  let made: string;

  before(() => {
    made = join(mkdtempSync(join(tmpdir(), 'leakline-made-')), 'made.pickle');
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
    await new Promise((resolve) => setTimeout(resolve, 150)); // until it has settled
    readings = [];
    pool = new ReaderPool(() => startThread(join(repositoryRoot(), 'dist/reader.cjs'), 'test reader'), {
      readers: 2,
      mostBytes: 1 << 30,
    });
  });
  afterEach(async () => {
    await pool.close();
    rmSync(folder, { recursive: true });
  });

  /** What a window has of its own. */
  function newWindow(maxBytes = 64 * MIB): SnapshotReading {
    return new SnapshotReading(
      async (request, bytes, abort, onProgress) => {
        const reading = await pool.read(request, bytes, abort, onProgress);
        assert.equal(reading.kind, 'snapshot');
        readings.push(reading);
        return reading;
      },
      { cache: { folder: cacheFolder, maxBytes }, timeLimitMs: null },
    );
  }

  const kept = (): string[] =>
    readdirSync(folder).includes('columns') ? readdirSync(cacheFolder).filter((name) => name.endsWith('.columns')) : [];
  const readOnce = async (file = path): Promise<void> => {
    const reading = await newWindow().read({ path: file, bytes: 1, wantsDigest: true }, signal, () => undefined);
    assert.equal(reading.kind, 'snapshot');
    assert.deepStrictEqual(wholeSnapshot(reading.snapshot), wholeSnapshot(await readFile(file)));
    assert.equal(reading.digest.path, file);
  };
  const wasCached = (): boolean => readings.at(-1)?.storeAs === null;

  it('takes the columns that another window kept', async () => {
    await readOnce();
    assert.ok(!wasCached());
    await eventually(() => {
      assert.equal(kept().length, 1);
    });
    await readOnce();
    assert.ok(wasCached());
  });

  it('reads a file anew that was rewritten in place, with equal size and restored time', async () => {
    const dated = new Date(1_700_000_000_123);
    utimesSync(path, dated, dated);
    await new Promise((resolve) => setTimeout(resolve, 150));
    await readOnce();
    await eventually(() => {
      assert.equal(kept().length, 1);
    });
    const content = readFileSync(path);
    const at = content.indexOf('op_1');
    content.write('xy_1', at); // a function's name, somewhere in the file
    writeFileSync(path, content);
    utimesSync(path, dated, dated);
    await new Promise((resolve) => setTimeout(resolve, 150));
    assert.equal(statSync(path).size, content.length);
    await readOnce();
    assert.ok(!wasCached());
  });

  it('reads a file anew whose kept columns are damaged, and keeps them again', async () => {
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
        assert.ok(readFileSync(file).equals(whole));
      });
    }
  });

  it('reads small files, and files that may still be written, without the cache', async () => {
    await readOnce(join(FIXTURES, 'shapes/t213.p4.pickle'));
    const now = new Date();
    utimesSync(path, now, now);
    await readOnce();
    assert.deepEqual(
      readings.map(({ storeAs }) => storeAs),
      [null, null],
    );
    assert.deepEqual(kept(), []);
  });

  it('keeps nothing where the bound is zero, and drops what it kept', async () => {
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

  it('removes what it kept when told, even what is being written', async () => {
    const window = newWindow();
    await window.read({ path, bytes: 1, wantsDigest: true }, signal, () => undefined);
    await window.clearCache();
    assert.deepEqual(kept(), []);
    assert.ok(!readdirSync(folder).includes('columns'));
  });

  it('is what the store does when columns had to make room', async () => {
    const other = join(folder, 'b.pickle');
    copyFileSync(made, other);
    await new Promise((resolve) => setTimeout(resolve, 150));
    const window = newWindow();
    const store = new SnapshotStore(window, 1);
    for (const file of [path, other]) await store.load(file, signal, () => undefined);
    await eventually(() => {
      assert.equal(kept().length, 2);
    });
    const expected = wholeSnapshot(await readFile(path));
    assert.deepStrictEqual(wholeSnapshot(await store.snapshot(path, signal)), expected);
    assert.ok(wasCached());
    assert.equal(readings.length, 3);
    assert.equal(readings[2].digest, null);
  });
});
