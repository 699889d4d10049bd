import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import type { ByteSource } from '../../../src/core/bytes/byteSource.js';
import { JsonMachine } from '../../../src/core/formats/json/jsonMachine.js';
import { JsonElements } from '../../../src/core/formats/json/jsonValues.js';
import { readInput } from '../../../src/core/formats/readSnapshot.js';
import type { ReadOptions } from '../../../src/core/formats/format.js';
import { unfoldingOf } from '../../../src/node/gunzip.js';
import { bytesSource } from '../../support/bytesSource.js';
import { SnapshotError } from '../../../src/core/bytes/snapshotError.js';
import { PickleWriter } from '../../support/pickleWriter.js';
import { zipArchive } from '../../support/zipWriter.js';

/** A file of any size that takes no memory: `head`, then `filler` over and over, then `tail`. */
function endless(head: string, filler: string, size: number, tail: Uint8Array = new Uint8Array(0)): ByteSource {
  const first = Buffer.from(head, 'latin1');
  const from = size - tail.length;
  return {
    name: 'x',
    size,
    unfolding: unfoldingOf(size),
    read(offset, into) {
      const length = Math.max(0, Math.min(into.length, size - offset));
      // Whole pieces at once: some of these files are gigabytes.
      const target = Buffer.from(into.buffer, into.byteOffset, length);
      const head = first.subarray(offset, offset + length);
      target.set(head);
      const phase = Math.max(0, offset - first.length) % filler.length;
      if (head.length < length)
        target.fill(filler.slice(phase) + filler.slice(0, phase), head.length, length, 'latin1');
      const tailAt = Math.max(0, from - offset);
      if (tailAt < length) target.set(tail.subarray(offset + tailAt - from, offset + length - from), tailAt);
      return Promise.resolve(length);
    },
  };
}

/** A file of `size` bytes that takes the memory of a megabyte: `head`, then `item` over and over. */
function repeating(head: string, item: string, between: string, size: number): ByteSource {
  const many = Buffer.from((item + between).repeat(Math.ceil((1 << 20) / item.length)), 'latin1');
  const first = Buffer.from(head, 'latin1');
  return {
    name: 'x',
    size,
    unfolding: unfoldingOf(size),
    read(offset, into) {
      if (offset < first.length) return Promise.resolve(first.copy(into, 0, offset));
      const at = (offset - first.length) % many.length;
      return Promise.resolve(many.copy(into, 0, at, at + Math.min(into.length, size - offset)));
    },
  };
}

/** Reads up to a limit. @returns its sentence */
async function limitOf(source: ByteSource, options: ReadOptions = {}): Promise<string> {
  try {
    await readInput(source, options);
  } catch (error) {
    assert.ok(SnapshotError.is(error, 'limit'), String(error));
    return error.message;
  }
  assert.fail('It was read.');
}

describe('Limits of containers and texts', () => {
  it('stop at a page with too many snapshots', async () => {
    const page = (snapshots: number): ByteSource =>
      endless('<html><script>\nconst local_files = [', '{"name": "x", "base64": "gASVCg=="}, ', 37 + 37 * snapshots);
    assert.match(await limitOf(page(300)), /holds more than 256 snapshots/);
  });

  it('stop at an impossibly large directory of a zip archive', async () => {
    const archive = zipArchive([{ name: 'a/data.pkl', bytes: new Uint8Array(10) }]);
    const tail = Buffer.from(archive.subarray(archive.length - 22));
    tail.writeUInt32LE(1 << 27, 12);
    tail.writeUInt32LE(1000, 16);
    const source = endless('PK\x03\x04', '\0', 1 << 28, tail);
    assert.match(await limitOf(source), /a directory of 134217728 bytes/);
  });

  it('stop at lists in lists, and at a text that does not end', async () => {
    assert.match(
      await limitOf(endless('{"segments":', '[', 1 << 20)),
      /is nested more than 1000 levels deep at byte 1011/,
    );
    assert.match(
      await limitOf(endless('{"segments":"', 'x', 1 << 28)),
      /a string of more than 67108864 bytes at byte 12/,
    );
  });

  it('stop at a graph that is too large to look at', async () => {
    assert.match(await limitOf(endless('digraph G {\n', ' ', 1 << 28)), /a graph of more than 67108864 bytes/);
  });

  it('stop at containers nested too deeply', async () => {
    let packed: Uint8Array = Buffer.from('hello');
    for (let i = 0; i < 5; i++) packed = gzipSync(packed);
    assert.match(await limitOf(bytesSource('x', packed)), /has 4 layers of compression/);
  });

  it('stop at an archive with too many snapshots', async () => {
    const bytes = Uint8Array.of(0x80, 4, 0x4e, 0x2e);
    const archive = zipArchive(Array.from({ length: 257 }, (_, i) => ({ name: `step_${i}.pickle`, bytes })));
    assert.match(
      await limitOf(bytesSource('x', archive)),
      /^x holds more than 256 snapshots, more than Leakline reads from one file\. Split it\.$/,
    );
  });

  it('stop at content that expands far beyond its size', async () => {
    // A pickle that pushes nothing and pops it again, without end.
    const bomb = gzipSync(Buffer.concat([Buffer.from([0x80, 4]), Buffer.alloc(100 << 20, 'N0')]), { level: 9 });
    await assert.rejects(readInput(bytesSource('x', bomb)), (error) => {
      assert.ok(SnapshotError.is(error, 'limit'), String(error));
      const asked = Number(/decompresses to more than (\d+) bytes/.exec(error.message)?.[1]);
      assert.ok(asked > 1 << 26 && asked < 100 << 20, error.message);
      return true;
    });
  });

  it('stop at more objects than any snapshot keeps, and at dictionaries in dictionaries', async () => {
    const max = 1 << 22;
    const thousands = (count: number): ByteSource =>
      bytesSource('x', Buffer.from(`\x80\x04]${`(${'N'.repeat(1000)}e`.repeat(count)}.`, 'latin1'));
    const within = Math.floor(max / 1000);
    await assert.rejects(readInput(thousands(within)), (error) => SnapshotError.is(error, 'notASnapshot'));
    assert.match(await limitOf(thousands(within + 1)), /more objects than Leakline allows/);
  });

  it('stop at a log of more samples than a curve needs', async () => {
    // 256 devices, then rows of one: each row has a place for all.
    const smi =
      'timestamp, index, memory.used [MiB]\n' +
      Array.from({ length: 256 }, (_, device) => `2026/11/20 16:41:02.123, ${device}, 1 MiB\n`).join('');
    const max = 1 << 25;
    for (const [source, bytesPerSample] of [
      [repeating(smi, '2026/11/20 16:41:03.123, 0, 1 MiB\n', '', 10e6), 34 / 256],
      [repeating('[', '[1,2,8,0]', ',', 1e9), 10 / 8],
    ] as const) {
      let read = 0;
      const onProgress = (fraction: number): void => {
        read = fraction * source.size;
      };
      assert.match(await limitOf(source, { onProgress }), /holds more samples than Leakline reads/);
      const beyond = read - max * bytesPerSample;
      assert.ok(beyond > 0 && beyond < 1 << 20, `${beyond} bytes after the last sample that is read`);
    }
  });

  it('are not met by lists of statistics, of which one item is held at a time', () => {
    const held: number[] = [];
    let seen = 0;
    const items = new JsonElements('items', () => {
      seen++;
    });
    const machine = new JsonMachine(items, 'x', true);
    for (const text of ['[{"a":1},', '{"a":', '[2]}, 3]', ' {"a":[4]}', ' [[5],{}]']) {
      const bytes = Buffer.from(`${text} `);
      assert.equal(machine.run(bytes, 0, bytes.length, 0, false), bytes.length, text);
      held.push(seen);
    }
    assert.deepEqual(held, [1, 1, 3, 4, 6]);
  });

  it('stop at lists of tracebacks that name one text repeatedly', async () => {
    const frames = 500;
    const text = Buffer.from('  File "/a.py", line 1, in f\n'.repeat(frames));
    const max = 1 << 26;
    // A hundred mentions of the text each.
    const hundred = Buffer.alloc(200, Uint8Array.of(0x68, 0));
    const naming = (lists: number): ByteSource => {
      const writer = new PickleWriter().bytes(0x28).text(String(text)).bytes(0x94);
      for (let list = 0; list < lists; list++) writer.bytes(0x5d, 0x28).raw(hundred).bytes(0x65, 0x94);
      writer.bytes(0x31).dict({
        segments: (w) => w.list([]),
        device_traces: (w) =>
          w.list([
            (v) =>
              v.list(
                Array.from(
                  { length: lists },
                  (_, list) => (u: PickleWriter) =>
                    u.dict({
                      action: (a) => a.text('alloc'),
                      forward_frames: (a) => a.bytes(0x6a, (list + 1) & 255, (list + 1) >> 8, 0, 0),
                    }),
                ),
              ),
          ]),
      });
      return bytesSource('x', writer.stop());
    };
    const within = Math.floor(max / (frames * 100));
    await readInput(naming(within));
    assert.match(await limitOf(naming(within + 1)), /refers to the same stack far more often than PyTorch does/);
  });

  it('are not met by a file of one byte: it is still being written', async () => {
    await assert.rejects(readInput(bytesSource('x', Uint8Array.of(0x80))), (error) => {
      assert.ok(SnapshotError.is(error, 'truncated'));
      assert.match(error.message, /^x ends early: it is still being written/);
      return true;
    });
  });

  it('never reject a pickle of protocol 2 to 5 for its protocol', async () => {
    for (let protocol = 2; protocol <= 5; protocol++) {
      // Whatever stands behind, and wherever it ends.
      for (let byte = -1; byte < 256; byte++) {
        const bytes = Uint8Array.of(0x80, protocol, ...(byte < 0 ? [] : [byte, 0x28, 0x2e]));
        await assert.rejects(readInput(bytesSource('x', bytes)), (error) => {
          assert.ok(error instanceof SnapshotError);
          assert.doesNotMatch(error.message, /2 to 5/);
          return true;
        });
      }
    }
  });

  it('stop when time is up, in every format', async () => {
    for (const [head, filler] of [
      ['\x80\x04', 'N0'],
      ['{"segments":[', ' '],
      ['[[1', ',1'],
      ['<html><script>\nconst local_files = [', ' '],
    ]) {
      const source = endless(head, filler, 2 ** 40);
      assert.match(await limitOf(source, { timeLimitMs: 50, chunkSize: 1 << 16 }), /was not read within 0\.05 seconds/);
    }
  });
});
