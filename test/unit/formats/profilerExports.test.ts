import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { SnapshotError } from '../../../src/core/bytes/snapshotError.js';
import type { ReadOptions } from '../../../src/core/formats/format.js';
import { readInput } from '../../../src/core/formats/readSnapshot.js';
import type { CycleGraph } from '../../../src/core/model/cycleGraph.js';
import { findSteps } from '../../../src/core/attribution/steps/steps.js';
import { deviceHistory } from '../../../src/core/model/history.js';
import { Action, NO_INDEX } from '../../../src/core/model/snapshot.js';
import type { Trend } from '../../../src/core/model/trend.js';
import { hasPython } from '../../support/bruteForce.js';
import { bytesSource } from '../../support/bytesSource.js';
import { columnsOf, compareWithPython, readable } from '../../support/columns.js';
import { FIXTURES, readBytes, readFile } from '../../support/snapshots.js';
import { eventTime } from '../../../src/core/model/eventTime.js';

const SHAPES = join(FIXTURES, 'shapes');
const PROFILER = join(FIXTURES, 'profiler');

async function trendOf(content: string | Uint8Array, options?: ReadOptions): Promise<Trend> {
  const result = await readInput(bytesSource('trend', Buffer.from(content)), options);
  assert.equal(result.kind, 'trend');
  return result.trend;
}

async function cyclesOf(content: string | Uint8Array, options?: ReadOptions): Promise<CycleGraph> {
  const result = await readInput(bytesSource('cycles', Buffer.from(content)), options);
  assert.equal(result.kind, 'cycles');
  return result.cycles;
}

async function reasonOf(content: string | Uint8Array): Promise<string> {
  return readInput(bytesSource('test', Buffer.from(content))).then(
    (result) => result.kind,
    (error: unknown) => (SnapshotError.is(error) ? error.reason : String(error)),
  );
}

function lastRow(trend: Trend): Record<string, number | undefined> {
  return Object.fromEntries(trend.series.map(({ name, bytes }) => [name, bytes.at(-1)]));
}

describe('Memory timelines', () => {
  it('and raw timelines of one profile end alike', async () => {
    const timeline = await trendOf(readFileSync(join(PROFILER, 'memory_timeline.json.gz')));
    const raw = await trendOf(readFileSync(join(PROFILER, 'memory_timeline.raw.json.gz')));
    assert.equal(timeline.count, 2028);
    assert.equal(raw.count, 3188);
    assert.deepEqual(lastRow(timeline), lastRow(raw));
    assert.equal(lastRow(timeline)['parameter'], 400_168);
    // Microseconds in one, nanoseconds in the other.
    assert.equal(timeline.timeUs?.[0], Math.floor(raw.timeUs?.[0] ?? 0));
  });

  it('are the same whatever the size of the reads, and truncated when cut', async () => {
    const text = '[[1795193448592381819, 1795193448592533000], [[0,1,2,3,4,5,6,7,8],[0,8,7,6,5,4,3,2,1.0]]]';
    const whole = await trendOf(text);
    assert.deepEqual(lastRow(whole), {
      parameter: 8,
      optimizer_state: 7,
      input: 6,
      temporary: 5,
      activation: 4,
      gradient: 3,
      autograd_detail: 2,
      unknown: 1,
    });
    for (const chunkSize of [1, 7, 4096]) assert.deepEqual(await trendOf(text, { chunkSize }), whole);
    for (let length = 1; length < text.length; length++)
      assert.equal(await reasonOf(text.slice(0, length)), 'truncated');
  });

  it('count older memory from the first row on', async () => {
    const trend = await trendOf('[[-1, 1, 100, 7], [1696966047096061874, 2, 5, 0], [1696966047096061900, 4, -100, 7]]');
    assert.deepEqual([...(trend.series.find(({ name }) => name === 'unknown')?.bytes ?? [])], [100, 0]);
    assert.deepEqual([...(trend.series.find(({ name }) => name === 'parameter')?.bytes ?? [])], [5, 5]);
  });

  it('that do not add up are refused', async () => {
    assert.equal(await reasonOf('[[1,2,3,4,5],[[0,1,2,3,4,5,6,7,8]]]'), 'notASnapshot');
    assert.equal(await reasonOf('[[1,2,3,4,5],[[0,1,2]]]'), 'notASnapshot');
    assert.equal(await reasonOf('[[1, 9, 5, 0]]'), 'notASnapshot');
    assert.equal(await reasonOf('[[1, 2, 5, 9]]'), 'notASnapshot');
  });
});

describe('Memory statistics', () => {
  const row = (bytes: number): Record<string, number> => ({
    'allocated_bytes.all.current': bytes,
    'allocated_bytes.all.peak': bytes * 2,
    'reserved_bytes.all.current': bytes * 3,
  });

  it('are a trend, as lines, lists, nested or wrapped', async () => {
    const expected = { allocated: [1, 2], reserved: [3, 6] };
    const nested = (bytes: number): unknown => ({
      allocated_bytes: { all: { current: bytes } },
      reserved_bytes: { all: { current: bytes * 3 } },
    });
    for (const text of [
      `${JSON.stringify(row(1))}\n${JSON.stringify(row(2))}\n`,
      JSON.stringify([row(1), row(2)], null, 1),
      JSON.stringify([nested(1), nested(2)]),
      `${JSON.stringify({ step: 1, memory: row(1) })}\n${JSON.stringify({ step: 2, note: 'x' })}\n${JSON.stringify({ step: 3, memory: row(2) })}`,
    ]) {
      const trend = await trendOf(text);
      assert.deepEqual(Object.fromEntries(trend.series.map(({ name, bytes }) => [name, [...bytes]])), expected, text);
      assert.equal(trend.timeUs, null);
      for (const chunkSize of [1, 7]) assert.deepEqual(await trendOf(text, { chunkSize }), trend);
    }
  });

  it('of a real process are one row', async () => {
    const trend = await trendOf(readFileSync(join(FIXTURES, 'shapes/memory_stats.json')));
    assert.deepEqual([trend.count, lastRow(trend)['allocated']], [1, 123_456_789]);
  });
});

describe('Profiles as snapshots', () => {
  it('have the profiler’s categories of memory', async function () {
    const path = join(PROFILER, 'profile_to_snapshot.pickle.gz');
    const { categories } = readable(await readFile(path));
    // Two layers and their two moments of Adam, in the bytes of the profiler.
    assert.equal(categories['parameter'], 4 * (64 * 128 + 128 + 128 * 10 + 10));
    assert.equal(categories['gradient'], categories['parameter']);
    assert.equal(categories['optimizer_state'], 2 * categories['parameter'] + 4 * 4);
    if (hasPython()) await compareWithPython([path]);
  });

  it('have categories, other snapshots have none', async () => {
    const { blocks, events } = await readFile(join(SHAPES, 't213.p4.pickle'));
    assert.deepEqual([blocks.category, events.category], [null, null]);
  });
});

describe('Chrome traces', () => {
  const slice = (name: string, ts: number, dur: number, tid: number, cat = 'python_function'): object => ({
    ph: 'X',
    cat,
    name,
    pid: 1,
    tid,
    ts,
    dur,
  });
  const memory = (
    ts: number,
    tid: number,
    bytes: number,
    addr: number,
    total: number,
    device = 0,
    type = 1,
  ): object => ({
    ph: 'i',
    cat: 'cpu_instant_event',
    name: '[memory]',
    pid: 1,
    tid,
    ts,
    args: {
      'Total Reserved': total * 2,
      'Total Allocated': total,
      Bytes: bytes,
      'Device Id': device,
      'Device Type': type,
      Addr: addr,
    },
  });
  const events = [
    memory(30, 7, 512, 4096, 1512),
    slice('train.py(9): <module>', 0, 100, 7),
    slice('model.py(41): forward', 10, 30, 7),
    slice('<built-in method empty of type object at 0x7f>', 25, 10, 7),
    slice('model.py(50): backward', 26, 10, 8),
    memory(60, 7, 1024, 8192, 2536),
    memory(70, 8, -1024, 8192, 1512),
    memory(75, 8, 64, 1, 64, -1, 0),
    slice('ProfilerStep#3', 5, 80, 7, 'user_annotation'),
  ];
  const trace = { schemaVersion: 1, baseTimeNanoseconds: 1_790_857_026_000_000_000, traceEvents: events };

  it('name the Python functions around an allocation on its own thread', async () => {
    for (const content of [trace, events]) {
      const snapshot = await readBytes(Buffer.from(JSON.stringify(content)));
      const words = readable(snapshot);
      // 1,000 bytes were there before the trace; the host's memory is no matter beside a GPU's.
      assert.deepEqual(words.devices, { '0': { live: 1512, reserved: 3024, requested: null, events: 3 } });
      const stacks = new Map(words.stacks.map(([frames, bytes]) => [frames.map((f) => f.join(':')).join(' '), bytes]));
      assert.deepEqual(
        stacks,
        new Map([
          ['', 1000],
          [':-1:<built-in method empty of type object at 0x7f> model.py:41:def forward train.py:9:<module>', 512],
        ]),
      );
      assert.deepEqual(
        snapshot.warnings.map(({ code }) => code),
        ['startedLate', 'functionLines'],
      );
      assert.deepEqual([...snapshot.events.action], [Action.Alloc, Action.Alloc, Action.FreeCompleted]);
      assert.deepEqual([...snapshot.blocks.allocEvent], [NO_INDEX, 0]);
    }
  });

  it('include failed allocations, which hold nothing', async () => {
    const { args } = memory(65, 7, 4096, 0, 2536) as { args: object };
    const failed = { ...memory(65, 7, 0, 0, 0), name: '[OutOfMemory]', args: { ...args, Addr: undefined } };
    const snapshot = await readBytes(Buffer.from(JSON.stringify({ ...trace, traceEvents: [...events, failed] })));
    const { action, size } = snapshot.events;
    assert.deepEqual([...action], [Action.Alloc, Action.Alloc, Action.OutOfMemory, Action.FreeCompleted]);
    assert.equal(size[2], 4096);
    assert.equal(snapshot.failures.count, 0, 'the trace does not say what the device had left');
    const without = await readBytes(Buffer.from(JSON.stringify(trace)));
    assert.deepEqual(readable(snapshot).stacks, readable(without).stacks);
  });

  /** An event of 2021. */
  const unplaced = (ts: number, bytes: number, device = 0): object => ({
    ...memory(ts, 7, bytes, 0, 0, device),
    args: { Bytes: bytes, 'Device Id': device, 'Device Type': 1 },
  });

  it('without addresses have exact totals: a free is matched with the latest allocation of its size', async () => {
    const snapshot = await readBytes(
      Buffer.from(
        JSON.stringify([
          slice('a.py(1): first', 0, 15, 7),
          slice('a.py(5): second', 16, 84, 7),
          ...[unplaced(10, 512), unplaced(20, 512), unplaced(30, 100), unplaced(35, 512, 1)],
          ...[unplaced(40, -512), unplaced(50, -2048), unplaced(60, -100)],
        ]),
      ),
    );
    assert.deepEqual(readable(snapshot).devices, {
      '0': { live: 512, reserved: null, requested: null, events: 6 },
      '1': { live: 512, reserved: null, requested: null, events: 1 },
    });
    // The free of 2,048 bytes shows memory from before the trace.
    assert.deepEqual([...deviceHistory(snapshot, 0).live], [2048, 2560, 3072, 3172, 2660, 612, 512]);
    assert.deepEqual(
      readable(snapshot).stacks.map(([[[file, line, name]], bytes]) => [file, line, name, bytes]),
      [
        ['a.py', 1, 'def first', 512],
        ['a.py', 5, 'def second', 512],
      ],
    );
    assert.deepEqual(
      snapshot.warnings.map(({ code }) => code),
      ['noAddresses', 'noTotals', 'functionLines'],
    );
  });

  it('without Python functions have operators and scopes as frames, and no frame for a profiler step', async () => {
    const op = (name: string, ts: number, dur: number): object => slice(name, ts, dur, 7, 'cpu_op');
    const snapshot = await readBytes(
      Buffer.from(
        JSON.stringify([
          ...[0, 100, 200].map((ts, i) => slice(`ProfilerStep#${i}`, ts, 90, 7, 'user_annotation')),
          slice('forward', 1, 80, 7, 'user_annotation'),
          op('aten::conv2d', 5, 30),
          op('aten::convolution', 6, 20),
          op('aten::empty', 7, 5),
          memory(8, 7, 512, 4096, 512),
          op('aten::zeros', 105, 10),
          memory(106, 7, 256, 8192, 768),
          memory(206, 7, 128, 12288, 896),
        ]),
      ),
    );
    assert.deepEqual(
      readable(snapshot)
        .stacks.map(([frames, bytes]) => [bytes, ...frames.map((frame) => frame[2])])
        .sort((a, b) => Number(b[0]) - Number(a[0])),
      [[512, 'aten::empty', 'aten::convolution', 'aten::conv2d', 'forward'], [256, 'aten::zeros'], [128]],
    );
    assert.deepEqual(findSteps(snapshot)?.starts, Uint32Array.of(0, 1, 2));
    assert.deepEqual(
      snapshot.warnings.map(({ code }) => code),
      ['noStacks'],
    );
  });

  it('have the sizes of blocks, so that curves are those of the profiler to the byte', async () => {
    const text = gunzipSync(readFileSync(join(PROFILER, 'chrome_trace.json.gz'))).toString();
    const { traceEvents } = JSON.parse(text) as {
      traceEvents: { name: string; ts: number; args?: { 'Total Allocated': number } }[];
    };
    const totals = traceEvents
      .filter(({ name }) => name === '[memory]')
      .sort((a, b) => a.ts - b.ts)
      .map(({ args }) => args?.['Total Allocated']);
    const { live } = deviceHistory(await readBytes(Buffer.from(text)), 0);
    assert.deepEqual([...live.subarray(1)], totals);
  });

  it('know addresses as 64 bits, each device for itself, and skip events without one', async () => {
    // Beyond 2^53 a number of JSON's own is another address; XPU's are beyond 2^63, and a signed writer makes them negative.
    const XPU = 18446720620317114368n;
    const rows: readonly (readonly [bytes: number, addr: string, device: number])[] = [
      [512, '140163789815808', 0],
      [1024, '140163789815808', 1],
      [64, String(XPU), 0],
      [128, String(XPU + 1n), 0],
      [256, String(BigInt.asIntN(64, XPU + 2n)), 0],
      [4, '4096.5', 0],
      [8, '"4096"', 0],
      [16, 'null', 0],
      [-64, String(BigInt.asIntN(64, XPU)), 0],
      [-256, String(XPU + 2n), 0],
      [-1024, '140163789815808', 1],
    ];
    const texts = rows.map(([bytes, addr, device], i) =>
      JSON.stringify(memory(i, 7, bytes, 0, 0, device)).replace('"Addr":0', `"Addr":${addr}`),
    );
    const { events: found, blocks, segments } = await readBytes(Buffer.from(`{"traceEvents":[${texts.join(',')}]}`));
    const wide = (high: number, low: number): bigint => (BigInt(high) << 32n) | BigInt(low);
    const addresses = Array.from(found.addrLow, (low, event) => wide(found.addrHigh[event], low));
    const cuda = 140163789815808n;
    // Device by device.
    assert.deepEqual(addresses, [cuda, XPU, XPU + 1n, XPU + 2n, XPU, XPU + 2n, cuda, cuda]);
    const live = Array.from(blocks.size, (size, block) => [
      segments.device[blocks.segment[block]],
      wide(blocks.addrHigh[block], blocks.addrLow[block]),
      size,
    ]);
    assert.deepEqual(live, [
      [0, cuda, 512],
      [0, XPU + 1n, 128],
    ]);
  });

  it('place events and the scopes of the user in absolute time', async () => {
    const snapshot = await readBytes(Buffer.from(JSON.stringify(trace)));
    assert.equal(eventTime(snapshot.events, 0), 1_790_857_026_000_030);
    const { annotations, strings } = snapshot;
    assert.equal(strings.text(annotations.name[0]), 'ProfilerStep#3');
    assert.deepEqual([...annotations.timeUs], [1_790_857_026_000_005, 1_790_857_026_000_085]);
    assert.deepEqual([...annotations.isStart], [1, 0]);
  });

  it('are the same whatever the size of the reads, and truncated when cut', async () => {
    const text = Buffer.from(JSON.stringify(trace));
    const whole = columnsOf(await readBytes(text));
    for (const chunkSize of [1, 7, 4096]) assert.deepEqual(columnsOf(await readBytes(text, { chunkSize })), whole);
    for (let length = 1; length < text.length; length += 3) {
      assert.equal(await reasonOf(text.subarray(0, length)), 'truncated');
    }
  });

  it('without memory events explain how to get them', async () => {
    await assert.rejects(
      readBytes(Buffer.from(JSON.stringify({ ...trace, traceEvents: [events[1]] }))),
      /profile_memory=True/,
    );
  });
});

describe('Reference cycles', () => {
  it('are the same graph from dot and from the page, which adds the stacks', async () => {
    const dot = await cyclesOf(readFileSync(join(PROFILER, 'cycle.dot')));
    const page = await cyclesOf(readFileSync(join(PROFILER, 'cycle.html')));
    assert.deepEqual(page.edges, dot.edges);
    assert.deepEqual(
      page.nodes.map(({ label, isTensor }) => ({ label, isTensor })),
      dot.nodes.map(({ label, isTensor }) => ({ label, isTensor })),
    );
    assert.equal(dot.nodes[9].label, `[Tensor,'text "q"']`);
    assert.deepEqual(dot.edges[0], { from: 0, to: 5, label: 'cell_contents' });
    assert.deepEqual(
      page.nodes.flatMap((node, i) => (node.frames.length > 0 ? [i] : [])),
      page.nodes.flatMap((node, i) => (node.isTensor ? [i] : [])),
    );
    assert.deepEqual(page.nodes[2].frames, [
      { file: 'file.py', line: 1, function: 'alloc' },
      { file: 'main.py', line: 2, function: '<module>' },
    ]);
  });

  it('cut in their graph are truncated', async () => {
    const dot = readFileSync(join(PROFILER, 'cycle.dot'), 'utf8').trimEnd();
    for (let length = 'digraph'.length; length < dot.length; length++) {
      assert.equal(await reasonOf(dot.slice(0, length)), 'truncated');
    }
    const page = readFileSync(join(PROFILER, 'cycle.html'), 'utf8').trimEnd();
    for (let length = 20; length < page.length; length += 37) {
      assert.equal(await reasonOf(page.slice(0, length)), 'truncated', page.slice(0, length).slice(-50));
    }
  });

  it('that point nowhere are refused', async () => {
    assert.equal(
      await reasonOf('digraph GraphName {\n0 [label="a", color=red];\n0 -> 7 [label = "x"]\n}'),
      'notASnapshot',
    );
    assert.equal(await reasonOf('digraph G { a -> b }'), 'notASnapshot');
  });
});
