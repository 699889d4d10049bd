import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { crc32, deflateRawSync, gzipSync } from 'node:zlib';
import type { ByteSource } from '../../../src/core/bytes/byteSource.js';
import { gunzipSource, inflateSource } from '../../../src/core/bytes/inflatingSource.js';
import { observedSource } from '../../../src/core/bytes/observedSource.js';
import { readFully } from '../../../src/core/bytes/readFully.js';
import { sliceSource } from '../../../src/core/bytes/sliceSource.js';
import { SnapshotError } from '../../../src/core/bytes/snapshotError.js';
import { openMember, zipMembers } from '../../../src/core/bytes/zipDirectory.js';
import { unfoldingOf } from '../../../src/node/gunzip.js';
import { bytesSource } from '../../support/bytesSource.js';
import { seededRandom } from '../../support/seededRandom.js';
import { zipArchive } from '../../support/zipWriter.js';
import { base64Source } from '../../../src/core/formats/html.js';

/** Text that compresses, but not to nothing. */
function content(length: number, seed: number): Buffer {
  const random = seededRandom(seed);
  return Buffer.from(Uint8Array.from({ length }, () => 97 + random(6)));
}

/** A source that hands out less than asked, as pipes and networks do. */
function stingy(source: ByteSource): ByteSource {
  return { ...source, read: (offset, into) => source.read(offset, into.subarray(0, Math.min(into.length, 13))) };
}

/** Asserts that every way of reading gives the bytes: whole, in pieces, back and forth, beyond the end. */
async function assertHolds(source: ByteSource, expected: Buffer): Promise<void> {
  assert.ok(expected.equals(await readFully(source, 0, expected.length + 10)), 'whole');
  const random = seededRandom(7);
  for (let i = 0; i < 40; i++) {
    const from = random(expected.length + 5);
    const length = random(200);
    const part = await readFully(source, from, length);
    assert.ok(expected.subarray(from, from + length).equals(part), `${length} bytes from ${from}`);
  }
  assert.equal(await source.read(expected.length, new Uint8Array(5)), 0);
}

describe('Sources of bytes', () => {
  it('inside others hold their slice', async () => {
    const bytes = content(5000, 1);
    await assertHolds(sliceSource(bytesSource('a', bytes), 100, 3000), bytes.subarray(100, 3100));
  });

  it('unfold gzip of one member or several, and deflate', async () => {
    const bytes = content(400_000, 2);
    const packed = [
      gzipSync(bytes),
      Buffer.concat([gzipSync(bytes.subarray(0, 1000)), gzipSync(bytes.subarray(1000))]),
    ];
    for (const gzip of packed) {
      await assertHolds(gunzipSource(bytesSource('a.gz', gzip)), bytes);
      await assertHolds(gunzipSource(stingy(bytesSource('a.gz', gzip))), bytes);
    }
    const facts = { size: bytes.length, crc: crc32(bytes) };
    await assertHolds(inflateSource(bytesSource('a', deflateRawSync(bytes)), facts), bytes);
    const wrong = inflateSource(bytesSource('a', deflateRawSync(bytes)), { ...facts, crc: 1 });
    await assert.rejects(readFully(wrong, 0, bytes.length + 1), (error) => SnapshotError.is(error, 'truncated'));
  });

  it('unfold gzip with zeros behind it, and reject a damaged member wherever it is', async () => {
    const bytes = content(3000, 3);
    const [first, second] = [gzipSync(bytes.subarray(0, 2000)), gzipSync(bytes.subarray(2000))];
    await assertHolds(gunzipSource(bytesSource('a.gz', Buffer.concat([first, second, Buffer.alloc(100_000)]))), bytes);
    const damaged = Buffer.from(first);
    damaged[damaged.length - 8] ^= 1;
    for (const [members, reason] of [
      [[damaged, second], 'truncated'],
      [[first, Buffer.from('text')], 'notASnapshot'],
    ] as const) {
      const source = gunzipSource(bytesSource('a.gz', Buffer.concat(members)));
      const reading = (): Promise<Uint8Array> => readFully(source, 0, bytes.length);
      await assert.rejects(reading(), (error) => SnapshotError.is(error, reason));
      await assert.rejects(reading(), (error) => SnapshotError.is(error, reason), 'again');
    }
  });

  it('unfold gzip of nothing into nothing', async () => {
    assert.equal(await gunzipSource(bytesSource('a.gz', gzipSync(''))).read(0, new Uint8Array(9)), 0);
  });

  it('of one file unfold no further than the file together may, in each other or side by side', async () => {
    const bytes = content(4000, 9);
    const packed = gzipSync(gzipSync(bytes));
    const ends = async (left: number): Promise<number> => {
      const unfolding = { ...unfoldingOf(packed.length), bytes: 2 ** 29 - left };
      const source = gunzipSource(gunzipSource({ ...bytesSource('a.gz', packed), unfolding }));
      return (await readFully(source, 0, bytes.length)).length;
    };
    const inner = gzipSync(bytes).length;
    assert.equal(await ends(bytes.length + inner), bytes.length);
    await assert.rejects(ends(bytes.length + inner - 1), (error) => {
      assert.ok(SnapshotError.is(error, 'limit'));
      assert.match(error.message, new RegExp(`decompresses to more than ${2 ** 29 + 1} bytes`));
      return true;
    });
  });

  it('decode base64 with any padding', async () => {
    for (let length = 1000; length < 1004; length++) {
      const bytes = randomBytes(length);
      const text = bytes.toString('base64');
      const padding = text.length - text.replaceAll('=', '').length;
      await assertHolds(base64Source(bytesSource('a', Buffer.from(text)), padding), bytes);
      await assertHolds(base64Source(stingy(bytesSource('a', Buffer.from(text))), padding), bytes);
    }
    const foreign = base64Source(bytesSource('a', Buffer.from('QUJD*UJD')), 0);
    await assert.rejects(readFully(foreign, 0, 6), (error) => SnapshotError.is(error, 'notASnapshot'));
  });

  it('are members of zip archives, packed or not', async () => {
    const bytes = content(50_000, 3);
    const archive = bytesSource(
      'a.zip',
      zipArchive(
        [
          { name: 'stored', bytes },
          { name: 'ünïcode/deflated', bytes: deflateRawSync(bytes), unpacked: bytes },
        ],
        { zip64: true, comment: 'PK\u0005\u0006 is no end' },
      ),
    );
    const members = await zipMembers(archive);
    assert.deepEqual(
      members.map(({ name, size }) => [name, size]),
      [
        ['stored', bytes.length],
        ['ünïcode/deflated', bytes.length],
      ],
    );
    for (const member of members) await assertHolds(await openMember(archive, member), bytes);
    await assert.rejects(openMember(archive, { ...members[0], encrypted: true }), (error) =>
      SnapshotError.is(error, 'unsupported'),
    );
    await assert.rejects(openMember(archive, { ...members[0], header: 1e15 }), (error) =>
      SnapshotError.is(error, 'notASnapshot'),
    );
    await assert.rejects(openMember(archive, { ...members[0], packedSize: 1e15, size: 1e15 }), (error) =>
      SnapshotError.is(error, 'notASnapshot'),
    );
  });

  it('that are observed report their progress, never falling, and stop on request', async () => {
    const bytes = content(1000, 5);
    const told: number[] = [];
    const controller = new AbortController();
    const source = observedSource(bytesSource('a', bytes), {
      signal: controller.signal,
      onProgress: (fraction) => told.push(fraction),
    });
    await readFully(source, 900, 100);
    await readFully(source, 0, 500);
    await readFully(source, 0, 10);
    await readFully(source, 500, 500);
    assert.deepEqual(told, [0.5, 0.5, 1]);
    controller.abort();
    await assert.rejects(readFully(source, 0, 10), (error) => SnapshotError.is(error, 'cancelled'));
  });

  it('that are observed stop when time is up, with a reason of its own', async () => {
    const bytes = content(1000, 5);
    const patient = observedSource(bytesSource('a', bytes), { timeLimitMs: 60_000 });
    const hurried = observedSource(bytesSource('a', bytes), { timeLimitMs: 5 });
    await new Promise((resolve) => setTimeout(resolve, 10));
    assert.equal((await readFully(patient, 0, 500)).length, 500);
    await assert.rejects(readFully(hurried, 0, 500), (error) => {
      assert.ok(SnapshotError.is(error, 'limit'));
      assert.match(error.message, /^a was not read within 0\.005 seconds, the time limit for a file\./);
      return true;
    });
  });
});
