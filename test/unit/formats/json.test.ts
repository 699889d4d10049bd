import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateRawSync, gzipSync } from 'node:zlib';
import { SnapshotError, type SnapshotErrorReason } from '../../../src/core/bytes/snapshotError.js';
import { readAll } from '../../../src/core/formats/readSnapshot.js';
import { hasPython } from '../../support/bruteForce.js';
import { bytesSource } from '../../support/bytesSource.js';
import { columnsOf } from '../../support/columns.js';
import { FIXTURES, picklesUnder, readBytes, readFile } from '../../support/snapshots.js';
import { zipArchive } from '../../support/zipWriter.js';
import { eventTime } from '../../../src/core/model/eventTime.js';

const SHAPES = join(FIXTURES, 'shapes');
const SMALL = JSON.stringify({
  segments: [
    {
      device: 0,
      address: 4096,
      total_size: 512,
      stream: 0,
      blocks: [
        {
          address: 4096,
          size: 512,
          requested_size: 5,
          state: 'active_allocated',
          frames: [{ name: 'f', filename: 'a.py', line: 1 }],
        },
      ],
    },
  ],
  device_traces: [[{ action: 'alloc', addr: 4096, size: 5, stream: 0, time_us: 1.5e15, frames: [] }]],
});

/** The contents of pickles, as Python's json module writes them. */
function asJson(files: readonly string[]): Buffer[] {
  const script = 'import json, pickle, sys\nfor f in sys.argv[1:]: print(json.dumps(pickle.load(open(f, "rb"))))';
  const output = execFileSync('python3', ['-c', script, ...files], { maxBuffer: 1 << 30 });
  return output
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => Buffer.from(line));
}

async function reasonOf(text: string | Uint8Array): Promise<SnapshotErrorReason | 'read'> {
  try {
    await readBytes(Buffer.from(text));
    return 'read';
  } catch (error) {
    if (SnapshotError.is(error)) return error.reason;
    throw error;
  }
}

describe('JSON', () => {
  it('gives the same snapshot as the pickle, packed or not, with or without marks and spaces', async () => {
    const bare = columnsOf(await readFile(join(SHAPES, 't213.p4.pickle')));
    const text = readFileSync(join(SHAPES, 't213.json'));
    assert.deepEqual(columnsOf(await readFile(join(SHAPES, 't213.json.gz'))), bare);
    assert.deepEqual(columnsOf(await readBytes(text)), bare);
    const spaced = JSON.stringify(JSON.parse(text.toString()), null, '\t');
    assert.deepEqual(columnsOf(await readBytes(Buffer.from(`\ufeff \r\n${spaced}\n`))), bare);
  });

  it('gives the same snapshot as any pickle that Python writes as JSON, packed in any way', async function () {
    if (!hasPython()) {
      console.log('    skipped: no python3 to write with');
      this.skip();
    }
    // One trace contradicts its blocks, which only the sharing of a pickle can settle: JSON has none.
    const files = picklesUnder(SHAPES).filter((file) => !file.endsWith('cpp_pickler.pickle'));
    assert.ok(files.length > 20);
    const texts = asJson(files);
    for (const [i, file] of files.entries()) {
      const bare = columnsOf(await readFile(file));
      assert.deepEqual(columnsOf(await readBytes(texts[i])), bare, file);
      assert.deepEqual(columnsOf(await readBytes(gzipSync(texts[i]))), bare, file);
      const archive = zipArchive([{ name: 'a.json', bytes: deflateRawSync(texts[i]), unpacked: texts[i] }]);
      assert.deepEqual(columnsOf(await readBytes(archive)), bare, file);
      const saved = zipArchive([{ name: 'a/data.pkl', bytes: readFileSync(file) }]);
      assert.deepEqual(columnsOf(await readBytes(saved)), bare, file);
    }
  });

  it('gives the same snapshot whatever the size of the reads', async () => {
    const text = readFileSync(join(SHAPES, 't213.json'));
    const whole = columnsOf(await readBytes(text));
    for (const chunkSize of [1, 7, 4096, 8 << 20]) {
      assert.deepEqual(columnsOf(await readBytes(text, { chunkSize })), whole, `by ${chunkSize}`);
    }
  });

  it('cut at any byte is truncated', async () => {
    for (let length = 1; length < SMALL.length; length++) {
      assert.equal(await reasonOf(SMALL.slice(0, length)), 'truncated', SMALL.slice(0, length));
    }
    assert.equal(await reasonOf(SMALL), 'read');
  });

  it('keeps whole numbers of 64 bits exact, signed or not', async () => {
    const snapshot = await readBytes(
      Buffer.from(
        SMALL.replaceAll('4096', '18446720620317114368').replaceAll('"stream":0', '"stream":-9007199254740993'),
      ),
    );
    const address = (BigInt(snapshot.segments.addrHigh[0]) << 32n) | BigInt(snapshot.segments.addrLow[0]);
    assert.equal(address, 18446720620317114368n);
    assert.equal(snapshot.strings.text(snapshot.segments.stream[0]), String(2n ** 64n - 9007199254740993n));
    assert.equal(snapshot.events.addrHigh[0], snapshot.blocks.addrHigh[0]);
    assert.equal(eventTime(snapshot.events, 0), 1.5e15);
  });

  it('understands every escape, and surrogates alone or in pairs', async () => {
    const names = ['\\"\\\\\\/\\b\\f\\n\\r\\t', '\\u00e9\\u4e2d', '\\ud83d\\ude00', '\\ud83d', 'ünïcode', '\\u0041'];
    for (const name of names) {
      const { frames, strings } = await readBytes(Buffer.from(SMALL.replace('a.py', `${name}.py`)));
      const expected = JSON.parse(`"${name}"`) as string;
      const read = strings.text(frames.file[0]);
      // A lone surrogate is not a text in UTF-8: it is kept as bytes and shown as replacement characters.
      if (name === '\\ud83d') assert.match(read, /^\ufffd+\.py$/);
      else assert.equal(read, `${expected}.py`);
    }
  });

  it("reads Python's NaN and Infinity", async () => {
    const text = SMALL.replace('}', '}').replace(
      /\}$/,
      ',"allocator_settings":{"a":NaN,"b":-Infinity,"c":null,"d":1e3}}',
    );
    const { settings } = await readBytes(Buffer.from(text));
    assert.deepEqual(settings, { a: Number.NaN, b: Number.NEGATIVE_INFINITY, c: null, d: 1000 });
  });

  it('that is damaged, nested without end, or something else is refused', async () => {
    for (const text of [
      '{"segments":[}',
      '{"segments" 1}',
      '{segments:1}',
      '{"segments":[1,]}',
      '{"segments":tru}',
      '{"segments":01x}',
    ]) {
      assert.equal(await reasonOf(text), 'notASnapshot', text);
    }
    assert.equal(await reasonOf(`{"segments":${'['.repeat(100_000)}`), 'limit');
    assert.equal(await reasonOf('{"a": 1}'), 'notASnapshot');
    assert.equal(await reasonOf('[]'), 'notASnapshot');
    assert.equal(await reasonOf(`${SMALL}\n${SMALL}`), 'unsupported');
    assert.equal(await reasonOf('{"segments": 1}'), 'notASnapshot');
    assert.equal(await reasonOf('{"segments": [], "__proto__": {"x": 1}}'), 'read');
    assert.equal(({} as { x?: number }).x, undefined);
  });
});

describe('Viewer pages', () => {
  const pickled = readFileSync(join(SHAPES, 'cpp_pickler.pickle'));
  const page = (...snapshots: Uint8Array[]): string =>
    '<!DOCTYPE html>\n<html>\n<body>\n<script type="module">\nimport {add_local_files} from "https://cdn/MemoryViz.js"\n' +
    `const local_files = ${JSON.stringify(snapshots.map((bytes) => ({ name: 'snapshot.pickle', base64: Buffer.from(bytes).toString('base64') })))}\n`.replaceAll(
      '":"',
      '": "',
    ) +
    "add_local_files(local_files, 'Active Memory Timeline')\n</script>\n</body>\n</html>\n";

  it('hold the snapshot they show, padded or not', async () => {
    const bare = columnsOf(await readBytes(pickled));
    for (const padding of [0, 1, 2, 3]) {
      const snapshot = await readBytes(Buffer.from(page(Buffer.concat([pickled, Buffer.alloc(padding)]))));
      assert.deepEqual(columnsOf(snapshot), bare);
      assert.equal(snapshot.format, 'memoryViz/pickle');
    }
  });

  it('give the same snapshot whatever the size of the reads', async () => {
    const bytes = Buffer.from(page(pickled));
    const whole = columnsOf(await readBytes(bytes));
    for (const chunkSize of [1, 7, 4096]) assert.deepEqual(columnsOf(await readBytes(bytes, { chunkSize })), whole);
  });

  it('of several snapshots give each under a name of its own', async () => {
    const parts = ['cpp_pickler.pickle', 'pending_free.pickle', 't213.p4.pickle'].map((name) =>
      readFileSync(join(SHAPES, name)),
    );
    const found: [string, unknown][] = [];
    for await (const { path, result } of readAll(bytesSource('page.html', Buffer.from(page(...parts))))) {
      assert.equal(result.kind, 'snapshot');
      assert.equal(result.snapshot.format, 'memoryViz/pickle');
      found.push([path, columnsOf(result.snapshot)]);
    }
    const expected = await Promise.all(
      parts.map(async (bytes, i) => [`page.html#${i + 1}`, columnsOf(await readBytes(bytes))]),
    );
    assert.deepEqual(found, expected);
  });

  it('cut at any byte are truncated', async () => {
    const whole = page(readFileSync(join(SHAPES, 'cpp_pickler.pickle')));
    const end = whole.indexOf('"}]');
    for (let length = 1; length < end; length += length % 5 === 0 ? 3 : 1) {
      assert.equal(await reasonOf(whole.slice(0, length)), 'truncated', whole.slice(0, length).slice(-40));
    }
  });

  it('without a snapshot are reported by their kind', async () => {
    assert.equal(await reasonOf('<html><body>hello</body></html>'), 'notASnapshot');
    assert.equal(await reasonOf("<html><img src='data:image/png;base64,iVBO'></html>"), 'unsupported');
    assert.equal(await reasonOf(gzipSync(Buffer.from('<html></html>'))), 'notASnapshot');
  });
});
