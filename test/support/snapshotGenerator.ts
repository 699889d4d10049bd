/** Makes up snapshots of PyTorch's newest layout from random numbers: consistent ones, as an allocator leaves them. */
import type { Picklable } from './plainPickle.js';

export interface Frame {
  readonly [key: string]: string | number | bigint;
}

export interface Block {
  readonly [key: string]: Picklable;
  readonly address: bigint;
  readonly size: number;
  readonly requested_size: number;
  readonly state: string;
  readonly frames: readonly Frame[];
}

export interface Segment {
  readonly [key: string]: Picklable;
  readonly device: number;
  readonly address: bigint;
  readonly total_size: number;
  readonly stream: number;
  readonly blocks: readonly Block[];
}

export interface Entry {
  readonly [key: string]: Picklable;
  readonly action: string;
  readonly size: number;
}

export interface Generated {
  readonly [key: string]: Picklable;
  readonly segments: readonly Segment[];
  readonly device_traces: readonly (readonly Entry[])[];
}

type Random = (below: number) => number;

interface Live {
  address: bigint;
  size: number;
  requested: number;
  frames: readonly Frame[];
  isPending: boolean;
}

const GRANULE = 512;
const SEGMENT = 2 << 20;
const START_US = 1_760_000_000_000_000;
const FILES = [
  'train.py',
  '/home/me/модель.py',
  'C:\\Users\\me\\train.py',
  '/tmp/ipykernel_12/345.py',
  '<ipython-input-3-abc>',
  '/w/subclass_codegen.py:codegen(compiled_function_forward)',
  '/usr/lib/python3/dist-packages/torch/nn/modules/linear.py',
  '<eval_with_key>.5',
];
/** Metadata of programs: texts by convention, other values in practice. */
const METADATA: readonly Picklable[] = [
  '',
  '',
  '',
  'step 7',
  '{"epoch": 1, "név": "β"}',
  { epoch: 2, phase: 'eval' },
  12,
];
const REGIONS = ['N/A', 'N/A', 'N/A', 'Torch-Compiled Region: 0/0', 'Torch-Compiled Region: 3/1'];
/** The frames of the forward pass, outermost first, as autograd stores them. */
const FORWARD = [
  '  File "/w/main.py", line 9, in <module>\n    y = model(x)\n',
  '  File "/w/model.py", line 41, in f\n    x\n',
];

/** Where the addresses of a device begin: CUDA's, and XPU's beyond 2^63. */
const BASES = [0x7f00_0000_0000n, 0xffff_d556_aa00_0000n];

/** @param random tells numbers below a bound, see `seededRandom` */
export function generateSnapshot(random: Random): Generated {
  const frames = Array.from({ length: 3 + random(12) }, (_, i): Frame => {
    const line = random(20) === 0 ? 2n ** 64n - 1n : 1 + random(5000);
    return {
      name: ['forward', '<module>', '<lambda>', 'größe'][random(4)] + String(i % 3),
      filename: FILES[random(FILES.length)],
      line,
    };
  });
  const stacks = Array.from({ length: 1 + random(6) }, () =>
    Array.from({ length: 1 + random(9) }, () => frames[random(frames.length)]),
  );
  const devices = 1 + random(3);
  const segments: Segment[] = [];
  const traces: Entry[][] = [];
  for (let device = 0; device < devices; device++) {
    const trace: Entry[] = [];
    // A device in the middle may have nothing at all.
    if (device !== 1 || random(2) === 0) segments.push(...simulate(device, random, stacks, trace));
    traces.push(trace);
  }
  return {
    segments,
    device_traces: traces,
    allocator_settings: { max_split_size: -1, garbage_collection_threshold: 0.5, expandable_segments: false },
    external_annotations: [
      { stage: 'START', name: 'ProfilerStep#0', device: 0, time_us: START_US },
      { stage: 'END', name: 'ProfilerStep#0', device: 0, time_us: START_US + 10_000 },
    ],
  };
}

/** One device: allocations and frees into segments of one size, and the blocks that they leave. */
function simulate(device: number, random: Random, stacks: readonly (readonly Frame[])[], trace: Entry[]): Segment[] {
  const base = BASES[random(2)] + BigInt(device) * 0x1_0000_0000n;
  const held: Live[][] = [];
  const stream = random(4) === 0 ? 7 : 0;
  let time = START_US;
  let metadata = METADATA[random(METADATA.length)];
  const facts = (): Readonly<Record<string, Picklable>> => {
    time += random(50);
    if (random(9) === 0) metadata = METADATA[random(METADATA.length)];
    const region = REGIONS[random(REGIONS.length)];
    return { stream, time_us: time, compile_context: region, user_metadata: metadata, pool_id: [0, random(2)] };
  };
  const record = (action: string, addr: bigint, size: number, list: readonly Frame[]): void => {
    const forward = random(12) === 0 ? { forward_frames: FORWARD } : {};
    trace.push({ action, addr, size, ...facts(), frames: list, ...forward });
  };
  /** Events without an effect on live memory: a failure, the mark of a snapshot, actions of later releases. */
  const recordOther = (): void => {
    const size = GRANULE * (1 + random(600));
    const others: readonly Entry[] = [
      { action: 'oom', device_free: random(1 << 20), size, ...facts(), frames: stacks[random(stacks.length)].slice() },
      { action: 'snapshot', addr: 0n, size: held.flat().reduce((sum, block) => sum + block.size, 0), ...facts() },
      { action: 'annotate', addr: 0n, size: 0, ...facts(), internal_metadata: 'x', frames: [] },
      { action: 'segment_map', addr: base - BigInt(SEGMENT), size: SEGMENT, ...facts(), frames: [] },
    ];
    trace.push(others[random(others.length)]);
  };
  const startOf = (segment: number): bigint => base + BigInt(segment) * BigInt(SEGMENT);
  for (let round = random(60); round >= 0; round--) {
    if (random(10) === 0) recordOther();
    const live = held.flat().filter(({ isPending }) => !isPending);
    if (live.length > 0 && random(3) === 0) {
      const block = live[random(live.length)];
      const list = stacks[random(stacks.length)].slice();
      record('free_requested', block.address, block.requested, list);
      if (random(8) === 0) block.isPending = true;
      else {
        record('free_completed', block.address, block.requested, list);
        for (const blocks of held) {
          const place = blocks.indexOf(block);
          if (place >= 0) blocks.splice(place, 1);
        }
      }
      continue;
    }
    const size = GRANULE * (1 + random(600));
    const requested = size - random(GRANULE);
    // Memory from before the recording has no stack and no event; every allocation has a list of frames of its own.
    const isOld = round > 0 && trace.length === 0 && random(3) === 0;
    const list = isOld ? [] : stacks[random(stacks.length)].slice();
    let segment = held.findIndex((blocks) => end(blocks, 0n) + BigInt(size) <= BigInt(SEGMENT));
    if (segment < 0) {
      segment = held.push([]) - 1;
      if (!isOld) record('segment_alloc', startOf(segment), SEGMENT, list);
    }
    const address = startOf(segment) + end(held[segment], 0n);
    held[segment].push({ address, size, requested, frames: list, isPending: false });
    if (!isOld) record('alloc', address, requested, list);
  }
  function end(blocks: readonly Live[], empty: bigint): bigint {
    const last = blocks.at(-1);
    if (last === undefined) return empty;
    return last.address + BigInt(last.size) - startOf(held.indexOf(blocks as Live[]));
  }
  return held.map((blocks, segment) => ({
    device,
    address: startOf(segment),
    total_size: SEGMENT,
    allocated_size: 0,
    active_size: 0,
    requested_size: 0,
    stream,
    segment_type: 'small',
    segment_pool_id: [0, 0],
    is_expandable: false,
    frames: [],
    blocks: covering(startOf(segment), blocks),
  }));
}

/** The blocks of a segment without a hole: what is not held is inactive, with a stale requested size. */
function covering(start: bigint, live: readonly Live[]): Block[] {
  const blocks: Block[] = [];
  let at = start;
  const gap = (to: bigint): void => {
    if (to === at) return;
    blocks.push({ address: at, size: Number(to - at), requested_size: 99, state: 'inactive', frames: [] });
  };
  for (const { address, size, requested, frames, isPending } of live) {
    gap(address);
    const state = isPending ? 'active_pending_free' : 'active_allocated';
    blocks.push({ address, size, requested_size: requested, state, frames });
    at = address + BigInt(size);
  }
  gap(start + BigInt(SEGMENT));
  return blocks;
}
