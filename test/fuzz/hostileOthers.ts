/** Files of other kinds: containers, profiles, logs, graphs and sidecars. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateRawSync, gzipSync } from 'node:zlib';
import { FIXTURES } from '../support/snapshots.js';
import { zipArchive } from '../support/zipWriter.js';
import {
  chrome,
  frame,
  gzipHeader,
  int,
  MB,
  memoryEvent,
  oddParts,
  one,
  segment,
  sidecar,
  snapshot,
  text,
  times,
  type Attack,
} from './made.js';

const schema = '"schema":"leakline.recording/2","step":1';

/** Text that packs well, but not to nothing. */
function filler(length: number, packs: number): Buffer {
  const pieces = times(Math.ceil(length / packs), (i) => `${(i * 2654435761) % 4294967296}`.padEnd(packs, ' '));
  return Buffer.from(pieces.join('').slice(0, length));
}

function pages(count: number, unpacked: Buffer): Uint8Array {
  const bytes = deflateRawSync(unpacked);
  return zipArchive(times(count, (i) => ({ name: `${i}.html`, bytes, unpacked })));
}

function directory(members: number): Uint8Array {
  const one = zipArchive([{ name: 'a', bytes: new Uint8Array(0) }]);
  const end = one.length - 22;
  const from = one.readUInt32LE(end + 16);
  const entries = Buffer.alloc((end - from) * members, one.subarray(from, end));
  const tail = Buffer.from(one.subarray(end));
  tail.writeUInt32LE(entries.length, 12);
  return Buffer.concat([one.subarray(0, from), entries, tail]);
}

const call = (name: string, i: number, more: object = {}): object => ({
  ph: 'X',
  cat: 'python_function',
  name,
  pid: 1,
  tid: 1,
  ts: i,
  dur: 1,
  ...more,
});

const dot = (nodes: number, edges: (i: number) => string, isTensor = true): string =>
  `digraph GraphName {\n${times(nodes, (i) => `${i} [label="t${i}", color=${isTensor || i === nodes - 1 ? 'red' : 'black'}];\n`).join('')}${times(nodes, edges).join('')}}\n`;
const edge = (from: number, to: number): string => `${from} -> ${to} [label = "x"];\n`;

export const OTHERS: readonly Attack[] = [
  one('an archive of 300 pages that unfold', () =>
    pages(300, Buffer.concat([Buffer.from('<html>'), Buffer.alloc(60 * MB, ' ')])),
  ),
  one('an archive of 330,000 members of a byte', () =>
    zipArchive(times(330_000, (i) => ({ name: i.toString(36), bytes: Uint8Array.of(0x80) }))),
  ),
  one('an archive with a directory of 60 MB', () => directory(1_280_000)),
  one('an archive of archives', () => {
    const inner = (bytes: Uint8Array): Uint8Array => zipArchive(times(16, (i) => ({ name: `${i}.pickle`, bytes })));
    return inner(inner(inner(inner(Buffer.from('PK\u0003\u0004')))));
  }),
  one('fields of 60 kB in a directory', () =>
    zipArchive(times(500, (i) => ({ name: `${i}`.padEnd(60_000, 'n'), bytes: new Uint8Array(0) }))),
  ),
  one('gzip in gzip, 200 times each', () => gzipSync(gzipSync(filler(256 * MB, 1024)))),
  one('100,000 gzip members with long names', () => {
    const member = Buffer.concat([gzipHeader(Buffer.alloc(200, 0x61)), gzipSync('').subarray(10)]);
    return Buffer.alloc(member.length * 100_000, member);
  }),
  one('a page of 1 million scripts', () => `<html>${'<script>local_files = ['.repeat(200_000)}`, 'x.html'),
  one(
    'a page whose snapshots never end',
    () => `<html><script>const local_files = [${'{"base64": "'.repeat(400_000)}`,
    'x.html',
  ),
  one(
    'a page with a packed bomb',
    () =>
      `<html><script>\nconst local_files = [{"name": "x", "base64": "${gzipSync(new Uint8Array(512 * MB)).toString('base64')}"}]</script></html>`,
    'x.html',
  ),

  one('100,000 threads', () => chrome(times(100_000, (i) => ({ ...memoryEvent(i, 0), tid: i }))), 'x.json'),
  one(
    '200,000 scopes of a user',
    () =>
      chrome([
        ...times(200_000, (i) => call(`a${i}`, i, { cat: 'user_annotation', dur: 1e9 })),
        ...times(1000, (i) => memoryEvent(i, 0)),
      ]),
    'x.json',
  ),
  one(
    '2,000 names of 16 kB that are nearly frames',
    () =>
      chrome([...times(2000, (i) => call(`${'(1): '.repeat(3000)}${i}`, i)), ...times(2000, (i) => memoryEvent(i, 0))]),
    'x.json',
  ),
  one(
    'amounts that are no amounts',
    () => JSON.stringify({ traceEvents: times(50_000, (i) => memoryEvent(i, 0)) }).replaceAll(':512', ':1e308'),
    'x.json',
  ),
  one('200,000 keys of one event', () => chrome([Object.fromEntries(times(200_000, (i) => [`k${i}`, i]))]), 'x.json'),
  one('200,000 equal keys', () => `{"traceEvents":[{${'"args":{},'.repeat(1_000_000)}"ph":"X"}]}`, 'x.json'),
  one(
    'a snapshot as JSON of 80,000 devices',
    () =>
      JSON.stringify({
        segments: times(80_000, (i) => ({ device: i, address: i, total_size: 512, blocks: [] })),
        device_traces: [],
      }),
    'x.json',
  ),
  one(
    'a snapshot as JSON with sizes of 1e308',
    () =>
      `{"segments":[${'{"device":0,"address":1e308,"total_size":1e308,"blocks":[{"size":1e308,"state":"active_allocated","frames":[]}]},'.repeat(50_000)}{}],"device_traces":[]}`,
    'x.json',
  ),
  one(
    'a timeline of 1 million rows',
    () => `[[${'1,'.repeat(999_999)}1],[${'[0,1,2,3,4,5,6,7,8],'.repeat(999_999)}[0,1,2,3,4,5,6,7,8]]]`,
    'x.json',
  ),
  one('raw rows of 1e308', () => `[${'[1,2,1e308,0],'.repeat(999_999)}[1,2,1e308,0]]`, 'x.json'),
  one(
    'statistics of 300,000 keys',
    () =>
      JSON.stringify({
        'allocated_bytes.all.current': 1,
        ...Object.fromEntries(times(300_000, (i) => [`allocated_bytes.${i}`, i])),
      }),
    'memory_stats.json',
  ),

  one(
    '100,000 processes of a log',
    () =>
      `timestamp, pid, used_gpu_memory [MiB]\n${times(100_000, (i) => `2026/01/01 00:00:00.000, ${i}, 5 MiB\n`).join('')}`,
    'nvidia-smi.csv',
  ),
  one(
    'a log of prefixes',
    () => `timestamp, index, memory.used [MiB]\n${`${'# '.repeat(30_000)}\n`.repeat(300)}`,
    'nvidia-smi.csv',
  ),
  one(
    'tables of 20 MB',
    () =>
      `|${'='.repeat(75)}|\n${'|                  PyTorch CUDA memory summary, device ID 0                 |\n| Allocated memory      |   1024 B |   2048 B |\n'.repeat(180_000)}`,
    'memory_summary.txt',
  ),
  one('lines of signs', () => `|${'='.repeat(75)}|\n${`${'| '.repeat(30_000)}\n`.repeat(300)}`, 'memory_summary.txt'),
  one(
    'lines of a title that never ends',
    () => `|${'='.repeat(75)}|\n${`|${' '.repeat(60_000)}PyTorch CUDA\n`.repeat(300)}`,
    'memory_summary.txt',
  ),

  one('30,000 tensors in a chain', () => dot(30_000, (i) => (i === 0 ? '' : edge(i - 1, i))), 'cycle.dot'),
  one('30,000 tensors in a ring', () => dot(30_000, (i) => edge(i, (i + 1) % 30_000)), 'cycle.dot'),
  one(
    '30,000 tensors that one object holds, and a chain behind',
    () => dot(30_000, (i) => (i < 15_000 ? edge(i, i + 1) : edge(15_000, i))),
    'cycle.dot',
  ),
  one('a node that refers to all', () => dot(20_000, (i) => edge(0, i) + edge(i, 0)), 'cycle.dot'),
  one(
    'labels of 1 MB',
    () =>
      `digraph GraphName {\n${times(40, (i) => `${i} [label="${'a '.repeat(MB / 2)}", color=red];\n`).join('')}${edge(0, 1)}}`,
    'cycle.dot',
  ),
  one(
    'a page of cycles with long stacks',
    () => {
      const stack = JSON.stringify(`Tensor:\n${'/a/b.py:1:f\n'.repeat(20_000)}`);
      const heard = times(
        50,
        (i) => `document.getElementById('node${i + 1}').addEventListener('mouseover', e\n  x.textContent = ${stack}\n`,
      );
      return `<html><script>\nlet dot = ${JSON.stringify(dot(50, (i) => edge(i, (i + 1) % 50)))}\n${heard.join('')}</script></html>`;
    },
    'cycle.html',
  ),

  sidecar(
    'names of 20 MB',
    () =>
      `{${schema},"holders":{"owners":[{"name":"${'a'.repeat(20 * MB)}","file":"/a/b.py","line":1,"allocatedAt":[{"file":"/a/b.py","line":1,"bytes":512}]}]}}`,
  ),
  sidecar(
    '10,000 owners of one long name',
    () =>
      `{${schema},"holders":{"owners":[${times(1900, (i) => `{"name":"${'a'.repeat(16_000)}${i}","file":"/a/b.py","line":${i},"allocatedAt":[{"file":"/a/b.py","line":1,"bytes":512}]}`).join()}]}}`,
  ),
  {
    name: 'sidecars with something odd in each place',
    files: () => {
      const recorded = readFileSync(
        join(FIXTURES, 'planted/recordings/grown_scores/rank0_step000048.leakline.json'),
        'utf8',
      );
      const good = snapshot([segment(0, 512, (w) => w.list([frame('f', '/a/b.py', 1)]))]);
      const files = [...oddParts(JSON.parse(recorded), (odd) => odd)].flatMap((odd, i) => [
        [`s_${i}.pickle`, good] as const,
        [`s_${i}.leakline.json`, JSON.stringify(odd)] as const,
      ]);
      return Object.fromEntries<string | Uint8Array>(files);
    },
    commands: [
      ['analyze', '--json', 'FOLDER'],
      ['analyze', '--all', 'FOLDER'],
    ],
  },
  sidecar('4 million values, as many as are read', () => `{${schema},"devices":[${'{},'.repeat(2_000_000)}{}]}`),
  sidecar('32 MB of values in each other', () => '[{"a":'.repeat(5 * MB)),
  sidecar(
    'numbers beyond all',
    () =>
      `{"schema":"leakline.recording/2","step":1e308,"rank":1e308,"worldSize":1e308,"takenAtUs":1e308,"devices":[{"index":1e308,"capacityBytes":1e308,"outsideBytes":1e308}],"ring":{"behindUs":[1e308]},"stepTimes":{"endedAtUs":[1e308,0,1e308]}}`,
  ),
  sidecar('a world of a billion', () => `{${schema},"run":"a","rank":7,"worldSize":1000000000}`),
  sidecar(
    '3 million steps that are times',
    () => `{${schema},"stepTimes":{"endedAtUs":[${times(3_000_000, (i) => i).join()}]}}`,
  ),
  sidecar('10,000 devices, sources and loops', () => {
    const all = (make: (i: number) => object): string => JSON.stringify(times(10_000, make));
    return `{${schema},"devices":${all((i) => ({ index: i, capacityBytes: i, outsideBytes: i }))},"sources":${all((i) => ({ path: `/a/${i}.py`, sha256: 'a'.repeat(64) }))},"loops":${all((i) => ({ file: '/a/b.py', function: 'f', line: i, lastLine: 20_000 - i, rounds: i }))},"releases":${all((i) => ({ file: '/a/b.py', line: i, runs: i }))},"containers":${all((i) => ({ root: 'a', name: 'b', file: '/a/b.py', line: i, kind: 'list', length: i, previousLength: 0, bound: null }))}}`;
  }),
  sidecar(
    'keys of prototypes',
    () =>
      `{${schema},"__proto__":{"rank":1},"constructor":{"prototype":{"x":1}},"run":"__proto__","devices":[{"index":0,"__proto__":{"a":1}}]}`,
  ),
  one('a plain file beside none', () =>
    snapshot([segment(0, 512, (w) => w.list([frame('f', '/a/b.py', 1)]), { stream: text('x'), device: int(-1) })]),
  ),
];
