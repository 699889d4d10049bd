/** PyTorch's caching allocator for one device as a deterministic model: the same requests give the same layout. */
import { ALLOCATED, Blocks, EXPANDABLE, NONE, UNMAPPED } from './blocks.js';
import { FreeSet } from './freeSet.js';
import { MAX_SMALL, SMALL_SEGMENT, segmentBytes, type AllocatorSettings } from './settings.js';
import { countWhile } from '../model/ascending.js';
import type { Bytes } from '../model/units.js';

/** Address space of an expandable segment: more than any device has memory. */
export const SPAN: Bytes = 2 ** 42;
/** Smallest rest that is split off in the small pool and in expandable segments. */
const MIN_REST: Bytes = 512;

/** The pool that serves a request of a lane. @param lane the number of a call of {@link CachingAllocator.addPools} */
export function poolFor(lane: number, size: Bytes): number {
  return 2 * lane + (size <= MAX_SMALL ? 0 : 1);
}

/** The blocks that requests of one size class, stream and private pool share. */
interface Pool {
  readonly free: FreeSet;
  /** Blocks without memory, by address. */
  readonly unmapped: number[];
  readonly isSmall: boolean;
  /** Pools of CUDA graphs and `MemPool`s are private: `empty_cache()` does not release them. */
  readonly isPrivate: boolean;
  readonly searches: { count: number };
}

/** A block of a segment that is in use; without memory it is only address space of an expandable segment. */
export interface Part {
  readonly size: Bytes;
  readonly isAllocated: boolean;
  readonly isMapped: boolean;
}

export interface UsedSegment {
  readonly address: number;
  readonly pool: number;
  readonly isExpandable: boolean;
  /** Blocks in address order. Free neighbors that are mapped alike are merged. */
  readonly blocks: readonly Part[];
}

/** Memory that an expandable segment maps for a request, one entry per piece. */
export interface Growth {
  /** The block that the request will get, {@link NONE} if a new segment begins. */
  readonly block: number;
  readonly addresses: readonly number[];
  readonly sizes: readonly Bytes[];
}

/** What the allocator meets outside of it. */
export interface Surroundings {
  /** Memory that the driver gives in total; infinite by default. */
  readonly capacity?: Bytes;
  /** Completes the frees that wait for other streams. */
  readonly synchronize?: () => void;
  /** Where the driver places a segment for the present request, if that is known. */
  readonly recordedAddress?: () => number | undefined;
}

export class CachingAllocator {
  readonly blocks = new Blocks();
  reserved: Bytes = 0;
  /** Bytes in segments that cannot expand and hold no allocated block. */
  idle: Bytes = 0;
  allocated: Bytes = 0;
  /** Where the driver places the next segment. */
  nextAddress = 0;
  private readonly pools: Pool[] = [];
  private readonly searches = new Map<string, { count: number }>();
  private readonly collects: boolean;

  private readonly capacity: Bytes;

  constructor(
    private readonly settings: AllocatorSettings,
    private readonly surroundings: Surroundings = {},
  ) {
    this.capacity = surroundings.capacity ?? Infinity;
    this.collects = settings.collectionShare > 0 && this.capacity < Infinity;
  }

  /** Adds the pools of a stream: that of small requests, then that of large ones. @param owner of a private pool */
  addPools(owner: string, isPrivate: boolean): void {
    for (const isSmall of [true, false]) {
      const key = `${owner}/${String(isSmall)}`;
      const searches = this.searches.get(key) ?? { count: 0 };
      this.searches.set(key, searches);
      this.pools.push({ free: new FreeSet(this.blocks), unmapped: [], isSmall, isPrivate, searches });
    }
  }

  /** @returns the block of a request, {@link NONE} if there is no memory @param size rounded */
  malloc(pool: number, size: Bytes): number {
    let block = this.choose(pool, size);
    if (block === NONE) {
      block = this.obtain(pool, size);
      if (block === NONE) return NONE;
    }
    this.take(block, size);
    return block;
  }

  /** The free block that a request would get, {@link NONE} if it needs more memory. */
  choose(pool: number, size: Bytes): number {
    const { flags } = this.blocks;
    const { isExpandable } = this.settings;
    const { free, searches } = this.pools[pool];
    if (this.collects) searches.count++;
    let block = free.firstAtLeast(size);
    if (block === NONE) return NONE;
    if ((flags[block] & EXPANDABLE) !== 0) {
      if (isExpandable) {
        for (;;) {
          const next = free.following();
          if (next === NONE || this.growable(next) >= this.growable(block)) break;
          block = next;
          if ((flags[block] & EXPANDABLE) === 0) break;
        }
      } else {
        // After the setting was turned off: as the allocator does, look behind the blocks that can expand.
        while (block !== NONE && (flags[block] & EXPANDABLE) !== 0) block = free.following();
        if (block === NONE) return NONE;
      }
    }
    return this.fits(this.blocks.size[block], size) ? block : NONE;
  }

  /** Whether a block of this size serves a request. A block of `max_split_size_mb` or more is not split, so it must not be much larger. */
  fits(own: Bytes, size: Bytes): boolean {
    const { maxSplitBytes, maxRoundingBytes } = this.settings;
    if (own < size || maxSplitBytes === Infinity) return own >= size;
    return size < maxSplitBytes ? own < maxSplitBytes : own < size + maxRoundingBytes;
  }

  /** What a block can grow to. */
  private growable(block: number): Bytes {
    const { size, next, flags } = this.blocks;
    const after = next[block];
    return size[block] + (after !== NONE && (flags[after] & UNMAPPED) !== 0 ? size[after] : 0);
  }

  /** Gives a free block to a request, and splits off what is not needed. */
  take(block: number, size: Bytes): void {
    const { blocks } = this;
    const pool = this.pools[blocks.pool[block]];
    pool.free.remove(block);
    if (this.isIdle(block)) this.idle -= blocks.size[block];
    if (this.splits(pool, blocks.size[block] - size, size)) this.putBack(blocks.split(block, size));
    blocks.flags[block] |= ALLOCATED;
    this.allocated += blocks.size[block];
  }

  private splits({ isSmall }: Pool, rest: Bytes, size: Bytes): boolean {
    const { isExpandable, maxSplitBytes } = this.settings;
    return isSmall || isExpandable ? rest >= MIN_REST : size < maxSplitBytes && rest > MAX_SMALL;
  }

  /** @returns the free block that contains it afterwards */
  free(block: number): number {
    const { blocks } = this;
    blocks.flags[block] &= ~ALLOCATED;
    this.allocated -= blocks.size[block];
    const free = this.merge(block);
    this.putBack(free);
    if (this.isIdle(free)) this.idle += blocks.size[free];
    return free;
  }

  /** Whether a block fills its whole segment. */
  isWhole(block: number): boolean {
    return this.blocks.previous[block] === NONE && this.blocks.next[block] === NONE;
  }

  isExpandable(block: number): boolean {
    return (this.blocks.flags[block] & EXPANDABLE) !== 0;
  }

  /** Whether a block is free and fills its whole segment, which cannot expand. */
  isIdle(block: number): boolean {
    return (this.blocks.flags[block] & (ALLOCATED | EXPANDABLE)) === 0 && this.isWhole(block);
  }

  private putBack(block: number): void {
    const { free, searches } = this.pools[this.blocks.pool[block]];
    this.blocks.freedAt[block] = searches.count;
    free.insert(block);
  }

  /** Joins a block that is in no set with its free neighbors of the same kind. @returns the joined block */
  private merge(block: number): number {
    const { blocks } = this;
    const kind = blocks.flags[block];
    let joined = block;
    const before = blocks.previous[block];
    if (before !== NONE && blocks.flags[before] === kind) {
      this.withdraw(before);
      blocks.join(before, block);
      joined = before;
    }
    const after = blocks.next[joined];
    if (after !== NONE && blocks.flags[after] === kind) {
      this.withdraw(after);
      blocks.join(joined, after);
    }
    return joined;
  }

  /** Takes a block that is not allocated out of its set. */
  private withdraw(block: number): void {
    const { free, unmapped } = this.pools[this.blocks.pool[block]];
    if ((this.blocks.flags[block] & UNMAPPED) === 0) free.remove(block);
    else unmapped.splice(this.placeOf(unmapped, block), 1);
  }

  private putUnmapped(block: number): void {
    const { unmapped } = this.pools[this.blocks.pool[block]];
    unmapped.splice(this.placeOf(unmapped, block), 0, block);
  }

  /** Where a block is among others by address, or would be. */
  private placeOf(sorted: readonly number[], block: number): number {
    const { address } = this.blocks;
    return countWhile(sorted.length, (i) => address[sorted[i]] < address[block]);
  }

  /** More memory, by all means that the allocator has. */
  private obtain(pool: number, size: Bytes): number {
    if (this.collects) this.collectGarbage();
    let block = this.extend(pool, size);
    if (block === NONE && this.releaseOversize(pool, size)) block = this.extend(pool, size);
    if (block !== NONE) return block;
    this.releaseCached();
    return this.extend(pool, size);
  }

  private extend(pool: number, size: Bytes): number {
    if (this.settings.isExpandable) return this.expand(pool, size, this.planGrowth(pool, size));
    const bytes = segmentBytes(size, this.settings);
    if (this.reserved + bytes > this.capacity) return NONE;
    const recorded = this.surroundings.recordedAddress?.();
    if (recorded !== undefined) return this.addSegment(pool, recorded, bytes);
    const address = this.nextAddress;
    this.nextAddress += Math.ceil(bytes / SMALL_SEGMENT) * SMALL_SEGMENT;
    return this.addSegment(pool, address, bytes);
  }

  /** Adds a free segment that cannot expand. */
  addSegment(pool: number, address: number, bytes: Bytes): number {
    const block = this.blocks.add(address, bytes, pool, 0, 0);
    this.reserved += bytes;
    this.idle += bytes;
    this.putBack(block);
    return block;
  }

  /** Adds a segment whose blocks are known. @returns their numbers */
  addUsedSegment({ address, pool, isExpandable, blocks: parts }: UsedSegment): number[] {
    const { blocks } = this;
    let at = address;
    let last = NONE;
    const numbers = parts.map(({ size, isAllocated, isMapped }) => {
      const flags = (isAllocated ? ALLOCATED : 0) | (isMapped ? 0 : UNMAPPED) | (isExpandable ? EXPANDABLE : 0);
      const block = blocks.add(at, size, pool, flags, isExpandable ? address : 0);
      if (last !== NONE) blocks.link(last, block);
      last = block;
      at += size;
      if (isMapped) this.reserved += size;
      if (isAllocated) this.allocated += size;
      else if (isMapped) this.putBack(block);
      else this.putUnmapped(block);
      return block;
    });
    if (last !== NONE && this.isIdle(last)) this.idle += blocks.size[last];
    this.nextAddress = Math.max(this.nextAddress, Math.ceil(at / SMALL_SEGMENT) * SMALL_SEGMENT);
    return numbers;
  }

  /** Adds an expandable segment without memory. */
  addSpan(pool: number, address: number): number {
    const block = this.blocks.add(address, SPAN, pool, EXPANDABLE | UNMAPPED, address);
    this.putUnmapped(block);
    return block;
  }

  /** The memory that the driver has to give if no free block fits a request. */
  neededFor(pool: number, size: Bytes): Bytes {
    if (!this.settings.isExpandable) return segmentBytes(size, this.settings);
    return this.planGrowth(pool, size).sizes.reduce((sum, bytes) => sum + bytes, 0);
  }

  /** The memory that an expandable segment would map for a request. Changes nothing. */
  planGrowth(pool: number, size: Bytes): Growth {
    const { previous, next, flags, size: sizes, address } = this.blocks;
    const page = this.pageOf(pool);
    for (const unmapped of this.pools[pool].unmapped) {
      const before = previous[unmapped];
      const first = before !== NONE && (flags[before] & ALLOCATED) === 0 ? before : unmapped;
      const growth: { block: number; addresses: number[]; sizes: number[] } = {
        block: first,
        addresses: [],
        sizes: [],
      };
      let bytes = 0;
      let block = first;
      while (bytes < size && block !== NONE && (flags[block] & ALLOCATED) === 0) {
        let more = sizes[block];
        if ((flags[block] & UNMAPPED) !== 0) {
          more = Math.min(more, Math.ceil(Math.min(size - bytes, more) / page) * page);
          growth.addresses.push(address[block]);
          growth.sizes.push(more);
        }
        bytes += more;
        block = next[block];
      }
      if (bytes >= size) return growth;
    }
    return { block: NONE, addresses: [this.nextAddress], sizes: [Math.ceil(size / page) * page] };
  }

  /** @returns the free block, {@link NONE} if memory ends before */
  expand(pool: number, size: Bytes, { block }: Growth): number {
    const { blocks } = this;
    let grown = block;
    if (grown === NONE) {
      grown = this.addSpan(pool, this.nextAddress);
      this.nextAddress += SPAN;
    }
    if ((blocks.flags[grown] & UNMAPPED) !== 0) {
      grown = this.map(grown, Math.min(blocks.size[grown], size));
      if (grown === NONE) return NONE;
    }
    while (blocks.size[grown] < size) {
      const next = blocks.next[grown];
      grown = this.map(next, Math.min(size - blocks.size[grown], blocks.size[next]));
      if (grown === NONE) return NONE;
    }
    return grown;
  }

  /** Maps the first bytes of an unmapped block. @returns the free block that contains them, {@link NONE} without memory */
  map(block: number, bytes: Bytes): number {
    const { blocks } = this;
    const page = this.pageOf(blocks.pool[block]);
    const mapped = Math.min(blocks.size[block], Math.ceil(bytes / page) * page);
    if (this.reserved + mapped > this.capacity) return NONE;
    this.withdraw(block);
    if (mapped < blocks.size[block]) this.putUnmapped(blocks.split(block, mapped));
    blocks.flags[block] &= ~UNMAPPED;
    const joined = this.merge(block);
    this.putBack(joined);
    this.reserved += mapped;
    return joined;
  }

  private pageOf(pool: number): Bytes {
    return this.pools[pool].isSmall ? SMALL_SEGMENT : this.settings.largeSegmentBytes;
  }

  /** The whole pages of a free block in an expandable segment, as address and bytes. */
  pagesOf(block: number): { address: number; bytes: Bytes } {
    const { address, size, origin, pool } = this.blocks;
    const page = this.pageOf(pool[block]);
    const from = Math.ceil((address[block] - origin[block]) / page) * page;
    const to = Math.floor((address[block] + size[block] - origin[block]) / page) * page;
    return { address: origin[block] + from, bytes: Math.max(0, to - from) };
  }

  /** Unmaps a part of a free block. */
  unmap(block: number, address: number, bytes: Bytes): void {
    const { blocks } = this;
    this.withdraw(block);
    let part = block;
    if (address > blocks.address[block]) {
      part = blocks.split(block, address - blocks.address[block]);
      this.putBack(block);
    }
    if (bytes < blocks.size[part]) this.putBack(blocks.split(part, bytes));
    blocks.flags[part] |= UNMAPPED;
    const joined = this.merge(part);
    // An expandable segment without memory is given up.
    if (this.isWhole(joined)) blocks.remove(joined);
    else this.putUnmapped(joined);
    this.reserved -= bytes;
  }

  /** Releases a wholly free segment. */
  releaseSegment(block: number): void {
    const bytes = this.blocks.size[block];
    this.withdraw(block);
    this.blocks.remove(block);
    this.reserved -= bytes;
    this.idle -= bytes;
  }

  /** Free blocks whose memory {@link releaseCached} releases, in that order. */
  releasable(isPrivate: boolean): number[] {
    const found: number[] = [];
    for (const pool of this.pools) {
      if (pool.isPrivate !== isPrivate) continue;
      for (const block of pool.free.all()) {
        if (this.isExpandable(block) ? this.pagesOf(block).bytes > 0 : this.isWhole(block)) found.push(block);
      }
    }
    return found;
  }

  /** What {@link releaseCached} releases of a free block. */
  partToRelease(block: number): { address: number; bytes: Bytes } {
    if (this.isExpandable(block)) return this.pagesOf(block);
    return { address: this.blocks.address[block], bytes: this.blocks.size[block] };
  }

  freeBlocks(): number[] {
    return this.pools.flatMap(({ free }) => free.all());
  }

  /** The blocks of each piece of memory without a gap, of one segment, by address. @param allocated blocks */
  mappedRuns(allocated: Iterable<number>): number[][] {
    const { previous, next, flags, address } = this.blocks;
    const isMapped = (block: number): boolean => block !== NONE && (flags[block] & UNMAPPED) === 0;
    const seen = new Set<number>();
    const runs: number[][] = [];
    for (const block of [...allocated, ...this.freeBlocks()]) {
      if (seen.has(block)) continue;
      let first = block;
      while (isMapped(previous[first])) first = previous[first];
      const run: number[] = [];
      for (let at = first; isMapped(at); at = next[at]) {
        seen.add(at);
        run.push(at);
      }
      runs.push(run);
    }
    return runs.sort(([a], [b]) => address[a] - address[b]);
  }

  /** The unmapped block of a pool that begins at an address; {@link NONE} if there is none. */
  unmappedAt(pool: number, address: number): number {
    return this.pools[pool].unmapped.find((block) => this.blocks.address[block] === address) ?? NONE;
  }

  /** `empty_cache()`: releases all memory that no block needs, except that of private pools. */
  releaseCached(): void {
    this.surroundings.synchronize?.();
    for (const block of this.releasable(false)) {
      if (!this.isExpandable(block)) this.releaseSegment(block);
      else {
        const { address, bytes } = this.pagesOf(block);
        this.unmap(block, address, bytes);
      }
    }
  }

  /** Releases blocks that are too large to be split, until they make up for a request. */
  private releaseOversize(pool: number, size: Bytes): boolean {
    const { maxSplitBytes } = this.settings;
    if (maxSplitBytes === Infinity) return false;
    const { size: sizes } = this.blocks;
    const { free } = this.pools[pool];
    const wanted = Math.max(size, maxSplitBytes);
    const first = free.firstAtLeast(wanted);
    // A block of this size is not split, so it is a segment.
    if (first !== NONE && !this.isExpandable(first)) {
      if (!this.isWhole(first)) return false;
      this.releaseSegment(first);
      return true;
    }
    const chosen: number[] = [];
    let released = 0;
    for (let block = free.preceding(); released < wanted && block !== NONE; block = free.preceding()) {
      if (sizes[block] < maxSplitBytes) break;
      if (!this.isIdle(block)) continue;
      released += sizes[block];
      chosen.push(block);
    }
    for (const block of chosen) this.releaseSegment(block);
    return released >= wanted;
  }

  /** Releases large segments that were free for longer than the average, down to the threshold. */
  private collectGarbage(): void {
    const { blocks, settings, capacity } = this;
    const threshold = Math.floor(settings.collectionShare * capacity);
    const target = this.reserved - threshold;
    if (target <= 0) return;
    let left: { block: number; age: number }[] = [];
    for (const { isSmall, isPrivate, free, searches } of this.pools) {
      if (isSmall || isPrivate) continue;
      for (const block of free.all()) {
        if (this.isIdle(block)) left.push({ block, age: searches.count - blocks.freedAt[block] });
      }
    }
    let total = left.reduce((sum, { age }) => sum + age, 0);
    for (let reclaimed = 0; reclaimed < target && left.length > 0;) {
      const average = total / left.length;
      const old = left.filter(({ age }) => age >= average);
      if (old.length === 0) return;
      for (const { block, age } of old) {
        reclaimed += blocks.size[block];
        total -= age;
        this.releaseSegment(block);
      }
      left = left.filter(({ age }) => age < average);
    }
  }
}
