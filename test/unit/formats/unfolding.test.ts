import assert from 'node:assert/strict';
import { SnapshotError } from '../../../src/core/bytes/snapshotError.js';
import { PickleWriter } from '../../support/pickleWriter.js';
import { readBytes } from '../../support/snapshots.js';

type Write = (writer: PickleWriter) => unknown;

const text =
  (value: string): Write =>
  (writer) =>
    writer.text(value);

/** A snapshot whose trace holds the entries. */
function traceOf(entries: readonly Write[], settings: Write = (w) => w.dict({})): Uint8Array {
  return new PickleWriter()
    .dict({
      segments: (w) => w.list([]),
      allocator_settings: settings,
      device_traces: (w) => w.list([(v) => v.list(entries)]),
    })
    .stop();
}

const frame: Write = (w) => w.dict({ name: text('f'), filename: text('/a.py'), line: (v) => v.int(3) });

/** @returns what the file was taken for, or the sentence of the limit that it met */
async function outcome(bytes: Uint8Array): Promise<string> {
  try {
    await readBytes(bytes);
    return 'read';
  } catch (error) {
    assert.ok(SnapshotError.is(error, 'limit'), String(error));
    return error.message;
  }
}

/** Small files that mention a thing repeatedly, so that what they stand for is much larger. */
describe('What unfolds', () => {
  it('is a stack that grows by one frame at a time: long ones are read, endless ones are not', async () => {
    const grown = (frames: number): Uint8Array =>
      traceOf([
        (w) =>
          w.dict({
            action: text('alloc'),
            frames: (f) => {
              f.bytes(0x5d, 0x28);
              frame(f);
              f.bytes(0x94, 0x65);
              for (let i = 0; i < frames; i++) f.bytes(0x68, 0, 0x61);
            },
          }),
      ]);
    const { stacks, events } = await readBytes(grown(1000));
    assert.equal(stacks.offset[events.stack[0] + 1] - stacks.offset[events.stack[0]], 1001);
    for (const frames of [20_000, 200_000]) {
      assert.match(await outcome(grown(frames)), /the same stack far more often/);
    }
  });

  it('is not a deep stack that comes in parts of a thousand frames, as picklers write it', async () => {
    const frames = 20_000;
    const part: Write = (w) => {
      w.bytes(0x28);
      for (let i = 0; i < 1000; i++) w.bytes(0x68, 0);
      w.bytes(0x65);
    };
    const entry: Write = (w) =>
      w.dict({
        action: text('alloc'),
        frames: (f) => {
          f.bytes(0x5d);
          for (let i = 0; i < frames; i += 1000) part(f);
        },
      });
    const first: Write = (w) =>
      w.dict({
        action: text('alloc'),
        frames: (f) => {
          f.bytes(0x5d, 0x28);
          frame(f);
          f.bytes(0x94, 0x65);
        },
      });
    const { stacks, events } = await readBytes(traceOf([first, entry, entry]));
    assert.equal(stacks.offset[events.stack[2] + 1] - stacks.offset[events.stack[2]], frames);
    assert.equal(events.stack[1], events.stack[2]);
  });

  it('is a dictionary that holds another one twice, which holds another one twice, and so on', async () => {
    const laughs =
      (depth: number): Write =>
      (w) => {
        let slot = -1;
        const level = (below: number): void => {
          if (below === 0) {
            w.dict({ x: (v) => v.int(1) });
          } else {
            w.bytes(0x7d, 0x28).text('a');
            level(below - 1);
            w.text('b').bytes(0x68, slot, 0x75);
          }
          w.bytes(0x94);
          slot++;
        };
        level(depth);
      };
    const entry: Write = (w) => w.dict({ action: text('alloc') });
    const { settings } = await readBytes(traceOf([entry], laughs(4)));
    assert.equal(JSON.stringify(settings).split('"x"').length - 1, 16);
    for (const depth of [20, 60]) {
      assert.match(await outcome(traceOf([entry], laughs(depth))), /the same dictionary far more often/);
    }
    // The dictionary as metadata.
    const tagged: Write = (w) => w.dict({ action: text('alloc'), user_metadata: laughs(30) });
    assert.match(await outcome(traceOf([tagged])), /the same dictionary far more often/);
  });

  it('is a dictionary that holds itself', async () => {
    const self: Write = (w) => w.bytes(0x7d, 0x94, 0x28).text('x').bytes(0x4b, 1, 0x75).text('y').bytes(0x68, 0, 0x73);
    assert.match(await outcome(traceOf([], self)), /the same dictionary far more often/);
  });

  it('is a chain of more than a hundred dictionaries, although none of them repeats', async () => {
    const chain =
      (depth: number): Write =>
      (w) =>
        w.dict(depth === 1 ? {} : { x: chain(depth - 1) });
    assert.equal(await outcome(traceOf([], chain(100))), 'read');
    assert.match(await outcome(traceOf([], chain(101))), /the same dictionary far more often/);
  });

  it('is no dictionary of metadata, nor any list of the forward pass, that many entries mention', async () => {
    const entries = 5000;
    const lines = 300;
    const first: Write = (w) =>
      w.dict({
        action: text('alloc'),
        user_metadata: (v) =>
          v.dict(Object.fromEntries(Array.from({ length: lines }, (_, i) => [`key${i}`, text('x')]))).bytes(0x94),
        forward_frames: (v) =>
          v
            .list(Array.from({ length: lines }, (_, i) => text(`  File "/w/a.py", line ${i + 1}, in f\n    x\n`)))
            .bytes(0x94),
      });
    const again: Write = (w) =>
      w.dict({
        action: text('alloc'),
        user_metadata: (v) => v.bytes(0x68, 0),
        forward_frames: (v) => v.bytes(0x68, 1),
      });
    const { events, stacks } = await readBytes(traceOf([first, ...Array.from({ length: entries }, () => again)]));
    assert.equal(events.count, entries + 1);
    const stack = events.forwardStack?.[entries] ?? 0;
    assert.equal(stacks.offset[stack + 1] - stacks.offset[stack], lines);
    assert.equal(new Set(events.metadata).size, 1);
  });

  it('is a list that grows between any two entries that mention it', async () => {
    const entries: Write[] = [
      (w) => w.dict({ action: text('alloc'), forward_frames: (v) => v.list([text('x')]).bytes(0x94) }),
      ...Array.from(
        { length: 5000 },
        (): Write => (w) =>
          w.dict({ action: text('alloc'), forward_frames: (v) => v.bytes(0x68, 0).text('y').bytes(0x61) }),
      ),
    ];
    assert.match(await outcome(traceOf(entries)), /the same list far more often/);
  });

  it('is a frame of generated code that names a thousand others, in long stacks', async () => {
    const generated = (origins: number): Write => {
      const trace = Array.from({ length: origins }, (_, i) => `  File "/w/m.py", line ${i + 1}, in f\n    x\n`).join(
        '',
      );
      return (w) =>
        w.dict({
          name: text('call'),
          filename: text('/tmp/c.py'),
          line: (v) => v.int(1),
          fx_original_trace: text(trace),
        });
    };
    const file = (origins: number, mentions: number): Uint8Array =>
      traceOf([
        (w) =>
          w.dict({
            action: text('alloc'),
            frames: (f) => {
              f.bytes(0x5d, 0x28);
              generated(origins)(f);
              f.bytes(0x94);
              for (let i = 0; i < mentions; i++) f.bytes(0x68, 0);
              f.bytes(0x65);
            },
          }),
      ]);
    assert.equal(await outcome(file(20, 100)), 'read');
    assert.match(await outcome(file(5000, 50_000)), /the same frame of generated code far more often/);
  });
});
