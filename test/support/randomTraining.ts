/** A made-up process that allocates and frees at random, step after step, and remembers all of it, for brute force. */
import { pickle, Tuple, type Picklable } from './plainPickle.js';
import { seededRandom } from './seededRandom.js';

const FILE = '/home/ml/job/train.py';
const BASE = 0x7f00_0000_0000;
const SLOT = 2 ** 34;
/** Each of so many allocations takes more than four bytes count. */
const HUGE_EVERY = 97;

/** One allocation of the process. */
export interface Lived {
  line: number;
  address: number;
  /** Rounded, bytes. */
  size: number;
  requested: number;
  birthStep: number;
  /** How many events the process had recorded before its own. */
  birthEvent: number;
  /** null while it lives. */
  deathStep: number | null;
}

export interface RandomDump {
  bytes: Buffer;
  /** Events of the process before the first of the trace, and up to the dump. */
  firstEvent: number;
  endEvent: number;
  /** Rounded live bytes and blocks by line. */
  live: ReadonlyMap<number, { bytes: number; blocks: number }>;
}

export class RandomTraining {
  readonly lives: Lived[] = [];
  /** Steps that have begun. */
  step = 0;
  readonly lines: readonly number[];
  private readonly random: (below: number) => number;
  private readonly open = new Map<number, Lived>();
  private readonly events: Picklable[] = [];
  private readonly annotations: Picklable[] = [];
  private readonly free: number[] = [];
  private slots = 0;
  private timeUs = 1_760_000_000_000_000;

  constructor(seed: number, lines: number) {
    this.random = seededRandom(seed);
    this.lines = Array.from({ length: lines }, (_, i) => 10 + i);
  }

  get eventCount(): number {
    return this.events.length;
  }

  /** A step: a few temporaries, and on every line something that may stay, for one step, for some, or for ever. */
  run(): void {
    this.step++;
    this.annotations.push({ name: 'Optimizer.step#SGD.step', stage: 'START', device: 0, time_us: ++this.timeUs });
    for (const line of this.lines) {
      const births = this.random(4);
      for (let i = 0; i < births; i++) this.allocate(line);
      // Freed blocks are drawn at random: addresses are used again, in another order each time.
      for (const life of [...this.open.values()]) {
        if (life.line === line && this.random(line % 3 === 0 ? 40 : 5) === 0) this.release(life);
      }
    }
    for (let i = this.random(3); i > 0; i--) this.release(this.allocate(this.lines[0]));
  }

  /** The snapshot of this moment with a ring of so many events. */
  dump(ring: number): RandomDump {
    const firstEvent = Math.max(0, this.events.length - ring);
    const live = new Map<number, { bytes: number; blocks: number }>();
    for (const { line, size } of this.open.values()) {
      const { bytes, blocks } = live.get(line) ?? { bytes: 0, blocks: 0 };
      live.set(line, { bytes: bytes + size, blocks: blocks + 1 });
    }
    const dumped = {
      firstEvent,
      endEvent: this.events.length,
      live,
      bytes: pickle({
        segments: [...this.open.values()].map(segment),
        device_traces: [this.events.slice(firstEvent)],
        allocator_settings: {},
        external_annotations: this.annotations,
      }),
    };
    this.event('snapshot', 0, 0, null);
    return dumped;
  }

  private allocate(line: number): Lived {
    const at = this.free.length > 0 && this.random(4) > 0 ? this.random(this.free.length) : -1;
    const address = at === -1 ? BASE + SLOT * this.slots++ : this.free.splice(at, 1)[0];
    const requested = 1 + this.random(6) * 700 + (this.lives.length % HUGE_EVERY === HUGE_EVERY - 1 ? 2 ** 32 : 0);
    const size = Math.max(1, Math.ceil(requested / 512)) * 512;
    const life: Lived = {
      line,
      address,
      size,
      requested,
      birthStep: this.step,
      birthEvent: this.eventCount,
      deathStep: null,
    };
    this.lives.push(life);
    this.open.set(address, life);
    this.event('alloc', address, requested, line);
    return life;
  }

  private release(life: Lived): void {
    this.open.delete(life.address);
    this.free.push(life.address);
    life.deathStep = this.step;
    this.event('free_requested', life.address, life.requested, 1);
    this.event('free_completed', life.address, life.requested, 1);
  }

  private event(action: string, addr: number, size: number, line: number | null): void {
    this.timeUs += 10;
    const entry = { action, addr, size, stream: 0, time_us: this.timeUs };
    this.events.push(line === null ? entry : { ...entry, frames: framesOf(line) });
  }
}

function framesOf(line: number): Picklable {
  return [{ name: 'main', filename: FILE, line }];
}

function segment({ address, requested, size, line }: Lived): Picklable {
  const frames = framesOf(line);
  return {
    device: 0,
    address,
    total_size: size,
    allocated_size: size,
    active_size: size,
    requested_size: requested,
    stream: 0,
    segment_type: 'small',
    segment_pool_id: new Tuple([0, 0]),
    is_expandable: false,
    frames,
    blocks: [{ address, size, requested_size: requested, state: 'active_allocated', frames }],
  };
}
