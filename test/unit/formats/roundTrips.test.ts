/** Generated snapshots through every format: equal models, as far as the format can say. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateRawSync, gzipSync } from 'node:zlib';
import { hasPython } from '../../support/bruteForce.js';
import { columnsOf, compareWithPython, readable } from '../../support/columns.js';
import type { Picklable } from '../../support/plainPickle.js';
import { seededRandom } from '../../support/seededRandom.js';
import { generateSnapshot, type Block, type Generated } from '../../support/snapshotGenerator.js';
import { readBytes, readFile } from '../../support/snapshots.js';
import { jsonText, writePickles } from '../../support/writePickles.js';
import { zipArchive } from '../../support/zipWriter.js';

const SEEDS = Array.from({ length: 25 }, (_, i) => i + 1);

type Entries = Readonly<Record<string, Picklable>>;

function without(entries: Entries, ...keys: readonly string[]): Entries {
  return Object.fromEntries(Object.entries(entries).filter(([key]) => !keys.includes(key)));
}

/** The fields of releases before 2.1 in place of a block's frames. */
function withHistory(block: Block): Entries {
  const old = without(block, 'address', 'frames', 'requested_size');
  if (block.state === 'inactive' || block.frames.length === 0) return old;
  return { ...old, history: [{ addr: block.address, real_size: block.requested_size, frames: block.frames }] };
}

/** The layouts of older releases: what each cannot say is left out. */
const LAYOUTS: Readonly<Record<string, (whole: Generated) => Picklable>> = {
  // Times, but none of what came with 2.3 to 2.12.
  t22: ({ segments, device_traces: traces }) => ({
    segments,
    device_traces: traces.map((trace) =>
      trace.map((entry) => without(entry, 'compile_context', 'user_metadata', 'pool_id')),
    ),
  }),
  t21: ({ segments, device_traces: traces }) => ({
    segments,
    device_traces: traces.map((trace) =>
      trace.map((entry) => without(entry, 'compile_context', 'user_metadata', 'pool_id', 'time_us')),
    ),
  }),
  list: ({ segments }) => segments,
  t113: ({ segments }) =>
    segments.map((segment) => ({
      ...without(segment, 'frames', 'segment_pool_id', 'is_expandable', 'requested_size'),
      blocks: segment.blocks.map(withHistory),
    })),
  t110: ({ segments }) =>
    segments.map((segment) => ({
      ...without(segment, 'frames', 'segment_pool_id', 'is_expandable', 'requested_size', 'stream'),
      blocks: segment.blocks.map((block) => without(block, 'address', 'frames', 'requested_size')),
    })),
};

function page(bytes: Uint8Array): Buffer {
  const files = [{ name: 'snapshot.pickle', base64: Buffer.from(bytes).toString('base64') }];
  return Buffer.from(`<!DOCTYPE html>\n<script>\nconst local_files = ${JSON.stringify(files)}\n</script>\n</html>\n`);
}

describe('Generated snapshots', () => {
  const wholes = new Map(SEEDS.map((seed) => [seed, generateSnapshot(seededRandom(seed))]));
  let folder = '';
  const file = (seed: number, layout: string, ending: string): string => join(folder, `s${seed}-${layout}.${ending}`);

  before(function () {
    if (!hasPython()) {
      console.log('    skipped: no python3 to write with');
      this.skip();
    }
    folder = mkdtempSync(join(tmpdir(), 'leakline-formats-'));
    const values = new Map<string, Picklable>();
    for (const [seed, whole] of wholes) {
      values.set(`s${seed}-whole`, whole);
      for (const [layout, make] of Object.entries(LAYOUTS)) values.set(`s${seed}-${layout}`, make(whole));
    }
    writePickles(folder, values);
  });

  after(() => {
    if (folder !== '') rmSync(folder, { recursive: true });
  });

  it('are the same from every protocol, container and text that holds all of them', async () => {
    let blocks = 0;
    for (const [seed, whole] of wholes) {
      const pickled = readFileSync(file(seed, 'whole', 'p2.pickle'));
      const text = Buffer.from(jsonText(whole));
      const expected = await readBytes(pickled);
      blocks += expected.blocks.count;
      const forms: Record<string, Uint8Array> = {
        ...Object.fromEntries([3, 4, 5].map((n) => [`p${n}`, readFileSync(file(seed, 'whole', `p${n}.pickle`))])),
        legacy: readFileSync(file(seed, 'whole', 'legacy.pt')),
        torchSave: zipArchive([
          { name: 'snap/data.pkl', bytes: pickled },
          { name: 'snap/version', bytes: Buffer.from('3\n') },
        ]),
        zip64: zipArchive([{ name: 'snap/data.pkl', bytes: pickled }], { zip64: true }),
        deflated: zipArchive([{ name: 'a.pickle', bytes: deflateRawSync(pickled), unpacked: pickled }]),
        json: text,
        page: page(pickled),
      };
      for (const [form, bytes] of Object.entries(forms)) {
        assert.deepEqual(columnsOf(await readBytes(bytes)), columnsOf(expected), `seed ${seed} as ${form}`);
        // A zip archive is read from its end, and cannot be read through another compression.
        if (bytes[0] === 0x50) continue;
        const packed = await readBytes(gzipSync(bytes));
        assert.deepEqual(columnsOf(packed), columnsOf(expected), `seed ${seed} as ${form}, gzipped`);
      }
    }
    assert.ok(blocks > 500);
  });

  it('retain the facts of the program, the compiler and the driver on each event', async () => {
    const said = { metadata: 0, regions: 0, failures: 0, forward: 0 };
    for (const [seed, whole] of wholes) {
      const { events, failures, strings } = await readFile(file(seed, 'whole', 'p4.pickle'));
      const entries = whole.device_traces.flat();
      const texts = (column: Uint32Array | null): string[] =>
        entries.map((_, event) => (column === null ? '' : strings.text(column[event])));
      const metadata = entries.map(({ user_metadata: value }) =>
        typeof value === 'object' ? JSON.stringify(value) : String(value as string | number),
      );
      assert.deepEqual(texts(events.metadata), metadata, `seed ${seed}`);
      const regions = entries.map(({ compile_context: region }) => (region === 'N/A' ? '' : (region as string)));
      assert.deepEqual(texts(events.compileContext), regions, `seed ${seed}`);
      const failed = entries.flatMap(({ action, device_free: free }, event) =>
        action === 'oom' ? [[event, free as number]] : [],
      );
      assert.deepEqual(
        Array.from(failures.event, (event, i) => [event, failures.deviceFree[i]]),
        failed,
        `seed ${seed}`,
      );
      said.metadata += metadata.filter((text) => text !== '').length;
      said.regions += regions.filter((text) => text !== '').length;
      said.failures += failed.length;
      said.forward += events.forwardStack?.filter((stack) => stack > 0).length ?? 0;
    }
    assert.ok(
      Object.values(said).every((count) => count > 20),
      JSON.stringify(said),
    );
  });

  it('have the sums that CPython finds in them', async () => {
    const layouts = ['whole', ...Object.keys(LAYOUTS)];
    await compareWithPython(SEEDS.flatMap((seed) => layouts.map((layout) => file(seed, layout, 'p4.pickle'))));
  });

  it('of older layouts are equal, without facts that these lack', async () => {
    for (const seed of SEEDS) {
      const whole = readable(await readFile(file(seed, 'whole', 'p4.pickle')));
      const read = async (layout: string): Promise<ReturnType<typeof readable>> =>
        readable(await readFile(file(seed, layout, 'p4.pickle')));
      for (const layout of ['t22', 't21']) assert.deepEqual(await read(layout), whole, `seed ${seed} as ${layout}`);
      // Without traces a device without memory is not spoken of.
      const traceless = Object.fromEntries(
        Object.entries(whole.devices)
          .filter(([, { reserved }]) => reserved !== 0)
          .map(([device, sums]) => [device, { ...sums, events: 0 }]),
      );
      assert.deepEqual(await read('list'), { ...whole, devices: traceless }, `seed ${seed} as list`);
      const oldest = await readFile(file(seed, 't110', 'p4.pickle'));
      assert.ok(oldest.absent.includes('stacks') && oldest.absent.includes('trace'));
      const live = Object.entries(traceless).map(([device, { live: bytes, reserved }]) => [device, bytes, reserved]);
      for (const layout of ['t113', 't110']) {
        const { devices, stacks } = await read(layout);
        assert.deepEqual(
          Object.entries(devices).map(([device, sums]) => [device, sums.live, sums.reserved]),
          live,
          `seed ${seed} as ${layout}`,
        );
        if (layout === 't113') assert.deepEqual(sortedStacks(stacks), sortedStacks(whole.stacks), `seed ${seed}`);
      }
    }
  });

  it('of older layouts are the same from every protocol and as JSON', async () => {
    for (const [seed, whole] of wholes) {
      for (const [layout, make] of Object.entries(LAYOUTS)) {
        const expected = columnsOf(await readFile(file(seed, layout, 'p2.pickle')));
        for (const ending of ['p3.pickle', 'p4.pickle', 'p5.pickle', 'legacy.pt']) {
          assert.deepEqual(
            columnsOf(await readFile(file(seed, layout, ending))),
            expected,
            `${seed} ${layout} ${ending}`,
          );
        }
        const text = Buffer.from(jsonText(make(whole)));
        assert.deepEqual(columnsOf(await readBytes(text)), expected, `seed ${seed}, ${layout} as JSON`);
      }
    }
  });
});

function sortedStacks(stacks: readonly unknown[]): string[] {
  return stacks.map((stack) => JSON.stringify(stack)).sort();
}
