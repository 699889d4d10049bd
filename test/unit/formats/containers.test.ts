import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateRawSync, gzipSync } from 'node:zlib';
import { SnapshotError } from '../../../src/core/bytes/snapshotError.js';
import { readAll } from '../../../src/core/formats/readSnapshot.js';
import { bytesSource } from '../../support/bytesSource.js';
import { columnsOf } from '../../support/columns.js';
import { FIXTURES, readBytes, readFile } from '../../support/snapshots.js';
import { zipArchive } from '../../support/zipWriter.js';

const SHAPES = join(FIXTURES, 'shapes');
const CONTAINERS: readonly (readonly [file: string, format: string])[] = [
  ['t213_torchsave.pt', 'torchSave/pickle'],
  ['t213_torchsave_legacy.pt', 'torchSaveLegacy/pickle'],
  ['t213.gz', 'gzip/pickle'],
];

function fixture(name: string): Buffer {
  return readFileSync(join(SHAPES, name));
}

async function errorOf(bytes: Uint8Array): Promise<SnapshotError> {
  const error: unknown = await readBytes(bytes).then(
    () => null,
    (reason: unknown) => reason,
  );
  assert.ok(SnapshotError.is(error), `read, or failed with ${String(error)}`);
  return error;
}

describe('Containers', () => {
  it('hold the same snapshot as the bare pickle', async () => {
    const bare = columnsOf(await readFile(join(SHAPES, 't213.p4.pickle')));
    for (const [file, format] of CONTAINERS) {
      const snapshot = await readFile(join(SHAPES, file));
      assert.deepEqual(columnsOf(snapshot), bare, file);
      assert.equal(snapshot.format, format);
      assert.equal(snapshot.fileBytes, fixture(file).length);
    }
  });

  it('are the same whatever the size of the reads', async () => {
    for (const [file] of CONTAINERS) {
      const whole = columnsOf(await readBytes(fixture(file)));
      for (const chunkSize of [1, 7, 4096, 8 << 20]) {
        assert.deepEqual(columnsOf(await readBytes(fixture(file), { chunkSize })), whole, `${file} by ${chunkSize}`);
      }
    }
  });

  it('cut at any byte are truncated', async () => {
    const small = fixture('cpp_pickler.pickle');
    const legacy = fixture('t213_torchsave_legacy.pt');
    for (const whole of [
      gzipSync(small),
      zipArchive([{ name: 'a/data.pkl', bytes: small }]),
      zipArchive([{ name: 'a/data.pkl', bytes: small }], { zip64: true }),
      zipArchive([{ name: 'snapshot.pickle', bytes: deflateRawSync(small), unpacked: small }]),
      Buffer.concat([legacy.subarray(0, 300), legacy.subarray(-40)]),
    ]) {
      const last = whole[0] === 0x80 ? 300 : whole.length;
      for (let length = 4; length < last; length++) {
        const error = await errorOf(whole.subarray(0, length));
        assert.equal(error.reason, 'truncated', `cut at ${length}: ${error.message}`);
      }
    }
    for (let cut = 1; cut < 40; cut++) {
      assert.equal((await errorOf(legacy.subarray(0, legacy.length - cut))).reason, 'truncated');
    }
  });

  it('are files of torch.save before 1.6, with any protocol', async () => {
    const framed = (protocol: number, body: readonly number[]): Buffer =>
      Buffer.from([0x80, protocol, ...(protocol < 4 ? [] : [0x95, body.length, 0, 0, 0, 0, 0, 0, 0]), ...body]);
    const magic = [0x8a, 0x0a, 0x6c, 0xfc, 0x9c, 0x46, 0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19, 0x2e];
    const bare = columnsOf(await readBytes(fixture('t213.p4.pickle')));
    for (const protocol of [2, 3, 4, 5]) {
      const file = Buffer.concat([
        framed(protocol, magic),
        framed(protocol, [0x4d, 0xe9, 0x03, 0x2e]),
        framed(protocol, [0x7d, 0x2e]),
        fixture(`t213.p${protocol}.pickle`),
        framed(protocol, [0x5d, 0x2e]),
      ]);
      const snapshot = await readBytes(file);
      assert.equal(snapshot.format, 'torchSaveLegacy/pickle');
      assert.deepEqual(columnsOf(snapshot), bare, `protocol ${protocol}`);
      for (let length = 4; length < 40; length++) {
        assert.equal((await errorOf(file.subarray(0, length))).reason, 'truncated', `protocol ${protocol}, ${length}`);
      }
    }
  });

  it('are opened one in another, but not without end', async () => {
    const bare = columnsOf(await readFile(join(SHAPES, 't213.p4.pickle')));
    const zipped = zipArchive([{ name: 'snapshot.pickle.gz', bytes: fixture('t213.gz') }]);
    const nested = await readBytes(zipped);
    assert.deepEqual(columnsOf(nested), bare);
    assert.equal(nested.format, 'zip/gzip/pickle');
    // A zip archive is read from its end, which compressed data does not have before all of it is unpacked.
    assert.equal((await errorOf(gzipSync(zipped))).reason, 'unsupported');
    let endless: Uint8Array = fixture('t213.p4.pickle');
    for (let i = 0; i < 10; i++) endless = gzipSync(endless);
    assert.equal((await errorOf(endless)).reason, 'limit');
  });

  it('of several gzip members are read as one', async () => {
    const bytes = fixture('t213.p4.pickle');
    const members = Buffer.concat([gzipSync(bytes.subarray(0, 9000)), gzipSync(bytes.subarray(9000))]);
    assert.deepEqual(columnsOf(await readBytes(members)), columnsOf(await readBytes(bytes)));
  });

  it('with ZIP64 records and a comment are read', async () => {
    const bytes = fixture('t213.p4.pickle');
    const archive = zipArchive(
      [
        { name: 'snap/data.pkl', bytes },
        { name: 'snap/version', bytes: Buffer.from('3\n') },
      ],
      {
        zip64: true,
        comment: 'made by hand',
      },
    );
    assert.deepEqual(columnsOf(await readBytes(archive)), columnsOf(await readBytes(bytes)));
  });

  it('that unfold without measure stop at a limit', async () => {
    // A pickle that pushes nothing and pops it again, a hundred million times.
    const bomb = gzipSync(Buffer.concat([Buffer.from([0x80, 4]), Buffer.alloc(100 << 20, 'N0')]), {
      level: 9,
    });
    assert.ok(bomb.length < 200_000);
    assert.equal((await errorOf(bomb)).reason, 'limit');
  });

  it('of several snapshots give each, and report omitted ones of inner containers', async () => {
    const names = ['t213.p4.pickle', 't213.gz', 'pending_free.pickle'];
    const files = names.map((name) => ({ name: `run/${name}`, bytes: fixture(name) }));
    const archive = zipArchive([{ name: 'notes.txt', bytes: Buffer.from('x') }, ...files]);
    const found: unknown[] = [];
    for await (const { path, result } of readAll(bytesSource('run.zip', archive))) {
      assert.equal(path, `run.zip#${found.length + 1}`);
      assert.equal(result.kind, 'snapshot');
      found.push(columnsOf(result.snapshot));
    }
    assert.deepEqual(found, await Promise.all(names.map(async (name) => columnsOf(await readBytes(fixture(name))))));

    const small = fixture('cpp_pickler.pickle').toString('base64');
    const page = `<script>const local_files = [{"base64": "${small}"}, {"base64": "${small}"}]</script></html>`;
    const nested = zipArchive([
      { name: 'a.pickle', bytes: Buffer.from(page) },
      { name: 'b.pickle', bytes: fixture('pending_free.pickle') },
    ]);
    const { warnings } = await readBytes(nested);
    assert.match(warnings.find(({ code }) => code === 'moreSnapshots')?.message ?? '', /holds 2 snapshots/);
  });

  it('of many small files are searched in reads that serve many of them', async () => {
    const archive = zipArchive(
      Array.from({ length: 1000 }, (_, i) => ({ name: `${i}.txt`, bytes: Buffer.from(`notes ${i}`) })),
    );
    const source = bytesSource('x.zip', archive);
    let reads = 0;
    const counted = { ...source, read: (at: number, into: Uint8Array) => (reads++, source.read(at, into)) };
    await assert.rejects(readAll(counted).next(), /a zip archive of 1000 files, none of them a snapshot/);
    assert.ok(reads < 100, `${reads} reads`);
  });

  it('of several files are searched for snapshots by content, not by name', async () => {
    const snapshot = fixture('pending_free.pickle');
    const page = `<script>const local_files = [{"base64": "${snapshot.toString('base64')}"}]</script></html>`;
    const archive = zipArchive([
      { name: 'memory_snapshot.json', bytes: snapshot },
      { name: 'notes.pickle', bytes: Buffer.from('no pickle') },
      { name: 'run1/data.pkl', bytes: snapshot },
      { name: 'run2/data.pkl', bytes: snapshot },
      { name: 'coverage.html', bytes: Buffer.from('<html></html>') },
      { name: 'memory', bytes: gzipSync(snapshot) },
      { name: 'logs.tar.gz', bytes: gzipSync(Buffer.from('text')) },
      { name: 'trace.htm', bytes: Buffer.from(page) },
    ]);
    const expected = columnsOf(await readBytes(snapshot));
    const found: string[] = [];
    for await (const { path, result } of readAll(bytesSource('run.zip', archive))) {
      found.push(path);
      assert.equal(result.kind, 'snapshot');
      assert.deepEqual(columnsOf(result.snapshot), expected);
    }
    assert.deepEqual(
      found,
      [1, 2, 3, 4, 5].map((member) => `run.zip#${member}`),
    );
  });

  it('name their content if it is not a snapshot', async () => {
    const two = zipArchive([
      { name: 'a.txt', bytes: Buffer.from('a') },
      { name: 'b.txt', bytes: Buffer.from('b') },
    ]);
    const several = await errorOf(two);
    assert.equal(several.reason, 'unsupported');
    assert.match(several.message, /archive of 2 files/);
    assert.equal((await errorOf(gzipSync(Buffer.from('hello')))).reason, 'notASnapshot');
    // What a saved model looks like: tensors are fetched by persistent ids, and their making is a call.
    const model = Buffer.concat([Buffer.from([0x80, 2]), Buffer.from('ccollections\nOrderedDict\n.')]);
    const weights = { name: 'm/data/0', bytes: Buffer.alloc(40) };
    const saved = await errorOf(zipArchive([{ name: 'm/data.pkl', bytes: model }, weights]));
    assert.equal(saved.reason, 'notASnapshot');
    assert.match(saved.message, /^test\.pickle is a saved model or checkpoint, not a memory snapshot\. Choose /);
    // A pickle without tensors is not a model.
    const other = await errorOf(zipArchive([{ name: 'm/data.pkl', bytes: model }]));
    assert.equal(other.reason, 'forbidden');
    assert.match(other.message, /collections\.OrderedDict at byte 2/);
  });

  it('report their progress to the end, and stop on request', async () => {
    for (const [file] of CONTAINERS) {
      const told: number[] = [];
      await readBytes(fixture(file), { chunkSize: 4096, onProgress: (fraction) => told.push(fraction) });
      assert.equal(told.at(-1), 1, file);
      assert.deepEqual(
        told,
        [...told].sort((a, b) => a - b),
        file,
      );
      const controller = new AbortController();
      const reading = readBytes(fixture(file), {
        signal: controller.signal,
        onProgress: () => {
          controller.abort();
        },
      });
      await assert.rejects(reading, (error) => SnapshotError.is(error, 'cancelled'));
    }
  });

  it('that are damaged are refused or read as they were, never as something else', async () => {
    const bytes = gzipSync(fixture('cpp_pickler.pickle'));
    const whole = columnsOf(await readBytes(bytes));
    let refused = 0;
    for (let at = 10; at < bytes.length; at++) {
      const changed = Uint8Array.from(bytes);
      changed[at] ^= 0x10;
      const result: unknown = await readBytes(changed).then(columnsOf, (error: unknown) => error);
      if (SnapshotError.is(result)) refused++;
      else assert.deepEqual(result, whole, `byte ${at}`);
    }
    assert.ok(refused > (bytes.length - 10) / 2);
  });
});
