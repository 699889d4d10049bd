/** Files made to take a reader down: small ones that stand for much, and much that stands for nothing. */
import { deflateRawSync, gzipSync } from 'node:zlib';
import { PickleWriter } from '../support/pickleWriter.js';
import { zipArchive } from '../support/zipWriter.js';
import { FLEETS } from './hostileFleet.js';
import { COUNTS } from './hostileCounts.js';
import { JOBS } from './hostileJobs.js';
import { LINKS } from './hostileLinks.js';
import { NAMES } from './hostileNames.js';
import { OTHERS } from './hostileOthers.js';
import {
  chrome,
  deepStacks,
  doubling,
  entry,
  frame,
  gzipHeader,
  int,
  MB,
  memoryEvent,
  noFrames,
  one,
  opcodes,
  overlapping,
  pickle,
  segment,
  sidecar,
  snapshot,
  text,
  times,
  type Attack,
} from './made.js';

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

  ...LINKS,
  ...NAMES,
  ...COUNTS,
  ...OTHERS,
  ...JOBS,
  ...FLEETS,
];

interface HostileSource {
  readonly name: string;
  /** In place of the source that leaked. */
  readonly text: (original: string) => string;
  /** The imports of each module, as source. */
  readonly imported?: (module: number) => string;
}

/** Modules that a source imports. */
export const MODULES = 80;

const imports = (name: string, imported: (module: number) => string): HostileSource => ({
  name: `imports of ${name}`,
  text: (original) => `import ${times(MODULES, (i) => `m${i}`).join(', ')}\n${original}`,
  imported,
});

/** Python sources that did not leak. */
export const SOURCES: readonly HostileSource[] = [
  imports('statements', () => `${'x=1;'.repeat(230_000)}\n`),
  imports('brackets', () => `def f(h):\n  ${'('.repeat(50_000)}\nx = f'${'{'.repeat(20_000)}`),
  imports('functions', (i) =>
    times(4000, (j) => `def f${j}(h): h.aux.clear(); m${(i + 1) % MODULES}.f${j}(h)\n`).join(''),
  ),
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
