/**
 * A training process that never was: allocations and frees go in, and at any moment the snapshot that PyTorch's
 * `_dump_snapshot` would have written comes out. For repositories that tests make up themselves.
 */
import { pickle, Tuple, type Picklable } from './plainPickle.js';

export interface Frame {
  filename: string;
  line: number;
  name: string;
}

interface Block {
  address: number;
  /** The requested size, bytes. */
  requested: number;
  /** The rounded size, bytes. */
  size: number;
  frames: readonly Frame[];
}

const baseAddress = 0x7f00_0000_0000;
const roundTo = 512;

export class TrainingRun {
  private readonly live = new Map<number, Block>();
  private readonly trace: Picklable[] = [];
  private readonly annotations: Picklable[] = [];
  private nextAddress = baseAddress;
  private timeUs = 1_760_000_000_000_000;

  /** @param ring entries that the trace has room for; the oldest make way */
  constructor(private readonly ring = Number.POSITIVE_INFINITY) {}

  /** Allocates a tensor; frames innermost first. @returns its address */
  allocate(requested: number, frames: readonly Frame[]): number {
    const size = Math.ceil(requested / roundTo) * roundTo;
    const address = this.nextAddress;
    // Each block in a segment of its own: rounding is all of the allocator that matters to sums by line.
    this.nextAddress += size;
    this.event('segment_alloc', address, size, frames);
    this.event('alloc', address, requested, frames);
    this.live.set(address, { address, requested, size, frames });
    return address;
  }

  free(address: number, frames?: readonly Frame[]): void {
    const block = this.live.get(address);
    if (block === undefined) throw new Error(`Nothing lives at ${address}.`);
    this.live.delete(address);
    this.event('free_requested', address, block.requested, frames ?? block.frames);
    this.event('free_completed', address, block.requested, block.frames);
    this.event('segment_free', address, block.size, block.frames);
  }

  /** An optimizer's step begins and ends. @returns when it ended, Unix microseconds */
  step(optimizer: string): number {
    for (const stage of ['START', 'END']) {
      this.timeUs += 100;
      this.annotations.push({ name: `Optimizer.step#${optimizer}.step`, stage, device: 0, time_us: this.timeUs });
    }
    return this.timeUs;
  }

  /** Rounded live bytes, by brute force, of blocks whose innermost frame is this line. */
  liveBytes(filename: string, line: number): number {
    return [...this.live.values()]
      .filter(({ frames }) => frames[0]?.filename === filename && frames[0]?.line === line)
      .reduce((sum, { size }) => sum + size, 0);
  }

  /** The snapshot of this moment, as a file holds it. */
  dump(): Buffer {
    const file = pickle({
      segments: [...this.live.values()].map((block) => segment(block)),
      device_traces: [[...this.trace]],
      allocator_settings: {},
      external_annotations: [...this.annotations],
    });
    // PyTorch leaves a mark in the trace after it has copied it: the next dump shows where this one was made.
    this.event('snapshot', 0, 0, []);
    return file;
  }

  private event(action: string, addr: number, size: number, frames: readonly Frame[]): void {
    this.timeUs += 100;
    const entry = { action, addr, size, stream: 0, time_us: this.timeUs, compile_context: 'N/A', user_metadata: '' };
    this.trace.push(frames.length === 0 ? entry : { ...entry, frames: pickleFrames(frames) });
    if (this.trace.length > this.ring) this.trace.shift();
  }
}

function segment({ address, requested, size, frames }: Block): Picklable {
  return {
    device: 0,
    address,
    total_size: size,
    allocated_size: size,
    active_size: size,
    requested_size: requested,
    stream: 0,
    segment_type: size > 1 << 20 ? 'large' : 'small',
    segment_pool_id: new Tuple([0, 0]),
    is_expandable: false,
    frames: pickleFrames(frames),
    blocks: [{ address, size, requested_size: requested, state: 'active_allocated', frames: pickleFrames(frames) }],
  };
}

function pickleFrames(frames: readonly Frame[]): Picklable {
  return frames.map(({ name, filename, line }) => ({ name, filename, line }));
}
