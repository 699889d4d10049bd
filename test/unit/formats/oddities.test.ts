/** Unexpected properties of real files, through the reader and into the report. */
import assert from 'node:assert/strict';
import { digestSnapshot } from '../../../src/core/digest/digest.js';
import { readInput } from '../../../src/core/formats/readSnapshot.js';
import { Action } from '../../../src/core/model/snapshot.js';
import { PINNED_HOST } from '../../../src/core/model/units.js';
import { buildReport } from '../../../src/core/report/buildReport.js';
import { bytesSource } from '../../support/bytesSource.js';
import { columnsOf, readable } from '../../support/columns.js';
import { pickle, Tuple, type Picklable } from '../../support/plainPickle.js';
import { seededRandom } from '../../support/seededRandom.js';
import { generateSnapshot } from '../../support/snapshotGenerator.js';
import { readBytes } from '../../support/snapshots.js';
import { jsonText } from '../../support/writePickles.js';

type Facts = Readonly<Record<string, Picklable>>;

const TWO_63 = 2n ** 63n;
const TWO_64 = 2n ** 64n;

/** Pool ids are tuples in a pickle, lists everywhere else. */
function pickled(value: Picklable): Buffer {
  const tuples = (item: Picklable, key: string): Picklable => {
    if (Array.isArray(item)) {
      const items = item as readonly Picklable[];
      return key.endsWith('pool_id') ? new Tuple(items) : items.map((one) => tuples(one, ''));
    }
    if (typeof item !== 'object' || item === null || item instanceof Tuple) return item;
    return Object.fromEntries(Object.entries(item as Facts).map(([name, one]) => [name, tuples(one, name)]));
  };
  return pickle(tuples(value, ''));
}

/** Changes every value of a snapshot, from the inside out. */
function changed(value: Picklable, change: (facts: Facts) => Facts, number: (value: bigint) => Picklable): Picklable {
  if (typeof value === 'bigint') return number(value);
  if (Array.isArray(value)) return (value as readonly Picklable[]).map((one) => changed(one, change, number));
  if (typeof value !== 'object' || value === null || value instanceof Tuple) return value;
  return change(
    Object.fromEntries(Object.entries(value as Facts).map(([key, one]) => [key, changed(one, change, number)])),
  );
}

const SEEDS = [1, 2, 3, 4, 5, 6];

describe('Oddities of real files', () => {
  it('numbers beyond 2^63 are the same from the C++ writer, which has signed ones only', async () => {
    let beyond = 0;
    for (const seed of SEEDS) {
      const whole = generateSnapshot(seededRandom(seed));
      const signed = changed(
        whole,
        (facts) => facts,
        (value) => {
          if (value >= TWO_63) beyond++;
          return value >= TWO_63 ? value - TWO_64 : value;
        },
      );
      const stream = (facts: Facts): Facts => ('stream' in facts ? { ...facts, stream: TWO_64 - 16n } : facts);
      const unsignedStreams = changed(whole, stream, (value) => value);
      const signedStreams = changed(
        signed,
        (facts) => ('stream' in facts ? { ...facts, stream: -16 } : facts),
        (value) => value,
      );
      const expected = columnsOf(await readBytes(pickled(whole)));
      assert.deepEqual(columnsOf(await readBytes(pickled(signed))), expected, `seed ${seed}`);
      assert.deepEqual(columnsOf(await readBytes(Buffer.from(jsonText(signed)))), expected, `seed ${seed} as JSON`);
      const streams = await readBytes(pickled(unsignedStreams));
      assert.deepEqual(columnsOf(await readBytes(pickled(signedStreams))), columnsOf(streams), `seed ${seed}, streams`);
      if (streams.segments.count > 0)
        assert.equal(streams.strings.text(streams.segments.stream[0]), String(TWO_64 - 16n));
    }
    assert.ok(beyond > 50);
  });

  it('keys and actions of releases to come change nothing', async () => {
    // Metadata and settings are kept whatever they are.
    const isKept = (facts: Facts): boolean => 'epoch' in facts || 'max_split_size' in facts;
    const added = (facts: Facts): Facts =>
      isKept(facts)
        ? facts
        : {
            next_release: 'x',
            nested: { list: [1, 'a', null], dict: { deeper: 1.5 } },
            ...facts,
            zz_last: [{ some: 'thing' }],
          };
    for (const seed of SEEDS) {
      const whole = generateSnapshot(seededRandom(seed));
      const expected = columnsOf(await readBytes(pickled(whole)));
      const more = changed(whole, added, (value) => value);
      for (const bytes of [pickled(more), Buffer.from(jsonText(more))]) {
        assert.deepEqual(columnsOf(await readBytes(bytes)), expected, `seed ${seed}`);
      }
      const { device_traces: traces, ...rest } = whole;
      const strange = traces.map((trace) => [
        { action: 'brand_new', addr: 1, size: 9 },
        ...trace,
        { action: 'annotate' },
      ]);
      const { devices, stacks } = readable(await readBytes(pickled({ ...rest, device_traces: strange })));
      const words = readable(await readBytes(pickled(whole)));
      assert.deepEqual(stacks, words.stacks);
      for (const [device, sums] of Object.entries(devices)) {
        assert.deepEqual({ ...sums, events: sums.events - 2 }, words.devices[device]);
      }
    }
  });

  it('pinned host memory (2.14) is in no sum of a device, at any place', async () => {
    for (const seed of SEEDS) {
      const [whole, other] = [seed, seed + 100].map((one) => generateSnapshot(seededRandom(one)));
      const host = { host_segments: other.segments, host_traces: other.device_traces.flat() };
      for (const all of [
        { ...whole, ...host },
        { ...host, ...whole },
      ]) {
        const { [PINNED_HOST]: pinned, ...devices } = readable(await readBytes(pickled(all))).devices;
        assert.deepEqual(devices, readable(await readBytes(pickled(whole))).devices, `seed ${seed}`);
        const own = readable(await readBytes(pickled(other))).devices;
        for (const sum of ['live', 'reserved', 'events'] as const)
          assert.equal(
            pinned[sum],
            Object.values(own).reduce((all, device) => all + (device[sum] ?? 0), 0),
          );
      }
    }
  });

  it('a snapshot without traces (include_traces=False) is one with the live blocks', async () => {
    for (const seed of SEEDS) {
      const { segments, device_traces: traces, allocator_settings: settings } = generateSnapshot(seededRandom(seed));
      const snapshot = await readBytes(pickled({ segments, allocator_settings: settings }));
      assert.ok(snapshot.absent.includes('trace'));
      assert.deepEqual([snapshot.traces, snapshot.events.count, snapshot.takenAtUs], [[], 0, null]);
      assert.deepEqual(
        readable(snapshot).stacks,
        readable(await readBytes(pickled({ segments, device_traces: traces }))).stacks,
      );
    }
  });

  it('native frames beside the Python ones of an entry (2.0) come first, each kind in its order', async () => {
    const frames = [
      { filename: 'a.py', name: 'f', line: 1 },
      { filename: 'b.py', name: '<module>', line: 2 },
    ];
    const entry = { frames, cpp_frames: ['c10::alloc', 'at::empty'], action: 'alloc', addr: 512, size: 9, stream: 0 };
    const {
      events,
      stacks,
      frames: table,
      strings,
    } = await readBytes(pickle({ segments: [], device_traces: [[entry]] }));
    const [stack] = events.stack;
    const names = [...stacks.frames.subarray(stacks.offset[stack], stacks.offset[stack + 1])];
    assert.deepEqual(
      names.map((frame) => strings.text(table.name[frame])),
      ['c10::alloc', 'at::empty', 'f', '<module>'],
    );
  });

  it('code that torch.compile generated owns nothing: the model behind it does, and a notebook is a file', async () => {
    const stackOf = (...files: string[]): Picklable =>
      files.map((filename, i) => ({ name: 'call', filename, line: i + 1 }));
    const owners = {
      '/tmp/torchinductor_me/ab/cabcdef.py': '/w/model.py:2',
      '<eval_with_key>.5': '/w/model.py:2',
      '/w/subclass_codegen.py:codegen(compiled_function_forward)': '/w/model.py:2',
      'fx_generated__0a1b.py': '/w/model.py:2',
      '/usr/lib/python3/dist-packages/torch/nn/modules/linear.py': '/w/model.py:2',
      'C:\\Users\\me\\train.py': 'C:\\Users\\me\\train.py:1',
      '/tmp/ipykernel_1234/567.py': '/tmp/ipykernel_1234/567.py:1',
      '<ipython-input-3-0123abcd>': '<ipython-input-3-0123abcd>:1',
    };
    for (const [innermost, owner] of Object.entries(owners)) {
      const frames = stackOf(innermost, '/w/model.py', '/w/main.py');
      const live = { address: 512, size: 512, requested_size: 512, state: 'active_allocated', frames };
      const segment = { device: 0, address: 512, total_size: 512, stream: 0, blocks: [live] };
      const snapshot = await readBytes(pickle({ segments: [segment], device_traces: [[]] }));
      const { report } = buildReport([digestSnapshot('a.pickle', snapshot)], { files: [], rules: [] });
      const self = report.runs[0].lines.filter(({ liveBytes }) => liveBytes > 0);
      assert.deepEqual(
        self.map(({ file, line }) => `${file}:${line}`),
        [owner],
        innermost,
      );
    }
  });

  it('times of a timeline are the same in nanoseconds (before 2.2) and microseconds', async () => {
    const rows = '[[0,1,0,0,0,0,0,0,0],[0,2,0,0,0,0,0,0,0]]';
    const times = async (text: string): Promise<number[]> => {
      const result = await readInput(bytesSource('t', Buffer.from(text)));
      assert.equal(result.kind, 'trend');
      return [...(result.trend.timeUs ?? [])];
    };
    const micro = [1_795_193_448_592_381, 1_795_193_448_592_533];
    assert.deepEqual(await times(`[[${micro.join(', ')}], ${rows}]`), micro);
    assert.deepEqual(await times(`[[${micro.map((time) => `${time}000`).join(', ')}], ${rows}]`), micro);
  });

  it('a mark that a nightly left is not an allocation', async () => {
    const mark = {
      action: 'user_defined',
      addr: 0,
      size: 0,
      stream: 0,
      frames: [{ name: 'START', filename: 'step 3', line: 0 }],
    };
    const { events } = await readBytes(pickle({ segments: [], device_traces: [[mark]] }));
    assert.deepEqual([...events.action], [Action.Other]);
  });

  it('sizes that no device has leave all sums whole and finite', async () => {
    for (const size of [Infinity, 1e308, 2 ** 100, 1.5, Number.NaN, -5]) {
      const frames = [{ name: 'f', filename: '/w/a.py', line: 1 }];
      const block = { address: 512, size, requested_size: size, state: 'active_allocated', frames };
      const segment = { device: 0, address: 512, total_size: size, stream: 0, blocks: [block, block] };
      const entry = { action: 'alloc', addr: 512, size, stream: 0, time_us: size, frames };
      const snapshot = await readBytes(pickle({ segments: [segment], device_traces: [[entry, entry]] }));
      const { report } = buildReport([digestSnapshot('a.pickle', snapshot)], { files: [], rules: [] });
      const [{ snapshots, lines }] = report.runs;
      const { liveBytes: live, reservedBytes } = snapshots[0].devices[0];
      const sums = [live, reservedBytes, ...lines.map(({ liveBytes }) => liveBytes)];
      assert.ok(sums.every(Number.isInteger), `${size}: ${sums.join(', ')}`);
    }
  });
});
