/** Every warning has an input that has it, and a twin that differs in what it is about and has it not. */
import assert from 'node:assert/strict';
import { digestSnapshot } from '../../../src/core/digest/digest.js';
import { readInput } from '../../../src/core/formats/readSnapshot.js';
import type { SnapshotWarning } from '../../../src/core/model/snapshot.js';
import { bytesSource } from '../../support/bytesSource.js';
import { pickle, type Picklable } from '../../support/plainPickle.js';
import { zipArchive } from '../../support/zipWriter.js';

type Facts = Readonly<Record<string, Picklable>>;

const STACK: Picklable = [{ name: 'f', filename: 'a.py', line: 1 }];

function block(address: number, more: Facts = {}): Facts {
  return { address, size: 512, requested_size: 512, state: 'active_allocated', frames: STACK, ...more };
}

function segment(blocks: readonly Facts[], more: Facts = {}): Facts {
  return { device: 0, address: 512, total_size: 512 * blocks.length, stream: 0, blocks, ...more };
}

function event(action: string, addr: number, more: Facts = {}): Facts {
  return { action, addr, size: 512, stream: 0, time_us: 5, frames: STACK, ...more };
}

/** A recording that nothing is wrong with: two blocks are live, one came and went. */
const BLOCKS = [block(512), block(1024)];
const TRACE = [event('alloc', 512), event('alloc', 1024), event('alloc', 9216), event('free_completed', 9216)];
const WHOLE: Facts = { segments: [segment(BLOCKS)], device_traces: [TRACE] };

const without = (facts: Facts, ...keys: readonly string[]): Facts =>
  Object.fromEntries(Object.entries(facts).filter(([key]) => !keys.includes(key)));

/** @param more undefined leaves a fact out @param others calls; a built-in function if there are none */
function chrome(more: Readonly<Record<string, Picklable | undefined>>, ...others: readonly Facts[]): string {
  const memory = (ts: number, bytes: number, total: number): object => ({
    ph: 'i',
    name: '[memory]',
    pid: 1,
    tid: 1,
    ts,
    args: {
      'Total Reserved': 4096,
      'Total Allocated': total,
      Bytes: bytes,
      'Device Id': 0,
      'Device Type': 1,
      Addr: 512,
      ...more,
    },
  });
  return JSON.stringify({
    schemaVersion: 1,
    traceEvents: [memory(1, 512, 512), ...(others.length > 0 ? others : [call('<built-in method empty>')])],
  });
}

function call(name: string): Facts {
  return { ph: 'X', cat: 'python_function', name, pid: 1, tid: 1, ts: 0, dur: 9 };
}

function page(...snapshots: readonly Uint8Array[]): Buffer {
  const files = snapshots.map((bytes) => ({ base64: Buffer.from(bytes).toString('base64') }));
  return Buffer.from(`<html><script>\nconst local_files = ${JSON.stringify(files)}\n</script></html>\n`);
}

const SMI = 'timestamp, index, memory.used [MiB]\n2026/11/20 16:41:02.123, 0, 5 MiB\n';
const TITLE = '|==========================|\n| PyTorch CUDA memory summary, device ID 0 |\n';
const summary = (amount: string): string => `${TITLE}| Allocated memory      | ${amount} |\n`;

/** By code: the input that has the warning, its twin, and what is said. */
const TWINS: readonly (readonly [code: string, has: Uint8Array | string, twin: Uint8Array | string, said: RegExp])[] = [
  [
    'onlyLastEvent',
    pickle({ ...WHOLE, device_traces: [[event('alloc', 512)]] }),
    pickle({ ...WHOLE, device_traces: [[event('alloc', 512), event('alloc', 1024)]] }),
    /only the last event \(enabled="state"\).*: record with enabled="all"\.$/,
  ],
  [
    'noTrace',
    pickle(without(WHOLE, 'device_traces')),
    pickle(WHOLE),
    /holds no trace, so times and freed memory are unknown: record with _record_memory_history\(enabled="all"\)/,
  ],
  [
    'noTrace',
    pickle([segment(BLOCKS.map((one) => without(one, 'frames')))]),
    pickle(WHOLE),
    /neither a trace nor stacks, so no line can be named: call torch\.cuda\.memory\._record_memory_history\(\)/,
  ],
  [
    'noStacks',
    pickle({
      segments: [segment(BLOCKS.map((one) => ({ ...one, frames: [] })))],
      device_traces: [TRACE.map((one) => without(one, 'frames'))],
    }),
    pickle(WHOLE),
    /has no stacks \(context=None\).*: record with context="all"\.$/,
  ],
  [
    'noEventStacks',
    pickle({ ...WHOLE, device_traces: [TRACE.map((one) => without(one, 'frames'))] }),
    pickle({ ...WHOLE, device_traces: [[TRACE[0], ...TRACE.slice(1).map((one) => without(one, 'frames'))]] }),
    /Only live blocks have stacks, events have none \(context="state"\).*: record with context="all"\.$/,
  ],
  [
    'segmentsDisagree',
    pickle({ ...WHOLE, segments: [segment(BLOCKS, { total_size: 2048 })] }),
    pickle({
      ...WHOLE,
      segments: [segment([...BLOCKS, block(1536, { size: 1024, state: 'inactive' })], { total_size: 2048 })],
    }),
    /differ by 1,024 bytes.*: dump the snapshot again\.$/,
  ],
  [
    'ringOverflow',
    pickle({ ...WHOLE, device_traces: [TRACE.slice(1)] }),
    pickle(WHOLE),
    /begins late, because 1 live block with a stack is older.*: record with a larger max_entries\.$/,
  ],
  [
    'startedLate',
    pickle({ segments: [segment([block(512, { frames: [] }), BLOCKS[1]])], device_traces: [TRACE.slice(1)] }),
    pickle(WHOLE),
    /^512 bytes on device 0 were allocated before recording began.*: call _record_memory_history\(\) before the model is built\.$/,
  ],
  [
    'emptyStacks',
    pickle({
      segments: [segment([block(512, { frames: [] }), BLOCKS[1]])],
      device_traces: [[event('alloc', 512, { frames: [] }), ...TRACE.slice(1)]],
    }),
    pickle(WHOLE),
    /^512 bytes on device 0 were allocated where no Python ran, such as in backward: record with stacks="all"/,
  ],
  [
    'traceDisagrees',
    pickle({ ...WHOLE, device_traces: [[...TRACE, event('alloc', 4096, { size: 100 })]] }),
    pickle({
      ...WHOLE,
      device_traces: [[...TRACE, event('alloc', 4096, { size: 100 }), event('free_completed', 4096)]],
    }),
    /differ by 100 bytes; Leakline uses the blocks: dump while no other thread allocates\.$/,
  ],
  [
    'hostMemory',
    chrome({ 'Device Type': 0, 'Device Id': -1 }),
    chrome({}),
    /memory of the host only, shown as device 0: profile on the GPU/,
  ],
  [
    'startedLate',
    chrome({ 'Total Allocated': 1512 }),
    chrome({}),
    /^1,000 bytes on device 0 were allocated before the trace began.*: start the profiler before the model is built\.$/,
  ],
  [
    'noStacks',
    chrome({}, { ...call('aten::empty'), cat: 'cpu_op' }),
    chrome({}, call('<built-in method empty>')),
    /^The trace has no Python functions, so no line can be named: profile with with_stack=True\.$/,
  ],
  [
    'noAddresses',
    chrome({ Addr: undefined }),
    chrome({}),
    /^The trace has no addresses, so each free is matched with the latest allocation of its size\..*: profile with a newer PyTorch\.$/,
  ],
  [
    'noTotals',
    chrome({ 'Total Allocated': undefined }),
    chrome({}),
    /^The trace has no totals, so memory from before it is known only where the trace frees it: profile with a newer PyTorch\.$/,
  ],
  [
    'functionLines',
    chrome({}, call('a.py(3): f')),
    chrome({}, call('<built-in method empty>')),
    /^The profiler names functions, so each line is where a function begins, not where it allocates: record with/,
  ],
  [
    'moreSnapshots',
    zipArchive([
      { name: 'a.pickle', bytes: page(pickle(WHOLE), pickle(WHOLE)) },
      { name: 'b.pickle', bytes: pickle(WHOLE) },
    ]),
    zipArchive([
      { name: 'a.pickle', bytes: page(pickle(WHOLE)) },
      { name: 'b.pickle', bytes: pickle(WHOLE) },
    ]),
    /holds 2 snapshots, of which the first is shown: unpack the container\.$/,
  ],
  ['strangeLines', `${SMI}Unable to reach the device\n`, SMI, /^1 line is not a sample and is ignored: check the log/],
  [
    'moreSeries',
    Array.from({ length: 300 }, (_, i) => `${i + 100}, 5 MiB\n`).join(''),
    Array.from({ length: 200 }, (_, i) => `${i + 100}, 5 MiB\n`).join(''),
    /more devices and processes than Leakline shows: query fewer\.$/,
  ],
  ['rounded', summary('120563 KiB'), summary('   512 B  '), /rounded down to KiB: log torch\.cuda\.memory_stats\(\)/],
];

async function warningsOf(content: Uint8Array | string): Promise<readonly SnapshotWarning[]> {
  const result = await readInput(bytesSource('input', Buffer.from(content)));
  if (result.kind === 'cycles') return [];
  return (result.kind === 'snapshot' ? digestSnapshot('', result.snapshot) : result.trend).warnings;
}

describe('A warning', () => {
  it('is absent where nothing is wrong', async () => {
    assert.deepEqual(await warningsOf(pickle(WHOLE)), []);
    assert.deepEqual(await warningsOf(chrome({})), []);
    assert.deepEqual(await warningsOf(SMI), []);
  });

  for (const [i, [code, has, twin, said]] of TWINS.entries()) {
    it(`${code} is given for its recording, and not for the recording’s twin (${i})`, async () => {
      const found = (await warningsOf(has)).filter((warning) => warning.code === code);
      assert.equal(found.length, 1, JSON.stringify(await warningsOf(has)));
      assert.match(found[0].message, said);
      assert.match(found[0].message, /: [a-z][^:]*\.$/, 'ends with its cure');
      const others = await warningsOf(twin);
      assert.deepEqual(
        others.map((warning) => warning.code).filter((other) => other === code),
        [],
      );
    });
  }
});
