import assert from 'node:assert/strict';
import type { ByteSource } from '../../../src/core/bytes/byteSource.js';
import { SnapshotError } from '../../../src/core/bytes/snapshotError.js';
import { readInput } from '../../../src/core/formats/readSnapshot.js';
import type { ReadOptions } from '../../../src/core/formats/format.js';
import { zipArchive } from '../../support/zipWriter.js';

/** A file of any size that takes no memory: `head`, then `filler` over and over, then `tail`. */
function endless(head: string, filler: string, size: number, tail: Uint8Array = new Uint8Array(0)): ByteSource {
  const first = Buffer.from(head, 'latin1');
  const from = size - tail.length;
  return {
    name: 'x',
    size,
    read(offset, into) {
      const length = Math.max(0, Math.min(into.length, size - offset));
      for (let i = 0; i < length; i++) {
        const at = offset + i;
        into[i] =
          at < first.length
            ? first[at]
            : at >= from
              ? tail[at - from]
              : filler.charCodeAt((at - first.length) % filler.length);
      }
      return Promise.resolve(length);
    },
  };
}

async function limitOf(source: ByteSource, options: ReadOptions = {}): Promise<string> {
  try {
    await readInput(source, options);
    return 'read';
  } catch (error) {
    assert.ok(SnapshotError.is(error, 'limit'), String(error));
    return error.message;
  }
}

describe('Limits of containers and texts', function () {
  this.timeout(60_000);

  it('stop at a page of more snapshots than anybody puts into one', async () => {
    const page = (snapshots: number): ByteSource =>
      endless('<html><script>\nconst local_files = [', '{"name": "x", "base64": "gASVCg=="}, ', 37 + 37 * snapshots);
    assert.match(await limitOf(page(300)), /holds more than 256 snapshots/);
  });

  it('stop at a directory that a zip archive says to be larger than any', async () => {
    const archive = zipArchive([{ name: 'a/data.pkl', bytes: new Uint8Array(10) }]);
    const tail = Buffer.from(archive.subarray(archive.length - 22));
    tail.writeUInt32LE(1 << 27, 12);
    tail.writeUInt32LE(1000, 16);
    const source = endless('PK\x03\x04', '\0', 1 << 28, tail);
    assert.match(await limitOf(source), /a directory of 134217728 bytes/);
  });

  it('stop at lists in lists, and at a text that does not end', async () => {
    assert.match(await limitOf(endless('{"segments":', '[', 1 << 20)), /nests more than 1000 deep, at byte 1011/);
    assert.match(
      await limitOf(endless('{"segments":"', 'x', 1 << 28)),
      /a text of more than 67108864 bytes, at byte 12/,
    );
  });

  it('stop at a graph that nobody could look at', async () => {
    assert.match(await limitOf(endless('digraph G {\n', ' ', 1 << 28)), /a graph of more than 67108864 bytes/);
  });

  it('stop when time is up, in every format', async () => {
    for (const [head, filler] of [
      ['\x80\x04', 'N0'],
      ['{"segments":[', ' '],
      ['[[1', ',1'],
      ['<html><script>', ' '],
    ]) {
      const source = endless(head, filler, 2 ** 40);
      assert.match(await limitOf(source, { timeLimitMs: 50, chunkSize: 1 << 16 }), /was not read within 0\.05 seconds/);
    }
  });
});
