import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SnapshotError } from '../../../src/core/bytes/snapshotError.js';
import { TorchSink } from '../../../src/core/formats/torch/torchSink.js';
import { torchMachine } from '../../../src/core/formats/torchPickle.js';
import { SnapshotBuilder } from '../../../src/core/model/snapshotBuilder.js';
import { Forgotten } from '../../../src/core/pickle/recordReader.js';
import { runPickle } from '../../../src/core/pickle/runPickle.js';
import { NONE_REF } from '../../../src/core/pickle/values.js';
import { bytesSource } from '../../support/bytesSource.js';
import { columnsOf } from '../../support/columns.js';
import { MemoWriter, type Dialect } from './memoWriter.js';
import { mutated } from '../../support/mutate.js';
import { seededRandom } from '../../support/seededRandom.js';
import { FIXTURES, readBytes } from '../../support/snapshots.js';

/** In pieces as small as this no record is read at once: the machine goes from opcode to opcode. */
const BY_OPCODES = { chunkSize: 100 };

const KEYS = ['action', 'addr', 'size', 'stream', 'time_us', 'compile_context', 'user_metadata', 'pool_id', 'frames'];

type Values = (key: string) => (writer: MemoWriter) => unknown;

/** A snapshot whose one trace has the entries. */
function snapshotOf(
  count: number,
  entry: (writer: MemoWriter, index: number) => unknown,
  writer = new MemoWriter(),
): Uint8Array {
  writer.dict([
    ['segments', (w) => w.list([])],
    [
      'device_traces',
      (w) =>
        w.list([(v) => v.list(Array.from({ length: count }, (_, index) => (e: MemoWriter) => entry(e, index))), empty]),
    ],
  ]);
  return writer.stop();
}

const empty = (writer: MemoWriter): unknown => writer.list([]);

/** The values of an honest entry under its keys. */
function values(random: (below: number) => number): Values {
  const action = ['alloc', 'free_requested', 'free_completed', 'segment_alloc', 'snapshot', 'other'][random(6)];
  const stack = random(40);
  return (key) => (writer) => {
    switch (key) {
      case 'action':
        return writer.shared(action);
      case 'addr':
        return writer.int(random(8) === 0 ? random(300) : 0x7f0000000000 + 512 * random(1 << 30));
      case 'size':
        return writer.int([random(256), random(1 << 16), random(0x7fffffff), 2 ** 33 + random(1000), -1][random(5)]);
      case 'stream':
        return writer.int(random(20) === 0 ? 0x55aa00000000 + random(4) : random(3));
      case 'time_us':
        return writer.int(1_760_000_000_000_000 + random(1 << 30));
      case 'compile_context':
        return writer.fresh(['N/A', 'N/A', 'abc', 'Torch-Compiled Region: 0/0', ''][random(5)]);
      case 'user_metadata':
        return writer.shared(['', 'phase', 'x'.repeat(300)][random(3)]);
      case 'pool_id':
        return writer.pair(random(2), random(3));
      case 'frames':
        return random(4) === 0
          ? writer.list([])
          : random(5) === 0
            ? writer.same(`stack ${stack}`, (w) => frames(w, stack))
            : frames(writer, stack);
      default:
        return writer.none();
    }
  };
}

/** What nearly all entries have; null under other keys. */
function plainOf(key: string): ((writer: MemoWriter) => unknown) | null {
  if (key === 'compile_context') return (writer) => writer.fresh('N/A');
  if (key === 'pool_id') return (writer) => writer.pair(0, 0);
  if (key === 'user_metadata') return (writer) => writer.shared('');
  return key === 'size' ? (writer) => writer.int(512) : null;
}

/** Equal for equal stacks; some have one frame, some more than fit into one batch. */
function frames(writer: MemoWriter, stack: number): unknown {
  const depth = stack === 0 ? 1 : stack === 1 ? 1200 : 3 + (stack % 17);
  return writer.list(
    Array.from({ length: depth }, (_, i) => {
      const line = ((stack + 1) * (i + 3)) % 61;
      return (w: MemoWriter) =>
        w.same(`frame ${line}`, (v) =>
          v.dict([
            ['name', (f) => f.fresh(`function${line}`)],
            ['filename', (f) => f.fresh(`/train/file${line % 7}.py`)],
            ['line', (f) => f.int(line)],
          ]),
        );
    }),
  );
}

async function assertSame(bytes: Uint8Array): Promise<void> {
  const outcomes = await Promise.all([readBytes(bytes, BY_OPCODES), readBytes(bytes)]);
  assert.deepEqual(columnsOf(outcomes[1]), columnsOf(outcomes[0]));
}

describe('Records', () => {
  it('are what the machine gives, with the same keys in the same order', async () => {
    const random = seededRandom(1);
    await assertSame(
      snapshotOf(2000, (writer) => {
        const of = values(random);
        writer.dict(KEYS.map((key) => [key, of(key)]));
      }),
    );
  });

  for (const [dialect, title] of [
    ['cpython4', 'CPython writes them with protocol 4'],
    ['cpython2', 'CPython writes them with protocol 2'],
    ['cpp', 'PyTorch’s C++ writer writes them'],
  ] as const) {
    it(`are what the machine gives, as ${title}, with keys in any order, left out, repeated and unknown`, async () => {
      const random = seededRandom(2);
      for (const frames of dialect === 'cpython4' ? [0, 40, 3] : [0]) {
        await assertSame(
          snapshotOf(
            2000,
            (writer) => {
              const of = values(random);
              let keys = KEYS.filter(() => random(12) > 0);
              if (random(3) === 0) keys.sort(() => random(3) - 1);
              if (random(6) === 0) keys = [...keys, KEYS[random(KEYS.length)]];
              if (random(6) === 0) keys.splice(random(keys.length + 1), 0, `unknown${random(5)}`);
              if (!keys.includes('action')) keys.unshift('action');
              writer.dict(keys.map((key) => [key, of(key)]));
            },
            new MemoWriter(dialect, () => frames > 0 && random(frames) === 0),
          ),
        );
      }
    });
  }

  it('are what the machine gives, with the kinds of entries that releases mix', async () => {
    const random = seededRandom(3);
    const texts = (writer: MemoWriter): unknown =>
      writer.list([
        (w) => w.shared('  File "/train/model.py", line 12, in forward\n    x = x * 2\n'),
        (w) => w.shared(`  File "/train/model.py", line ${random(3)}, in block\n    y = y + x\n`),
      ]);
    await assertSame(
      snapshotOf(1500, (writer) => {
        const of = values(random);
        const kind = random(4);
        const keys = kind === 0 ? ['action', 'device_free', 'size'] : kind === 1 ? KEYS.slice(0, -1) : KEYS;
        writer.dict([
          ...keys.map((key): [string, (writer: MemoWriter) => unknown] => [key, of(key)]),
          ...(random(5) === 0 ? [['forward_frames', texts] as [string, typeof texts]] : []),
          ...(random(9) === 0 ? [['category', of('user_metadata')] as [string, ReturnType<Values>]] : []),
        ]);
      }),
    );
  });

  it('are what the machine gives, where a file overwrites what it numbered', async () => {
    const random = seededRandom(4);
    await assertSame(
      snapshotOf(600, (writer, index) => {
        const of = values(random);
        if (index === 300) {
          // From here on "size" is called "stream", and a frame of many stacks is another.
          writer.overwrite('size', (w) => w.text('stream'));
          writer.overwrite('frame 7', (w) =>
            w.dict({ name: (f) => f.text('g'), filename: (f) => f.text('/g.py'), line: (f) => f.int(1) }),
          );
        }
        writer.dict(KEYS.map((key) => [key, of(key)]));
      }),
    );
  });

  for (const [what, ofKey] of [
    ['a text', { compile_context: (w) => w.same('late', (v) => v.fresh('N/A')) }],
    ['a pair', { pool_id: (w) => w.same('late', (v) => v.pair(0, 0)) }],
    ['an entry', { previous: (w) => w.same('late entry', empty) }],
  ] as [string, Record<string, (writer: MemoWriter) => unknown>][]) {
    it(`are what the machine gives, where a file refers to ${what} that the reader has left out`, async () => {
      const random = seededRandom(6);
      const bytes = snapshotOf(2000, (writer, index) => {
        const of = values(random);
        const isLate = index === 700 || index === 1500;
        const entry = (keys: string[]) => (w: MemoWriter) =>
          w.dict(keys.map((key) => [key, (isLate ? ofKey[key] : undefined) ?? plainOf(key) ?? of(key)]));
        if (index === 700) writer.same('late entry', entry(KEYS));
        else entry(isLate && 'previous' in ofKey ? [...KEYS, 'previous'] : KEYS)(writer);
      });
      const sink = new TorchSink(new SnapshotBuilder(2000), 'test');
      await assert.rejects(runPickle(bytesSource('test', bytes), torchMachine(sink, bytes.length)), Forgotten);
      await assertSame(bytes);
    });
  }

  it('leave most slots of the memo empty', async () => {
    const random = seededRandom(7);
    const bytes = snapshotOf(5000, (writer) => {
      const of = values(random);
      writer.dict(KEYS.map((key) => [key, plainOf(key) ?? of(key)]));
    });
    const machine = torchMachine(new TorchSink(new SnapshotBuilder(5000), 'test'), bytes.length);
    await runPickle(bytesSource('test', bytes), machine);
    let filled = 0;
    for (let slot = 0; slot < machine.memoized; slot++) if (machine.memoAt(slot) !== NONE_REF) filled++;
    assert.ok(machine.memoized > 15_000);
    assert.ok(filled < 0.1 * machine.memoized, `${filled} of ${machine.memoized}`);
  });

  it('changed in a few bytes give the same columns or the same error', async () => {
    const wholes = ['t213.p4', 't213.p2', 'cpp_pickler'].map((name) =>
      readFileSync(join(FIXTURES, `shapes/${name}.pickle`)),
    );
    const random = seededRandom(5);
    const outcome = async (bytes: Uint8Array, options: { chunkSize?: number }): Promise<unknown> => {
      try {
        return columnsOf(await readBytes(bytes, options));
      } catch (error) {
        if (SnapshotError.is(error)) return error.message;
        throw error;
      }
    };
    let errors = 0;
    for (let round = 0; round < 300; round++) {
      const bytes = mutated(wholes[round % 3], random);
      const expected = await outcome(bytes, BY_OPCODES);
      assert.deepEqual(await outcome(bytes, {}), expected, `round ${round}`);
      if (typeof expected === 'string') errors++;
    }
    assert.ok(errors > 60 && errors < 290);
  });

  it('end where something stands in a key’s place that is none', async () => {
    const whole = Buffer.from(
      snapshotOf(600, (writer) => {
        writer.dict([
          ['action', (w) => w.shared('alloc')],
          ['nothing', (w) => w.none()],
        ]);
      }),
    );
    // In the last entries, which are read at once in one case, behind their last value: NONE, SETITEMS.
    const end = whole.lastIndexOf('Nu', whole.lastIndexOf('Nu') - 1000) + 1;
    for (const foreign of ['', 'N', '\0\0N', '\0\0\0\0\0N', 'u\0N', 'u\0\0\0\0N']) {
      const bytes = Buffer.concat([whole.subarray(0, end), Buffer.from(foreign, 'latin1'), whole.subarray(end)]);
      const told = await Promise.all(
        [BY_OPCODES, {}].map((options) =>
          readBytes(bytes, options).then(
            (snapshot) => snapshot.events.count,
            (error: unknown) => (error as SnapshotError).message,
          ),
        ),
      );
      assert.equal(told[1], told[0], JSON.stringify(foreign));
      assert.equal(typeof told[0], foreign === '' ? 'number' : 'string', JSON.stringify(foreign));
    }
  });

  /** How often the sink gets a dictionary, and how often a list of frames is looked up, for a thousand equal entries. */
  async function seenOf(writer: MemoWriter): Promise<Record<'dictionaries' | 'lists' | 'entries', number>> {
    const seen = { dictionaries: 0, lists: 0, entries: 0 };
    const builder = new SnapshotBuilder(1000);
    const sink = new TorchSink(builder, 'test');
    const { stacks } = builder;
    const [setItems, intern] = [sink.setItems.bind(sink), stacks.intern.bind(stacks)];
    sink.setItems = (...of) => {
      seen.dictionaries++;
      return setItems(...of);
    };
    stacks.intern = (...of) => {
      seen.lists++;
      return intern(...of);
    };
    const bytes = snapshotOf(
      1000,
      (w) => {
        seen.entries++;
        w.dict([
          ['action', (v) => v.shared('alloc')],
          ['addr', (v) => v.int(0x7f0000000000 + seen.entries)],
          ['compile_context', (v) => v.fresh('N/A')],
          ['pool_id', (v) => v.pair(0, 0)],
          ['frames', (v) => frames(v, seen.entries === 500 ? 6 : 5)],
          ['forward', (v) => v.same(`nothing ${seen.entries}`, empty)],
        ]);
      },
      writer,
    );
    await runPickle(bytesSource('test', bytes), torchMachine(sink, bytes.length));
    assert.equal(builder.events.length, 1000);
    return seen;
  }

  for (const dialect of ['cpython4', 'cpython2', 'cpp'] as Dialect[]) {
    it(`are read at once, all but those that first name a key or end in the next piece (${dialect})`, async () => {
      const seen = await seenOf(new MemoWriter(dialect));
      assert.ok(seen.dictionaries < 30, JSON.stringify(seen));
      assert.ok(seen.lists < 30, JSON.stringify(seen));
    });
  }

  it('are read at once where the writer’s buffers end inside of them', async () => {
    let objects = 0;
    const seen = await seenOf(new MemoWriter('cpython4', () => ++objects % 101 === 0));
    assert.ok(seen.dictionaries < 40, JSON.stringify(seen));
  });

  it('are read by the machine alone where there is no WebAssembly', async () => {
    const bytes = readFileSync(join(FIXTURES, 'recordings/node_cycle/snapshots/step48.pickle'));
    const { WebAssembly } = globalThis;
    const expected = columnsOf(await readBytes(bytes));
    try {
      Reflect.deleteProperty(globalThis, 'WebAssembly');
      assert.deepEqual(columnsOf(await readBytes(bytes)), expected);
    } finally {
      globalThis.WebAssembly = WebAssembly;
    }
  });
});
