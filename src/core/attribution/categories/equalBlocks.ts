import type { Bytes } from '../../model/units.js';

/** Blocks of one stack that have the same size, as a layer's or a cache's have. */
export interface EqualBlocks {
  size: Bytes;
  blocks: number;
}

/** Counts the sizes of blocks. */
export class BlockSizes {
  private readonly counts = new Map<Bytes, number>();

  add(size: Bytes): void {
    this.counts.set(size, (this.counts.get(size) ?? 0) + 1);
  }

  /** The blocks of the size that holds most bytes. */
  largest(): EqualBlocks {
    return largestOf([...this.counts].map(([size, blocks]) => ({ size, blocks })));
  }
}

/** The entry whose blocks hold most bytes together. */
export function largestOf(all: readonly EqualBlocks[]): EqualBlocks {
  return all.reduce((most, one) => (one.size * one.blocks > most.size * most.blocks ? one : most), {
    size: 0,
    blocks: 0,
  });
}
