/** Arithmetic on the lines and buckets of a comparison. */
import type { Tally } from '../../attribution/ownerTally.js';
import type { CompareCell } from '../report.js';

/** @param known false if the moved blocks are unknown */
export function emptyCell(known: boolean): CompareCell {
  const none = (): Tally => ({ bytes: 0, blocks: 0 });
  const flow = known ? { survived: none(), allocated: none(), freed: none() } : null;
  return { bytesA: 0, bytesB: 0, growthBytes: 0, blocksA: 0, blocksB: 0, flow };
}

/** The sum of two cells, or their difference for sign -1. Known flows give a known flow. */
export function addCells(a: CompareCell, b: CompareCell, sign: 1 | -1 = 1): CompareCell {
  const amount = (part: 'survived' | 'allocated' | 'freed'): Tally => ({
    bytes: (a.flow?.[part].bytes ?? 0) + sign * (b.flow?.[part].bytes ?? 0),
    blocks: (a.flow?.[part].blocks ?? 0) + sign * (b.flow?.[part].blocks ?? 0),
  });
  const isKnown = a.flow !== null && b.flow !== null;
  return {
    bytesA: a.bytesA + sign * b.bytesA,
    bytesB: a.bytesB + sign * b.bytesB,
    growthBytes: a.growthBytes + sign * b.growthBytes,
    blocksA: a.blocksA + sign * b.blocksA,
    blocksB: a.blocksB + sign * b.blocksB,
    flow: isKnown ? { survived: amount('survived'), allocated: amount('allocated'), freed: amount('freed') } : null,
  };
}
