import { NONE, type Blocks } from './blocks.js';
import { countWhile } from '../model/ascending.js';
import type { Bytes } from '../model/units.js';

/** Blocks in one chunk. Longer chunks take longer to shift, more of them longer to search. */
const CHUNK = 128;

class Chunk {
  count = 0;
  readonly size = new Float64Array(CHUNK);
  readonly block = new Int32Array(CHUNK);
}

/**
 * The free blocks of one pool and stream, by size, then address. It is a list of sorted chunks, because few sets have
 * more blocks than one chunk holds, and a recording with millions of them must not take quadratic time.
 */
export class FreeSet {
  private readonly chunks = [new Chunk()];
  /** The place that {@link locate} found. */
  private chunk = 0;
  private place = 0;

  constructor(private readonly blocks: Blocks) {}

  insert(block: number): void {
    const size = this.blocks.size[block];
    this.locate(size, this.blocks.address[block]);
    let chunk = this.chunks[this.chunk];
    if (chunk.count === CHUNK) chunk = this.halve(chunk);
    const { place } = this;
    chunk.size.copyWithin(place + 1, place, chunk.count);
    chunk.block.copyWithin(place + 1, place, chunk.count);
    chunk.size[place] = size;
    chunk.block[place] = block;
    chunk.count++;
  }

  remove(block: number): void {
    // Blocks can share an address where one of them has that of another recording.
    this.locate(this.blocks.size[block], this.blocks.address[block]);
    let here = this.here();
    while (here !== block) here = this.following();
    const chunk = this.chunks[this.chunk];
    const { place } = this;
    chunk.size.copyWithin(place, place + 1, chunk.count);
    chunk.block.copyWithin(place, place + 1, chunk.count);
    chunk.count--;
    if (chunk.count === 0 && this.chunks.length > 1) this.chunks.splice(this.chunk, 1);
  }

  /** The first block of at least this size. {@link following} and {@link preceding} go on from it. */
  firstAtLeast(size: Bytes): number {
    this.locate(size, -Infinity);
    return this.here();
  }

  following(): number {
    this.place++;
    if (this.place >= this.chunks[this.chunk].count && this.chunk + 1 < this.chunks.length) {
      this.chunk++;
      this.place = 0;
    }
    return this.here();
  }

  preceding(): number {
    this.place--;
    if (this.place < 0 && this.chunk > 0) {
      this.chunk--;
      this.place = this.chunks[this.chunk].count - 1;
    }
    return this.here();
  }

  /** All blocks in their order. A copy: they may be removed meanwhile. */
  all(): number[] {
    return this.chunks.flatMap(({ block, count }) => [...block.subarray(0, count)]);
  }

  private here(): number {
    const { count, block } = this.chunks[this.chunk];
    return this.place >= 0 && this.place < count ? block[this.place] : NONE;
  }

  /** Finds the first place whose block is not before a size and address. */
  private locate(size: Bytes, address: number): void {
    const { chunks } = this;
    this.chunk = countWhile(chunks.length - 1, (i) => this.isBefore(chunks[i], chunks[i].count - 1, size, address));
    const chunk = chunks[this.chunk];
    this.place = countWhile(chunk.count, (i) => this.isBefore(chunk, i, size, address));
  }

  private isBefore(chunk: Chunk, place: number, size: Bytes, address: number): boolean {
    const own = chunk.size[place];
    return own < size || (own === size && this.blocks.address[chunk.block[place]] < address);
  }

  /** Moves the upper half of a full chunk into a new one. @returns the chunk of the present place */
  private halve(full: Chunk): Chunk {
    const upper = new Chunk();
    const half = CHUNK / 2;
    upper.size.set(full.size.subarray(half));
    upper.block.set(full.block.subarray(half));
    upper.count = half;
    full.count = half;
    this.chunks.splice(this.chunk + 1, 0, upper);
    if (this.place <= half) return full;
    this.chunk++;
    this.place -= half;
    return upper;
  }
}
