import assert from 'node:assert/strict';
import {
  mkdirSync,
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
import { crc32 } from 'node:zlib';
import { digestSnapshot } from '../../../src/core/digest/digest.js';
import { packSnapshot } from '../../../src/core/model/snapshotCodec.js';
import { SnapshotCache } from '../../../src/node/snapshotCache.js';
import { FIXTURES, picklesUnder, readFile } from '../../support/snapshots.js';
import { seededRandom } from '../../support/seededRandom.js';
import { wholeSnapshot } from '../../support/wholeSnapshot.js';

const EXAMPLE = join(FIXTURES, 'shapes/t213.p4.pickle');
const MIB = 1 << 20;
const PROLOGUE = 24;

describe('The cache of columns', () => {
  let folder: string;
  let cache: SnapshotCache;
  const cacheOf = (maxBytes: number): SnapshotCache => new SnapshotCache({ folder, maxBytes }, 'version');

  beforeEach(() => {
    folder = join(mkdtempSync(join(tmpdir(), 'leakline-cache-')), 'columns');
    cache = cacheOf(64 * MIB);
  });
  afterEach(() => {
    rmSync(join(folder, '..'), { recursive: true });
  });

  const store = async (key: string, path = EXAMPLE): Promise<void> => {
    await cache.storeColumns(key, packSnapshot(await readFile(path)), 3);
  };
  const fileOf = (key: string): string => join(folder, `${key}.columns`);
  /** Puts bytes in place of a kept file. @returns what the cache makes of them */
  const loadChanged = (bytes: Uint8Array): Promise<unknown> => {
    writeFileSync(fileOf('key'), bytes);
    return cache.loadColumns('key');
  };

  it('returns snapshots of every kind as they were', async () => {
    for (const [i, path] of picklesUnder(join(FIXTURES, 'shapes')).entries()) {
      await store(`key${i}`, path);
      const kept = await cache.loadColumns(`key${i}`);
      assert.ok(kept !== null, path);
      assert.deepStrictEqual(wholeSnapshot(kept.snapshot), wholeSnapshot(await readFile(path)), path);
      assert.equal(kept.members, 3);
    }
  });

  it('has nothing for a key that was not stored', async () => {
    assert.equal(await cache.loadColumns('key'), null);
    await store('key');
    assert.equal(await cache.loadColumns('other'), null);
  });

  it('rejects a file that is truncated anywhere, and removes it', async () => {
    await store('key');
    const whole = readFileSync(fileOf('key'));
    for (let length = 0; length < whole.length; length += length < 256 ? 1 : 997) {
      assert.equal(await loadChanged(whole.subarray(0, length)), null, `${length} bytes`);
      assert.ok(!readdirSync(folder).includes('key.columns'));
    }
    assert.equal(await loadChanged(Buffer.concat([whole, Buffer.alloc(8)])), null, 'too long');
    assert.notEqual(await loadChanged(whole), null);
  });

  it('does not believe a file of which one bit is another', async () => {
    await store('key');
    const whole = readFileSync(fileOf('key'));
    for (let bit = 0; bit < whole.length * 8; bit += bit < PROLOGUE * 8 ? 1 : 4_999) {
      const damaged = Buffer.from(whole);
      damaged[bit >> 3] ^= 1 << (bit & 7);
      assert.equal(await loadChanged(damaged), null, `bit ${bit}`);
    }
  });

  it('gives nothing that makes analysis stumble, whatever is in a file with a sound checksum', async () => {
    await store('key');
    const whole = readFileSync(fileOf('key'));
    const random = seededRandom(7);
    let believed = 0;
    for (let round = 0; round < 600; round++) {
      const damaged = Buffer.from(whole);
      // Half of the rounds damage the header: names, types, lengths and facts.
      const header = damaged.readUInt32LE(16);
      for (let i = 0; i <= random(3); i++) {
        const at = PROLOGUE + (round % 2 === 0 ? random(header) : header + random(whole.length - PROLOGUE - header));
        damaged[at] = random(256);
      }
      damaged.writeUInt32LE(crc32(damaged.subarray(PROLOGUE)), 20);
      writeFileSync(fileOf('key'), damaged);
      const kept = await cache.loadColumns('key');
      if (kept === null) continue;
      believed++;
      digestSnapshot('x', kept.snapshot);
    }
    assert.ok(believed > 10 && believed < 500, `${believed} believed`);
  });

  it('stays within its limit, and removes the least recently used entries', async () => {
    await store('a');
    const { size } = statSync(fileOf('a'));
    cache = cacheOf(size * 3 + 1);
    await store('b');
    await store('c');
    for (const [i, key] of ['a', 'b', 'c'].entries()) utimesSync(fileOf(key), 1_000 + i, 1_000 + i);
    assert.notEqual(await cache.loadColumns('a'), null); // used now
    await store('d');
    assert.deepEqual(readdirSync(folder).sort(), ['a.columns', 'c.columns', 'd.columns']);
  });

  it('keeps nothing that is larger than its bound', async () => {
    cache = cacheOf(1_000);
    await store('a');
    assert.equal(await cache.loadColumns('a'), null);
  });

  it('removes partial files of dead processes, and leaves those of running ones', async () => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'old.columns.1.part'), 'x');
    writeFileSync(join(folder, 'new.columns.2.part'), 'x');
    const longAgo = Date.now() / 1000 - 7_200;
    utimesSync(join(folder, 'old.columns.1.part'), longAgo, longAgo);
    await store('a');
    assert.deepEqual(readdirSync(folder).sort(), ['a.columns', 'new.columns.2.part']);
  });

  it('is shared by several windows, which write the same and clear at any time', async () => {
    const packed = packSnapshot(await readFile(EXAMPLE));
    const windows = Array.from({ length: 4 }, () => cacheOf(64 * MIB));
    await Promise.all(
      windows.flatMap((window) => [
        window.storeColumns('a', packed, 1),
        window.loadColumns('a'),
        window.storeColumns('b', packed, 1),
      ]),
    );
    assert.deepEqual(readdirSync(folder).sort(), ['a.columns', 'b.columns']);
    await Promise.all(windows.flatMap((window) => [window.storeColumns('c', packed, 1), window.clear()]));
    assert.equal(await cache.loadColumns('a'), null);
    await windows[0].clear();
    assert.equal(await cache.loadColumns('c'), null);
  });

  it('ignores a disk that rejects writes', async () => {
    writeFileSync(folder, 'a file where the folder should be');
    await store('a');
    assert.equal(await cache.loadColumns('a'), null);
    rmSync(folder);
  });

  it('does not keep facts that JSON would change', async () => {
    const packed = packSnapshot(await readFile(EXAMPLE));
    await cache.storeColumns('a', { ...packed, facts: { ...packed.facts, settings: { threshold: Infinity } } }, 1);
    assert.equal(await cache.loadColumns('a'), null);
    assert.deepEqual(readdirSync(folder), []);
  });
});
