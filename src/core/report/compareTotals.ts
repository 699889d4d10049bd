/** Sums over parts of a comparison. */
import type { Amount, CompareCell } from './report.js';

/** @param known false where the recordings cannot tell which blocks moved */
export function emptyCell(known: boolean): CompareCell {
  const none = (): Amount => ({ bytes: 0, blocks: 0 });
  return {
    bytesA: 0,
    bytesB: 0,
    growthBytes: 0,
    blocksA: 0,
    blocksB: 0,
    flow: known ? { survived: none(), born: none(), freed: none() } : null,
  };
}

export function addCell(sum: CompareCell, cell: CompareCell): void {
  sum.bytesA += cell.bytesA;
  sum.bytesB += cell.bytesB;
  sum.growthBytes += cell.growthBytes;
  sum.blocksA += cell.blocksA;
  sum.blocksB += cell.blocksB;
  addAmount(sum.flow?.survived, cell.flow?.survived);
  addAmount(sum.flow?.born, cell.flow?.born);
  addAmount(sum.flow?.freed, cell.flow?.freed);
}

export function addAmount(sum: Amount | undefined, more: Readonly<Amount> | undefined): void {
  if (sum === undefined || more === undefined) return;
  sum.bytes += more.bytes;
  sum.blocks += more.blocks;
}
