/** A training run as its allocator saw it: the events, and what is live at the end. Equal for equal arguments. */

export const enum EventKind {
  Alloc,
  FreeRequested,
  FreeCompleted,
  SegmentAlloc,
}

/** A segment cut into slots of one size; what is left over stays free. */
export interface Slab {
  readonly address: number;
  readonly bytes: number;
  readonly slot: number;
  readonly slots: number;
  readonly small: boolean;
  /** The context of the call that got it. */
  readonly context: number;
}

export interface History {
  readonly count: number;
  readonly kind: Uint8Array;
  readonly address: Float64Array;
  readonly size: Float64Array;
  /** Index into `contextStack`: calls of the allocator, each with a list of frames of its own. */
  readonly context: Int32Array;
  /** The stack of each context, -1 for an empty one. */
  readonly contextStack: Int32Array;
  readonly slabs: readonly Slab[];
  /** Live blocks by address. */
  readonly live: ReadonlyMap<number, { readonly requested: number; readonly context: number }>;
  /** Ordinals of the events at which steps begin. */
  readonly stepStarts: readonly number[];
}

const KIB = 1024;
const MIB = 1024 * KIB;
const ACTIVATIONS = [64 * KIB, 256 * KIB, 1152 * KIB, 4608 * KIB, 12 * MIB] as const;
const LAYERS = 12;
/** Share of frees that a Python line asks for; the others come from the backward pass, which has no Python stack. */
const FREES_WITH_STACK = 0.085;

/**
 * Trains until the history has `events` events.
 * @param maxKept so many of the kept blocks stay live at most: the oldest is freed for the next
 */
export function trainingHistory(events: number, stacks: number, maxKept = Infinity): History {
  const recorder = new Recorder(events, stacks);
  const kept: number[] = [];
  const keep = (bytes: number, stack: number): void => {
    if (kept.push(recorder.alloc(bytes, stack)) > maxKept) recorder.free(kept.shift() ?? -1);
  };
  for (let layer = 0; layer < 3 * LAYERS; layer++) recorder.alloc(4 * MIB + 40 * layer, layer);
  const stepStarts: number[] = [];
  for (let steps = 0; !recorder.full; steps++) {
    stepStarts.push(recorder.count);
    const activations: number[] = [];
    for (let layer = 0; layer < LAYERS; layer++) {
      for (let part = 0; part < 4; part++) {
        const bytes = ACTIVATIONS[recorder.random(ACTIVATIONS.length)];
        activations.push(recorder.alloc(bytes + 4 * (layer + part), 30 + layer * 4 + part + (steps % 16) * 60));
      }
    }
    for (const [i, activation] of activations.reverse().entries()) {
      const gradient = recorder.alloc(recorder.sizeOf(activation), 1000 + i * 7);
      recorder.free(activation);
      recorder.free(gradient);
    }
    keep(1152 * KIB, 1998); // a loss with its graph
    if (steps % 5 === 0) keep(4608 * KIB, 1999); // the output of a hook
  }
  return recorder.history(stepStarts);
}

/** A training run that was dumped earlier, after a number of its events. */
export function historyUntil(history: History, count: number): History {
  const live = new Map<number, { requested: number; context: number }>();
  let slabs = 0;
  for (let event = 0; event < count; event++) {
    const address = history.address[event];
    switch (history.kind[event] as EventKind) {
      case EventKind.Alloc:
        live.set(address, { requested: history.size[event], context: history.context[event] });
        break;
      case EventKind.FreeRequested:
        live.delete(address);
        break;
      case EventKind.FreeCompleted:
        break;
      case EventKind.SegmentAlloc:
        slabs++;
        break;
    }
  }
  const stepStarts = history.stepStarts.filter((start) => start < count);
  return { ...history, count, live, slabs: history.slabs.slice(0, slabs), stepStarts };
}

class Recorder {
  count = 0;
  private readonly kind: Uint8Array;
  private readonly address: Float64Array;
  private readonly size: Float64Array;
  private readonly context: Int32Array;
  private readonly contextStack: Int32Array;
  private contexts = 0;
  private readonly slabs: Slab[] = [];
  private nextAddress = 0x7f00_0000_0000;
  /** Free slots by slot size. */
  private readonly free_ = new Map<number, number[]>();
  private readonly live = new Map<number, { requested: number; context: number }>();
  private seed = 0x5eed;

  constructor(
    private readonly events: number,
    private readonly stacks: number,
  ) {
    const room = events + 64; // the last call may end a little later
    this.kind = new Uint8Array(room);
    this.address = new Float64Array(room);
    this.size = new Float64Array(room);
    this.context = new Int32Array(room);
    this.contextStack = new Int32Array(room);
  }

  get full(): boolean {
    return this.count >= this.events;
  }

  /** A whole number below `below` (xorshift). */
  random(below: number): number {
    this.seed ^= this.seed << 13;
    this.seed ^= this.seed >>> 17;
    this.seed ^= this.seed << 5;
    return (this.seed >>> 0) % below;
  }

  /** @returns the address, or -1 once the history is full */
  alloc(bytes: number, stack: number): number {
    if (this.full) return -1;
    const context = this.newContext(stack % this.stacks);
    const slot = Math.max(512, Math.ceil(bytes / 512) * 512);
    const free = this.free_.get(slot) ?? [];
    this.free_.set(slot, free);
    if (free.length === 0) this.addSlab(slot, context, free);
    const address = free.pop() ?? 0;
    this.live.set(address, { requested: bytes, context });
    this.record(EventKind.Alloc, address, bytes, context);
    return address;
  }

  free(address: number): void {
    const block = this.live.get(address);
    if (this.full || block === undefined) return;
    this.live.delete(address);
    const hasStack = this.random(1000) < FREES_WITH_STACK * 1000;
    const context = this.newContext(hasStack ? this.random(this.stacks) : -1);
    this.record(EventKind.FreeRequested, address, block.requested, context);
    this.record(EventKind.FreeCompleted, address, block.requested, context);
    this.free_.get(Math.max(512, Math.ceil(block.requested / 512) * 512))?.push(address);
  }

  sizeOf(address: number): number {
    return this.live.get(address)?.requested ?? 512;
  }

  history(stepStarts: readonly number[]): History {
    const { count, kind, address, size, context, contextStack, slabs, live } = this;
    return { count, kind, address, size, context, contextStack, slabs, live, stepStarts };
  }

  private addSlab(slot: number, context: number, free: number[]): void {
    const small = slot <= MIB;
    const bytes = small ? 2 * MIB : slot < 10 * MIB ? 20 * MIB : Math.ceil(slot / (2 * MIB)) * 2 * MIB;
    const address = this.nextAddress;
    this.nextAddress += bytes;
    const slots = Math.floor(bytes / slot);
    this.slabs.push({ address, bytes, slot, slots, small, context });
    for (let i = slots - 1; i >= 0; i--) free.push(address + i * slot);
    this.record(EventKind.SegmentAlloc, address, bytes, context);
  }

  private newContext(stack: number): number {
    this.contextStack[this.contexts] = stack;
    return this.contexts++;
  }

  private record(kind: EventKind, address: number, size: number, context: number): void {
    this.kind[this.count] = kind;
    this.address[this.count] = address;
    this.size[this.count] = size;
    this.context[this.count] = context;
    this.count++;
  }
}
