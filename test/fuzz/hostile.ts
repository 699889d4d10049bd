/** Files made to take a reader down: small ones that stand for much, and much that stands for nothing. */
import { deflateRawSync, gzipSync } from 'node:zlib';
import { PickleWriter } from '../support/pickleWriter.js';
import { zipArchive } from '../support/zipWriter.js';

/** What is given to the command line at once. */
export interface Attack {
  readonly name: string;
  /** By file name. */
  readonly files: () => Record<string, string | Uint8Array>;
}

type Write = (writer: PickleWriter) => unknown;

const MB = 1 << 20;
const text =
  (value: string): Write =>
  (w) =>
    w.text(value);
const int =
  (value: number): Write =>
  (w) =>
    w.int(value);
const times = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));

function frame(name: string, file: string, line: number): Write {
  return (w) => w.dict({ name: text(name), filename: text(file), line: int(line) });
}

/** A snapshot of these segments, and of one trace per list of entries. */
function snapshot(segments: readonly Write[], traces: readonly (readonly Write[])[] = []): Uint8Array {
  return new PickleWriter()
    .dict({
      segments: (w) => w.list(segments),
      device_traces: (w) => w.list(traces.map((entries) => (v: PickleWriter) => v.list(entries))),
    })
    .stop();
}

/** A segment of one live block. */
function segment(device: number, address: number, frames: Write, texts: Record<string, Write> = {}): Write {
  const block: Write = (w) =>
    w.dict({
      address: int(address),
      size: int(512),
      requested_size: int(500),
      state: text('active_allocated'),
      frames,
    });
  return (w) =>
    w.dict({
      device: int(device),
      address: int(address),
      total_size: int(512),
      stream: int(0),
      segment_type: text('large'),
      blocks: (v) => v.list([block]),
      ...texts,
    });
}

const noFrames: Write = (w) => w.list([]);

function entry(action: string, address: number, frames: Write = noFrames): Write {
  return (w) => w.dict({ action: text(action), addr: int(address), size: int(512), time_us: int(address), frames });
}

/** A whole small snapshot, with foreign bytes in one of three places. */
function withBytes(place: number, bytes: Uint8Array): Uint8Array {
  const odd: Write = (w) => w.raw(bytes);
  const writer = new PickleWriter();
  if (place === 0) writer.raw(bytes);
  writer.dict({
    segments: (w) => w.list([segment(0, 512, noFrames, place === 1 ? { frames: odd } : {})]),
    device_traces: (w) => w.list([(v) => v.list([entry('alloc', 512)])]),
  });
  if (place === 2) writer.raw(bytes);
  return writer.stop();
}

/** Every opcode in three places, with arguments that mean as much as may be. */
function opcodes(place: number, argument: number): Attack {
  return {
    name: `every opcode, place ${place}, arguments ${argument}`,
    files: () =>
      Object.fromEntries(
        times(256, (op) => [
          `${place}_${argument}_${op}.pickle`,
          withBytes(place, Uint8Array.of(op, ...times(9, () => argument))),
        ]),
      ),
  };
}

function pickle(name: string, write: (writer: PickleWriter) => PickleWriter): Attack {
  return { name, files: () => ({ 'x.pickle': write(new PickleWriter()).stop() }) };
}

function one(name: string, make: () => string | Uint8Array, file = 'x.pickle'): Attack {
  return { name, files: () => ({ [file]: make() }) };
}

/** A list that holds the list before it twice, and so on. */
function doubling(levels: number): (writer: PickleWriter) => PickleWriter {
  return (w) => {
    w.bytes(0x5d, 0x94);
    for (let level = 0; level < levels; level++) w.bytes(0x5d, 0x94, 0x28, 0x68, level, 0x68, level, 0x65);
    return w;
  };
}

/** Frames that are written once, and stacks that name them again. */
function deepStacks(stacks: number, depth: number, distinct: number, name: (i: number) => string): Uint8Array {
  const frames = (stack: number): Write => {
    return (w) => {
      w.bytes(0x5d, 0x28);
      for (let i = 0; i < depth; i++) {
        const id = i === 0 ? stack % distinct : i % distinct;
        w.bytes(0x6a, id & 255, (id >> 8) & 255, (id >> 16) & 255, 0);
      }
      return w.bytes(0x65);
    };
  };
  const writer = new PickleWriter().bytes(0x28);
  for (let i = 0; i < distinct; i++) {
    frame(name(i), name(i), i)(writer);
    writer.bytes(0x94);
  }
  writer.bytes(0x31); // POP_MARK
  writer.dict({
    segments: (w) => w.list(times(stacks, (i) => segment(0, 512 * (i + 1), frames(i)))),
    device_traces: (w) => w.list([]),
  });
  return writer.stop();
}

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...varint(Math.floor(value / 128))];
}

function field(id: number, content: readonly number[] | Uint8Array | number): Uint8Array {
  if (typeof content === 'number') return Uint8Array.from([...varint(id * 8), ...varint(content)]);
  return Buffer.concat([Uint8Array.from([...varint(id * 8 + 2), ...varint(content.length)]), Uint8Array.from(content)]);
}

/** @param lines of its one location @param locations that each sample names */
function profile(samples: number, locations: number, lines: number, devices = 1): Uint8Array {
  const texts = ['', 'allocations', 'count', 'space', 'bytes', 'kind', 'buffer', 'device', 'f', 'f.py'];
  const label = (key: number, value: number): Uint8Array => field(3, Buffer.concat([field(1, key), field(2, value)]));
  const devicesAt = texts.length;
  return Buffer.concat([
    field(1, Buffer.concat([field(1, 1), field(2, 2)])),
    field(1, Buffer.concat([field(1, 3), field(2, 4)])),
    ...times(samples, (i) =>
      field(
        2,
        Buffer.concat([
          field(
            1,
            times(locations, () => 1),
          ),
          field(2, [1, ...varint(512)]),
          label(5, 6),
          label(7, devicesAt + (i % devices)),
        ]),
      ),
    ),
    field(4, Buffer.concat([field(1, 1), ...times(lines, (i) => field(4, Buffer.concat([field(1, 1), field(2, i)])))])),
    field(5, Buffer.concat([field(1, 1), field(2, 8), field(4, 9)])),
    ...texts.map((value) => field(6, Buffer.from(value))),
    ...times(devices, (i) => field(6, Buffer.from(`TPU_${i}`))),
  ]);
}

function chrome(events: readonly object[]): string {
  return JSON.stringify({ schemaVersion: 1, traceEvents: events });
}

function memoryEvent(ts: number, device: number): object {
  const args = { 'Device Type': 1, 'Device Id': device, Addr: Math.ceil(ts), Bytes: 512, 'Total Allocated': 512 };
  return { ph: 'i', name: '[memory]', pid: 1, tid: 1, ts, args };
}

function gzipHeader(name: Uint8Array): Uint8Array {
  return Buffer.concat([Uint8Array.of(0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3), name, Uint8Array.of(0)]);
}

/** All members lie in the same place. */
function overlapping(members: number, bytes: Uint8Array): Uint8Array {
  const archive = zipArchive(times(members, (i) => ({ name: `${i}.pickle`, bytes: new Uint8Array(0) })));
  const packed = deflateRawSync(bytes);
  const head = Buffer.alloc(30);
  head.writeUInt32LE(0x04034b50, 0);
  head.writeUInt16LE(8, 8);
  const shift = head.length + packed.length;
  const end = archive.length - 22;
  const from = archive.readUInt32LE(end + 16);
  for (let at = from; at < end; at += 46 + archive.readUInt16LE(at + 28)) {
    archive.writeUInt16LE(8, at + 10);
    archive.writeUInt32LE(packed.length, at + 20);
    archive.writeUInt32LE(bytes.length, at + 24);
    archive.writeUInt32LE(0, at + 42);
  }
  archive.writeUInt32LE(shift, end + 16);
  return Buffer.concat([head, packed, archive.subarray(from)]);
}

/** Beside a snapshot that is good. */
function sidecar(name: string, content: () => string): Attack {
  return {
    name: `a sidecar: ${name}`,
    files: () => ({
      'x.pickle': snapshot([segment(0, 512, (w) => w.list([frame('f', '/a/b.py', 1)]))]),
      'x.leakline.json': content(),
    }),
  };
}

const schema = '"schema":"leakline.recording/2","step":1';

export const ATTACKS: readonly Attack[] = [
  ...[0, 1, 2].flatMap((place) => [0, 1, 0x7f, 0xff].map((argument) => opcodes(place, argument))),

  pickle('lists in lists', (w) => w.raw(new Uint8Array(5 * MB).fill(0x5d))),
  pickle('marks', (w) => w.raw(new Uint8Array(20 * MB).fill(0x28))),
  pickle('dictionaries', (w) => w.raw(new Uint8Array(20 * MB).fill(0x7d))),
  pickle('tuples of tuples', (w) => w.bytes(0x29).raw(new Uint8Array(5 * MB).fill(0x85))),
  pickle('numbers in the memo', (w) => w.bytes(0x4b, 1).raw(new Uint8Array(20 * MB).fill(0x94))),
  pickle('a list of itself, doubled 60 times', doubling(60)),
  pickle('a memo slot far away', (w) => w.bytes(0x5d, 0x72, 0xff, 0xff, 0xff, 0x7f)),
  pickle('a text that says it is 8 EB long', (w) => w.bytes(0x8d, 0, 0, 0, 0, 0, 0, 0, 0x70)),
  pickle('an integer of 2 GB', (w) => w.bytes(0x8b, 0xff, 0xff, 0xff, 0x7f)),
  pickle('a frame of 8 EB', (w) => w.bytes(0x95, 0, 0, 0, 0, 0, 0, 0, 0x70)),
  pickle('different keys', (w) => w.dict(Object.fromEntries(times(400_000, (i) => [`key${i}`, int(i)] as const)))),
  pickle('settings in settings', (w) => {
    w.bytes(0x7d, 0x28).text('segments').bytes(0x5d).text('allocator_settings');
    for (let i = 0; i < 100_000; i++) w.bytes(0x7d, 0x28).text('a');
    return w.int(1).raw(new Uint8Array(100_001).fill(0x75));
  }),

  one('zeros, a thousand times packed', () => gzipSync(new Uint8Array(512 * MB))),
  one('a pickle of nothing, packed', () =>
    gzipSync(Buffer.concat([Uint8Array.of(0x80, 4), new Uint8Array(400 * MB).fill(0x5d)])),
  ),
  one('gzip in gzip', () => times(12, () => 0).reduce((bytes: Uint8Array) => gzipSync(bytes), new Uint8Array(100))),
  one('a gzip file whose name is 40 MB long', () => gzipHeader(new Uint8Array(40 * MB).fill(0x61))),
  one('a gzip file of empty blocks', () =>
    Buffer.concat([gzipHeader(Uint8Array.of(0x61)), Buffer.alloc(40 * MB, Uint8Array.of(0, 0, 0, 0xff, 0xff))]),
  ),
  one('a gzip file of 500,000 empty members', () => Buffer.alloc(20 * 500_000, gzipSync(''))),
  one('a zip bomb', () => {
    const unpacked = new Uint8Array(512 * MB);
    return zipArchive([{ name: 'a/data.pkl', bytes: deflateRawSync(unpacked), unpacked }]);
  }),
  one('256 members of a zip archive in one place', () =>
    overlapping(256, Buffer.from(doubling(20)(new PickleWriter()).stop())),
  ),
  one('a zip archive of 200,000 members', () =>
    zipArchive(times(200_000, (i) => ({ name: `${i}.txt`, bytes: new Uint8Array(0) }))),
  ),
  one(
    'a page of base64',
    () => `<html><script>\nconst local_files = [${'{"name": "x", "base64": "gASVCg=="}, '.repeat(200_000)}`,
    'x.html',
  ),

  one('80,000 devices with segments', () => snapshot(times(80_000, (i) => segment(i, 512 * i, noFrames)))),
  one('80,000 devices with empty traces', () =>
    snapshot(
      [],
      times(80_000, () => []),
    ),
  ),
  one('80,000 devices with traces', () =>
    snapshot(
      [],
      times(80_000, (i) => [entry('alloc', i)]),
    ),
  ),
  one('128 devices with segments and traces', () =>
    snapshot(
      times(12_800, (i) => segment(i % 128, 512 * (i + 1), noFrames)),
      times(128, (device) => times(200, (i) => entry('alloc', 512 * (device + 128 * i + 1)))),
    ),
  ),
  one('20,000 devices of a profiler', () => chrome(times(20_000, (i) => memoryEvent(i, i))), 'x.json'),
  one('20,000 devices of JAX', () => profile(20_000, 1, 1, 20_000), 'x.pb'),

  one('names of 1 MB', () => deepStacks(5000, 30, 20, (i) => String(i).padStart(MB, 'a'))),
  one('20,000 names of 1 kB', () => deepStacks(5000, 30, 20_000, (i) => String(i).padStart(500, '/'))),
  one('stacks of 1,000 frames', () => deepStacks(10_000, 1000, 300, (i) => `f${i}`)),
  one('names that act on a terminal', () => deepStacks(50, 3, 50, (i) => `\u001b]0;${i}\u0007\u202e=cmd|' /C'!A0\n`)),
  one('long names of pools and streams', () =>
    snapshot(
      times(2000, (i) => segment(0, 512 * (i + 1), noFrames, { segment_pool_id: text(`${i}`.padStart(8000, '0')) })),
    ),
  ),
  one('100,000 stacks', () =>
    snapshot(times(100_000, (i) => segment(0, 512 * (i + 1), (w) => w.list([frame(`f${i}`, '/a.py', i)])))),
  ),
  one('a trace that allocates at one address', () => snapshot([], [times(200_000, () => entry('alloc', 512))])),

  one(
    '30,000 calls in each other, and as many events',
    () =>
      chrome([
        ...times(30_000, (i) => ({ ph: 'X', cat: 'python_function', name: `f${i}`, pid: 1, tid: 1, ts: i, dur: 1e9 })),
        ...times(30_000, (i) => memoryEvent(i + 0.5, 0)),
      ]),
    'x.json',
  ),
  one('JSON in JSON', () => '['.repeat(5 * MB), 'x.json'),
  one('a JSON number of 5 MB', () => `{"segments":[{"device":${'1'.repeat(5 * MB)}}]}`, 'x.json'),
  one('a JSON text of 40 MB', () => `{"segments":[],"a":"${'\\u0041'.repeat(7 * MB)}"}`, 'x.json'),

  one('a profile whose location is 2,000 frames', () => profile(2000, 2000, 2000), 'x.pb'),
  one('a profile of small fields', () => Buffer.concat([profile(1, 1, 1), Buffer.alloc(20 * MB, field(9, 1))]), 'x.pb'),
  one('a profile that nests itself', () => field(1, field(1, field(1, field(1, new Uint8Array(MB))))), 'x.pb'),

  one('a graph of cycles of 30 MB', () => `digraph {\n${'a -> b [label="x"];\n'.repeat(1_500_000)}}`, 'cycle.dot'),
  one(
    'a log of many devices',
    () =>
      `timestamp, index, memory.used [MiB]\n${times(200_000, (i) => `2026/01/01 00:00:00.000, ${i}, ${i} MiB`).join('\n')}`,
    'nvidia-smi.csv',
  ),
  one(
    'one line of a log, 20 MB long',
    () => `timestamp, index, memory.used [MiB]\n${'1,'.repeat(10 * MB)}`,
    'nvidia-smi.csv',
  ),
  one(
    'a log of different words',
    () => times(20_000, (i) => JSON.stringify({ [`a${i}.current`]: i })).join('\n'),
    'memory_stats.jsonl',
  ),

  sidecar('lists in lists', () => '['.repeat(10 * MB)),
  sidecar('10 million steps', () => `{${schema},"stepTimes":{"endedAtUs":[${'1,'.repeat(10_000_000)}1]}}`),
  sidecar('owners of many sites', () => {
    const sites = `[${'{"file":"/a.py","line":1,"bytes":1},'.repeat(20)}{}]`;
    return `{${schema},"holders":{"owners":[${`{"name":"a","file":"/a.py","line":1,"allocatedAt":${sites}},`.repeat(9000)}{}]}}`;
  }),
  sidecar(
    'nothing that is meant',
    () =>
      `{${schema},"stepTimes":7,"devices":{"a":1},"holders":[[]],"sources":"x","loops":[null,{}],"containers":{},"releases":[1]}`,
  ),
  sidecar('more than is read', () => `{${schema},"run":"${'a'.repeat(33 * MB)}"}`),
];

/** Python sources in place of those that leaked. */
export const SOURCES: readonly { name: string; text: () => string }[] = [
  { name: 'parentheses', text: () => '('.repeat(500_000) },
  { name: 'brackets in one expression', text: () => `x = ${'['.repeat(50_000)}1${']'.repeat(50_000)}` },
  { name: 'blocks in blocks', text: () => times(2000, (i) => `${' '.repeat(i)}if x:`).join('\n') },
  { name: 'additions', text: () => `x = ${'1 + '.repeat(200_000)}1` },
  { name: 'calls of calls', text: () => `x = f${'()'.repeat(200_000)}` },
  { name: 'attributes', text: () => `x = a${'.b'.repeat(200_000)}` },
  { name: 'decorators', text: () => '@a\n'.repeat(200_000) },
  { name: 'a text without an end', text: () => `x = """${'a\n'.repeat(400_000)}` },
  { name: 'formatted texts in each other', text: () => `x = ${'f"{'.repeat(20_000)}` },
  {
    name: 'functions that call each other',
    text: () =>
      times(20_000, (i) => `def f${i}(x):\n  return f${(i * 7) % 20_000}(f${(i * 3) % 20_000}(x))\n`).join(''),
  },
  {
    name: 'classes of each other',
    text: () => times(20_000, (i) => `class A${i}(A${(i + 1) % 20_000}): pass\n`).join(''),
  },
  { name: 'zeros', text: () => '\0'.repeat(900_000) },
];
