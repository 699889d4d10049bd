import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { digestSnapshot, type SnapshotDigest } from '../../../src/core/digest/digest.js';
import { buildReport } from '../../../src/core/report/buildReport.js';
import { readRecording } from '../../../src/node/recordingFile.js';
import { SnapshotCache } from '../../../src/node/snapshotCache.js';
import { tries } from '../../support/sample.js';
import { FIXTURES, picklesUnder, readFile } from '../../support/snapshots.js';
import { seededRandom } from '../../support/seededRandom.js';

const RUN = join(FIXTURES, 'recordings/aux_loss');
const PROLOGUE = 24;

async function digestOf(path: string): Promise<SnapshotDigest> {
  return digestSnapshot(path, await readFile(path), await readRecording(path));
}

describe('The cache of digests', () => {
  let folder: string;
  let cache: SnapshotCache;

  beforeEach(() => {
    folder = join(mkdtempSync(join(tmpdir(), 'leakline-cache-')), 'kept');
    cache = new SnapshotCache({ folder, maxBytes: 1 << 26 }, 'version');
  });
  afterEach(() => {
    rmSync(join(folder, '..'), { recursive: true });
  });

  const fileOf = (key: string): string => join(folder, `${key}.digest`);

  it('returns digests of all kinds of snapshots, and their sidecars, unchanged', async () => {
    let recorded = 0;
    const ofRecorder = picklesUnder(join(FIXTURES, 'planted/recordings')).filter((_, i) => i % 12 === 0);
    for (const path of [...picklesUnder(join(FIXTURES, 'shapes')), ...ofRecorder]) {
      const digest = await digestOf(path);
      await cache.storeDigest('key', { digest, members: 2 });
      assert.deepStrictEqual(await cache.loadDigest('key'), { digest, members: 2 }, path);
      if (digest.recording !== null) recorded++;
    }
    assert.ok(recorded > 10);
  });

  it('has nothing for a key that was not stored, and rejects truncated or damaged entries', async () => {
    assert.equal(await cache.loadDigest('key'), null);
    await cache.storeDigest('key', { digest: await digestOf(picklesUnder(RUN)[0]), members: 1 });
    assert.equal(await cache.loadDigest('other'), null);
    const whole = readFileSync(fileOf('key'));
    const flipped = Buffer.from(whole);
    flipped[whole.length >> 1] ^= 4;
    for (const damaged of [whole.subarray(0, -1), whole.subarray(0, 100), Buffer.alloc(0), flipped]) {
      writeFileSync(fileOf('key'), damaged);
      assert.equal(await cache.loadDigest('key'), null);
      assert.deepEqual(readdirSync(folder), []);
    }
  });

  it('does not believe a file that holds something else, whole as it is', async () => {
    const digest = await digestOf(picklesUnder(RUN)[0]);
    for (const wrong of [
      { digest: null, members: 1 },
      { digest: [], members: 1 },
      { digest },
      { digest, members: 0 },
      { digest: { ...digest, frames: [] }, members: 1 },
      { digest: { ...digest, groups: undefined }, members: 1 },
      { digest: { ...digest, path: 1 }, members: 1 },
      { digest: { ...digest, eventCount: NaN }, members: 1 },
      { digest: { ...digest, blocks: { ...digest.blocks, size: digest.blocks.size.subarray(1) } }, members: 1 },
      { digest: { ...digest, blocks: { ...digest.blocks, group: digest.blocks.group.map(() => 1e9) } }, members: 1 },
    ]) {
      await cache.storeDigest('key', wrong as never);
      assert.equal(await cache.loadDigest('key'), null);
    }
  });

  it('gives nothing that makes a report stumble, whatever is in a file with a sound checksum', async () => {
    const digests = await Promise.all(picklesUnder(RUN).slice(0, 3).map(digestOf));
    const [digest, ...others] = digests;
    await cache.storeDigest('key', { digest, members: 1 });
    const whole = readFileSync(fileOf('key'));
    const random = seededRandom(11);
    const header = whole.readUInt32LE(16);
    let believed = 0;
    const listing = { files: [], rules: [], lineText: () => null, capacityBytes: null };
    const rounds = tries(600, 150);
    for (let round = 0; round < rounds; round++) {
      const damaged = Buffer.from(whole);
      for (let i = 0; i <= random(3); i++) {
        const from = round % 8 === 0 ? PROLOGUE : PROLOGUE + header;
        damaged[from + random(whole.length - from)] = random(256);
      }
      damaged.writeUInt32LE(crc32(damaged.subarray(PROLOGUE)), 20);
      writeFileSync(fileOf('key'), damaged);
      const kept = await cache.loadDigest('key');
      if (kept === null) continue;
      believed++;
      buildReport([kept.digest, ...others], listing);
    }
    assert.ok(believed > rounds / 6 && believed < rounds - rounds / 60, `${believed} believed`);
  });
});
