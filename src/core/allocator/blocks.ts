import { resized } from '../model/growable.js';
import type { Bytes } from '../model/units.js';

/** No block, in place of its number. */
export const NONE = -1;

/** Flags of a block. */
export const ALLOCATED = 1;
/** Address space without memory; only in an expandable segment. */
export const UNMAPPED = 2;
export const EXPANDABLE = 4;

/**
 * The blocks of a device, by number, as columns. The first block of a segment keeps its number while the segment
 * exists, because a split gives the number to the lower part, and a merge keeps that of the lower block.
 */
export class Blocks {
  address = new Float64Array(1024);
  size = new Float64Array(1024);
  /** Neighbors in the same segment, or {@link NONE}. */
  previous = new Int32Array(1024);
  next = new Int32Array(1024);
  pool = new Int32Array(1024);
  flags = new Uint8Array(1024);
  /** Where the pages of the expandable segment begin. */
  origin = new Float64Array(1024);
  /** The searches in the pool when the block became free. */
  freedAt = new Int32Array(1024);
  private used = 0;
  /** Removed blocks, linked by `next`. */
  private spare = NONE;

  add(address: number, size: Bytes, pool: number, flags: number, origin: number): number {
    let block = this.spare;
    if (block === NONE) {
      block = this.used++;
      if (block === this.size.length) this.grow();
    } else this.spare = this.next[block];
    this.address[block] = address;
    this.size[block] = size;
    this.previous[block] = NONE;
    this.next[block] = NONE;
    this.pool[block] = pool;
    this.flags[block] = flags;
    this.origin[block] = origin;
    return block;
  }

  /** Splits a block at a size. @returns the upper part */
  split(block: number, size: Bytes): number {
    const { address, pool, flags, origin } = this;
    const rest = this.add(address[block] + size, this.size[block] - size, pool[block], flags[block], origin[block]);
    this.size[block] = size;
    this.link(rest, this.next[block]);
    this.link(block, rest);
    return rest;
  }

  /** Joins a block with its upper neighbor, whose number is free afterwards. */
  join(block: number, upper: number): void {
    this.size[block] += this.size[upper];
    this.link(block, this.next[upper]);
    this.remove(upper);
  }

  link(lower: number, upper: number): void {
    this.next[lower] = upper;
    if (upper !== NONE) this.previous[upper] = lower;
  }

  remove(block: number): void {
    this.next[block] = this.spare;
    this.spare = block;
  }

  private grow(): void {
    const length = this.size.length * 2;
    this.address = resized(this.address, new Float64Array(length));
    this.size = resized(this.size, new Float64Array(length));
    this.previous = resized(this.previous, new Int32Array(length));
    this.next = resized(this.next, new Int32Array(length));
    this.pool = resized(this.pool, new Int32Array(length));
    this.flags = resized(this.flags, new Uint8Array(length));
    this.origin = resized(this.origin, new Float64Array(length));
    this.freedAt = resized(this.freedAt, new Int32Array(length));
  }
}
