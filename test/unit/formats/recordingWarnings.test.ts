import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { digestSnapshot } from '../../../src/core/digest/digest.js';
import type { Snapshot } from '../../../src/core/model/snapshot.js';
import { pickle, type Picklable } from '../../support/plainPickle.js';
import { CORPUS, FIXTURES, hasCorpus, picklesUnder, readBytes, readFile } from '../../support/snapshots.js';

const SHAPES = join(FIXTURES, 'shapes');
const FRAMES = [{ name: 'f', filename: 'a.py', line: 1 }];

interface Live {
  address: number;
  size?: number;
  frames?: Picklable;
}

function block({ address, size = 512, frames = FRAMES }: Live): Picklable {
  return { address, size, requested_size: size, state: 'active_allocated', frames };
}

function event(action: string, addr: number, more: { [key: string]: Picklable } = {}): Picklable {
  return { action, addr, size: 512, stream: 0, time_us: 5, frames: FRAMES, ...more };
}

async function warn(
  blocks: readonly Live[],
  trace: readonly Picklable[],
  more: { [key: string]: Picklable } = {},
): Promise<Map<string, string>> {
  const total = blocks.reduce((sum, { size = 512 }) => sum + size, 0);
  const segment = { device: 0, address: 512, total_size: total, stream: 0, blocks: blocks.map(block) };
  return codes(await readBytes(pickle({ segments: [segment], device_traces: [trace], ...more })));
}

function codes(snapshot: Snapshot): Map<string, string> {
  return new Map(digestSnapshot('', snapshot).warnings.map(({ code, message }) => [code, message]));
}

describe('Warnings', () => {
  it('of our fixtures are those that their makers planted', async () => {
    const expected: Record<string, string[]> = {
      'ring500.p4.pickle': ['ringOverflow'],
      'state_only.p4.pickle': ['onlyLastEvent'],
      'ctx_none.p4.pickle': ['noStacks'],
      'ctx_state.p4.pickle': ['noEventStacks'],
      'no_history.p4.pickle': ['noTrace'],
      't112.p4.pickle': ['noTrace'],
      't113.p4.pickle': ['noTrace'],
      't213_segments_list.pickle': ['noTrace'],
      'cpp_pickler.pickle': ['traceDisagrees'],
      'multidevice_oom.pickle': [],
    };
    for (const path of picklesUnder(SHAPES)) {
      const name = path.slice(SHAPES.length + 1);
      assert.deepEqual([...codes(await readFile(path)).keys()], expected[name] ?? [], name);
    }
  });

  it('are silent about whole recordings, and end with a cure', async () => {
    const recordings = picklesUnder(join(FIXTURES, 'recordings'));
    assert.ok(recordings.length > 10);
    for (const path of recordings) assert.deepEqual(digestSnapshot('', await readFile(path)).warnings, [], path);
    for (const path of picklesUnder(SHAPES)) {
      for (const { message } of (await readFile(path)).warnings) assert.match(message, /: [a-z][^:]*\.$/);
    }
  });

  it('of recordings on GPUs agree with their makers’ notes', async function () {
    if (!hasCorpus()) {
      console.log('    skipped: no corpus beside the checkout');
      this.skip();
    }
    const of = async (name: string): Promise<Map<string, string>> =>
      codes(await readFile(join(CORPUS, 'recorded_on_gpu', name)));
    assert.match(
      (await of('ring_buffer_10000_events.pickle')).get('ringOverflow') ?? '',
      /almost certainly .*10,000 are left/,
    );
    const late = ['startedLate'];
    const expected: Record<string, string[]> = {
      'complete_history_97_events.pickle': [],
      'does_not_reconcile_scrubbed.pickle': ['segmentsDisagree', ...late],
      'expandable_segments_container_paths.pickle': late,
      'four_devices_torch2_11.pickle': late,
      'full_train_step_bf16_torch2_11.pickle': late,
      'memory_viz_page_bf16.html': late,
      'old_layout_block_history_1.3b.pickle': ['onlyLastEvent'],
      'old_layout_block_history_oom.pickle': ['onlyLastEvent'],
      'one_event_trace.pickle': ['onlyLastEvent'],
      'private_pools_pending_free.pickle': ['noTrace'],
      'ring_buffer_10000_events.pickle': ['ringOverflow', ...late],
      'same_as_page_bf16.pickle': late,
      'segments_only_empty_traces.pickle': ['noTrace'],
      'torch_compile_frames.pickle': late,
      'windows_backslash_paths.pickle': late,
      'windows_complete_history.pickle': [],
    };
    for (const [name, wanted] of Object.entries(expected)) assert.deepEqual([...(await of(name)).keys()], wanted, name);
    const snapshots = readdirSync(join(CORPUS, 'recorded_on_gpu')).filter((name) => !/SOURCES|timeline/.test(name));
    assert.deepEqual(snapshots.sort(), Object.keys(expected).sort());
    assert.match((await of('does_not_reconcile_scrubbed.pickle')).get('segmentsDisagree') ?? '', /262,135,296 bytes/);
  });

  it('count memory from before the recording', async () => {
    const warnings = await warn(
      [{ address: 512 }, { address: 1024, size: 2048, frames: [] }],
      [event('alloc', 512), event('alloc', 9216), event('free_completed', 9216)],
    );
    assert.deepEqual([...warnings.keys()], ['startedLate']);
    assert.match(warnings.get('startedLate') ?? '', /^2,048 bytes on device 0/);
  });

  it('have the certainty of an overflow', async () => {
    const live = [{ address: 512 }, { address: 1024 }];
    const trace = [event('alloc', 512), event('segment_alloc', 512)];
    assert.match((await warn(live, trace)).get('ringOverflow') ?? '', /begins late, because 1 live block/);
    const full = [...trace, ...Array.from({ length: 126 }, () => event('segment_alloc', 512))];
    assert.match((await warn(live, full)).get('ringOverflow') ?? '', /almost certainly .*128 are left/);
    for (const said of [{ trace_alloc_overflowed: true }, { allocator_settings: { trace_alloc_overflowed: true } }]) {
      assert.match(
        (await warn([live[0]], trace, said)).get('ringOverflow') ?? '',
        /^The trace of device 0 lost its oldest events/,
      );
    }
    assert.equal((await warn(live, trace, { trace_alloc_overflowed: false })).get('ringOverflow'), undefined);
  });

  it('count the bytes by which trace and blocks disagree, either way', async () => {
    const frees = [event('alloc', 9216), event('free_completed', 9216)];
    // Allocated to the end, and not among the blocks.
    const gone = await warn([{ address: 512 }], [event('alloc', 512), ...frees, event('alloc', 4096, { size: 100 })]);
    assert.match(gone.get('traceDisagrees') ?? '', /differ by 100 bytes/);
    // Freed, and still among the blocks.
    const back = await warn([{ address: 512 }], [event('alloc', 512), event('free_completed', 512), ...frees]);
    assert.match(back.get('traceDisagrees') ?? '', /differ by 512 bytes/);
    // A snapshot of another size.
    const other = await warn([{ address: 512 }], [event('alloc', 512, { size: 500 }), ...frees]);
    assert.match(other.get('traceDisagrees') ?? '', /differ by 12 bytes/);
    assert.deepEqual([...(await warn([{ address: 512 }], [event('alloc', 512), ...frees])).keys()], []);
  });

  it('count live memory that no Python frame requested, unless the forward pass is known', async () => {
    const live = [{ address: 512, frames: [] }, { address: 1024 }];
    const free = [event('alloc', 1024), event('alloc', 9216), event('free_completed', 9216)];
    const engine = await warn(live, [event('alloc', 512, { frames: [] }), ...free]);
    assert.match(engine.get('emptyStacks') ?? '', /^512 bytes on device 0/);
    // A tenth of what is live is worth a word, less is in every training.
    const rest = Array.from({ length: 10 }, (_, i) => ({ address: 512 * (i + 2) }));
    const frames = rest.map(({ address }) => event('alloc', address));
    const few = await warn([live[0], ...rest], [event('alloc', 512, { frames: [] }), ...frames, ...free.slice(1)]);
    assert.equal(few.get('emptyStacks'), undefined);
    const forward = ['  File "m.py", line 4, in forward\n    x = f(x)\n'];
    const known = await warn(live, [event('alloc', 512, { frames: [], forward_frames: forward }), ...free]);
    assert.deepEqual([...known.keys()], []);
  });
});
