/** The caching allocator as plain objects that are searched one by one, and the snapshot that it dumps. */
import { seededRandom } from '../../support/seededRandom.js';
import { Tuple, type Picklable } from '../../support/plainPickle.js';

const MIB = 1 << 20;
const BASE = 0x7f00_0000_0000;
/** Address space of an expandable segment, and what is between two of them. */
const SPAN = 2 ** 36;
const DISTANCE = 2 ** 41;

export interface PlainSettings {
  readonly expandable: boolean;
  /** In bytes; infinite by default. */
  readonly maxSplit: number;
  readonly divisions: number;
  readonly capacity: number;
}

interface Block {
  address: number;
  size: number;
  requested: number;
  state: 'free' | 'used' | 'pending' | 'unmapped';
}

interface Segment {
  readonly address: number;
  readonly stream: number;
  readonly isSmall: boolean;
  readonly isExpandable: boolean;
  blocks: Block[];
}

export class PlainAllocator {
  readonly trace: { [key: string]: Picklable }[] = [];
  readonly segments: Segment[] = [];
  reservedPeak = 0;
  private nextAddress = BASE;
  private timeUs = 1_760_000_000_000_000;

  private readonly random: (below: number) => number;

  /** @param seed of the driver's addresses */
  constructor(
    private readonly settings: PlainSettings,
    seed: number,
  ) {
    this.random = seededRandom(seed);
  }

  get reserved(): number {
    return this.segments
      .flatMap(({ blocks }) => blocks)
      .reduce((sum, one) => sum + (one.state === 'unmapped' ? 0 : one.size), 0);
  }

  /** @returns the address, null at out of memory */
  malloc(requested: number, stream: number): number | null {
    const size = this.round(requested);
    const found =
      this.best(size, stream) ??
      this.more(size, stream) ??
      (this.releaseOversize(size, stream) ? this.more(size, stream) : null) ??
      this.moreAfterRelease(size, stream);
    if (found === null) {
      this.record('oom', { size, device_free: this.settings.capacity - this.reserved }, stream);
      return null;
    }
    const { segment, block } = found;
    const rest = block.size - size;
    const isFine = segment.isSmall || this.settings.expandable;
    if (isFine ? rest >= 512 : size < this.settings.maxSplit && rest > MIB) {
      const upper: Block = { address: block.address + size, size: rest, requested: 0, state: 'free' };
      segment.blocks.splice(segment.blocks.indexOf(block) + 1, 0, upper);
      block.size = size;
    }
    block.state = 'used';
    block.requested = requested;
    this.record('alloc', { addr: block.address, size: requested }, stream);
    this.reservedPeak = Math.max(this.reservedPeak, this.reserved);
    return block.address;
  }

  /** @param isUsed by another stream, so that the free completes later */
  free(address: number, isUsed = false): void {
    const { segment, block } = this.at(address);
    this.record('free_requested', { addr: address, size: block.requested }, segment.stream);
    block.state = 'pending';
    if (!isUsed) this.complete(address);
  }

  complete(address: number): void {
    const waiting = this.segments.flatMap((one) => one.blocks.map((block) => ({ segment: one, block })));
    const found = waiting.find(({ block }) => block.address === address && block.state === 'pending');
    if (found === undefined) return;
    const { segment, block } = found;
    this.record('free_completed', { addr: address, size: block.requested }, segment.stream);
    block.state = 'free';
    joinNeighbors(segment);
  }

  emptyCache(): void {
    for (const { blocks } of this.segments) {
      for (const { address, state } of [...blocks]) if (state === 'pending') this.complete(address);
    }
    for (const segment of [...this.segments]) {
      if (!segment.isExpandable) {
        const [only] = segment.blocks;
        if (segment.blocks.length > 1 || only.state !== 'free') continue;
        this.segments.splice(this.segments.indexOf(segment), 1);
        this.record('segment_free', { addr: segment.address, size: only.size }, segment.stream);
        continue;
      }
      const page = segment.isSmall ? 2 * MIB : 20 * MIB;
      for (const block of segment.blocks.filter(({ state }) => state === 'free')) {
        const from = segment.address + Math.ceil((block.address - segment.address) / page) * page;
        const to = segment.address + Math.floor((block.address + block.size - segment.address) / page) * page;
        if (to <= from) continue;
        const pieces: Block[] = [
          { address: block.address, size: from - block.address, requested: 0, state: 'free' },
          { address: from, size: to - from, requested: 0, state: 'unmapped' },
          { address: to, size: block.address + block.size - to, requested: 0, state: 'free' },
        ];
        segment.blocks.splice(segment.blocks.indexOf(block), 1, ...pieces.filter(({ size }) => size > 0));
        this.record('segment_unmap', { addr: from, size: to - from }, segment.stream);
      }
      joinNeighbors(segment);
      // Without memory, the segment gives its addresses back.
      if (segment.blocks.length === 1 && segment.blocks[0].state === 'unmapped')
        this.segments.splice(this.segments.indexOf(segment), 1);
    }
  }

  snapshot(entries: number): Picklable {
    const segments = this.segments
      .flatMap((segment) => runsOf(segment).map((blocks) => ({ segment, blocks })))
      .sort((a, b) => a.blocks[0].address - b.blocks[0].address)
      .map(({ segment, blocks }) => ({
        device: 0,
        address: blocks[0].address,
        total_size: total(blocks),
        stream: segment.stream,
        segment_type: segment.isSmall ? 'small' : 'large',
        segment_pool_id: new Tuple([0, 0]),
        is_expandable: segment.isExpandable,
        blocks: blocks.map(({ address, size, requested, state }) => ({
          address,
          size,
          requested_size: requested,
          state: { free: 'inactive', used: 'active_allocated', pending: 'active_pending_free', unmapped: '' }[state],
          frames: [],
        })),
      }));
    const { expandable, maxSplit, divisions } = this.settings;
    return {
      segments,
      device_traces: [this.trace.slice(-entries)],
      allocator_settings: {
        PYTORCH_CUDA_ALLOC_CONF: '',
        expandable_segments: expandable,
        max_split_size: maxSplit === Infinity ? -1 : maxSplit,
        roundup_power2_divisions: Object.fromEntries(
          Array.from({ length: 16 }, (_, power) => [String(2 ** power), divisions]),
        ),
      },
    };
  }

  private round(size: number): number {
    const { divisions } = this.settings;
    if (divisions > 1 && size > 512 * divisions) {
      let power = 512;
      while (power * 2 <= size) power *= 2;
      for (let fine = power; ; fine += power / divisions) if (fine >= size) return fine;
    }
    return Math.max(1, Math.ceil(size / 512)) * 512;
  }

  private best(size: number, stream: number): { segment: Segment; block: Block } | null {
    const isSmall = size <= MIB;
    const fitting = this.segments
      .filter((segment) => segment.stream === stream && segment.isSmall === isSmall)
      .flatMap((segment) =>
        segment.blocks.map((block, place) => ({ segment, block, after: segment.blocks.at(place + 1) })),
      )
      .filter(({ block }) => block.state === 'free' && block.size >= size)
      .map((one) => ({ ...one, most: one.block.size + (one.after?.state === 'unmapped' ? one.after.size : 0) }))
      .sort((a, b) => a.block.size - b.block.size || a.block.address - b.block.address);
    // The allocator chooses the first expandable block whose successor cannot expand to less.
    let place = 0;
    while (this.settings.expandable && place + 1 < fitting.length && fitting[place + 1].most < fitting[place].most)
      place++;
    const chosen = fitting.at(place);
    if (chosen === undefined) return null;
    const { maxSplit } = this.settings;
    if (size < maxSplit ? chosen.block.size >= maxSplit : chosen.block.size >= size + 20 * MIB) return null;
    return chosen;
  }

  private moreAfterRelease(size: number, stream: number): { segment: Segment; block: Block } | null {
    this.emptyCache();
    return this.more(size, stream);
  }

  private more(size: number, stream: number): { segment: Segment; block: Block } | null {
    return this.settings.expandable ? this.expand(size, stream) : this.newSegment(size, stream);
  }

  private newSegment(size: number, stream: number): { segment: Segment; block: Block } | null {
    const isSmall = size <= MIB;
    const bytes = isSmall ? 2 * MIB : size < 10 * MIB ? 20 * MIB : Math.ceil(size / 2 / MIB) * 2 * MIB;
    if (this.reserved + bytes > this.settings.capacity) return null;
    const address = this.newAddress(bytes);
    const block: Block = { address, size: bytes, requested: 0, state: 'free' };
    const segment: Segment = { address, stream, isSmall, isExpandable: false, blocks: [block] };
    this.segments.push(segment);
    this.record('segment_alloc', { addr: address, size: bytes }, stream);
    return { segment, block };
  }

  private expand(size: number, stream: number): { segment: Segment; block: Block } | null {
    const isSmall = size <= MIB;
    const page = isSmall ? 2 * MIB : 20 * MIB;
    let segment = this.segments.find((one) => one.stream === stream && one.isSmall === isSmall);
    if (segment === undefined) {
      const address = this.newAddress(DISTANCE);
      const whole: Block = { address, size: SPAN, requested: 0, state: 'unmapped' };
      segment = { address, stream, isSmall, isExpandable: true, blocks: [whole] };
      this.segments.push(segment);
    }
    const { blocks } = segment;
    // The lowest run of blocks that are free or unmapped, with an unmapped one at most second, that is long enough.
    const isOpen = (block: Block | undefined): boolean => block?.state === 'free' || block?.state === 'unmapped';
    for (let place = 0; place < blocks.length; place++) {
      if (blocks[place].state !== 'unmapped') continue;
      const first = blocks.at(place - 1)?.state === 'free' && place > 0 ? place - 1 : place;
      let end = first;
      while (end < blocks.length && isOpen(blocks[end])) end++;
      if (total(blocks.slice(first, end)) < size) continue;
      const start = blocks[first].address;
      for (;;) {
        const own = blocks.findIndex(({ address }) => address === start);
        const free = blocks[own].state === 'free' ? blocks[own].size : 0;
        if (free >= size) return { segment, block: blocks[own] };
        const gap = blocks[blocks[own].state === 'free' ? own + 1 : own];
        const bytes = Math.min(gap.size, Math.ceil((size - free) / page) * page);
        if (this.reserved + bytes > this.settings.capacity) return null;
        const rest: Block = { address: gap.address + bytes, size: gap.size - bytes, requested: 0, state: 'unmapped' };
        if (rest.size > 0) blocks.splice(blocks.indexOf(gap) + 1, 0, rest);
        gap.size = bytes;
        gap.state = 'free';
        this.record('segment_map', { addr: gap.address, size: bytes }, stream);
        joinNeighbors(segment);
      }
    }
    throw new Error('an expandable segment has address space for all of a test');
  }

  private releaseOversize(size: number, stream: number): boolean {
    const { maxSplit } = this.settings;
    if (maxSplit === Infinity) return false;
    const wanted = Math.max(size, maxSplit);
    const oversize = this.segments
      .filter((one) => one.stream === stream && one.isSmall === size <= MIB && one.blocks.length === 1)
      .filter(({ blocks: [block] }) => block.state === 'free' && block.size >= maxSplit)
      .sort((a, b) => a.blocks[0].size - b.blocks[0].size || a.address - b.address);
    const enough = oversize.find(({ blocks: [block] }) => block.size >= wanted);
    let released = 0;
    const chosen = enough === undefined ? oversize.reverse() : [enough];
    for (const segment of chosen) {
      if (released >= wanted) break;
      released += segment.blocks[0].size;
      this.segments.splice(this.segments.indexOf(segment), 1);
      this.record('segment_free', { addr: segment.address, size: segment.blocks[0].size }, stream);
    }
    return released >= wanted;
  }

  /** A driver gives addresses in no order. */
  private newAddress(bytes: number): number {
    this.nextAddress += bytes + 2 * MIB * this.random(8);
    const address = this.nextAddress;
    this.nextAddress += bytes;
    return this.random(2) === 0 ? address : 2 * BASE + (2 * BASE - Math.ceil(address / 2 / MIB) * 2 * MIB - bytes);
  }

  private at(address: number): { segment: Segment; block: Block } {
    for (const segment of this.segments) {
      const block = segment.blocks.find((one) => one.address === address);
      if (block !== undefined) return { segment, block };
    }
    throw new Error('no block is there');
  }

  private record(action: string, facts: { [key: string]: Picklable }, stream: number): void {
    this.trace.push({ action, ...facts, stream, time_us: this.timeUs++ });
  }
}

function joinNeighbors(segment: Segment): void {
  const joined: Block[] = [];
  for (const block of segment.blocks) {
    const last = joined.at(-1);
    if (last !== undefined && last.state === block.state && (block.state === 'free' || block.state === 'unmapped'))
      last.size += block.size;
    else joined.push(block);
  }
  segment.blocks.splice(0, segment.blocks.length, ...joined);
}

/** The blocks of a segment between its unmapped parts. */
function runsOf({ blocks }: Segment): Block[][] {
  const runs: Block[][] = [[]];
  for (const block of blocks) {
    if (block.state === 'unmapped') runs.push([]);
    else runs.at(-1)?.push(block);
  }
  return runs.filter((run) => run.length > 0);
}

function total(blocks: readonly Block[]): number {
  return blocks.reduce((sum, { size }) => sum + size, 0);
}
