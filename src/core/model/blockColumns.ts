import type { Captures } from './captures.js';
import { NO_INDEX, type BlockTable, type EventTable } from './snapshot.js';

/** Blocks in the order in which they were read. */
export interface CollectedBlocks {
  /** Both words of an address are zero where the input has none: it follows from the blocks before in the segment. */
  readonly low: Uint32Array;
  readonly high: Uint32Array;
  readonly size: Float64Array;
  readonly requested: Float64Array;
  readonly state: Uint8Array;
  readonly stack: Uint32Array;
  /** See {@link Captures}; `NO_INDEX` for none. */
  readonly capture: Uint32Array;
}

/** A segment, and the range of its collected blocks. */
interface BlockRange {
  readonly addrLow: number;
  readonly addrHigh: number;
  readonly firstBlock: number;
  readonly blockCount: number;
}

const TWO_32 = 4294967296;

/**
 * The blocks in the order of their segments, with address and, for a shared stack, the allocating event.
 * @param count of the blocks of these segments
 */
export function blockColumns(
  segments: readonly BlockRange[],
  count: number,
  collected: CollectedBlocks,
  captures: Captures,
  events: Pick<EventTable, 'addrLow' | 'addrHigh'>,
): BlockTable {
  const ordered = inOrder(segments, count);
  const blocks: BlockTable = {
    count,
    segment: new Uint32Array(count),
    addrLow: new Uint32Array(count),
    addrHigh: new Uint32Array(count),
    size: ordered(collected.size, new Float64Array(count)),
    requestedSize: ordered(collected.requested, new Float64Array(count)),
    state: ordered(collected.state, new Uint8Array(count)),
    stack: ordered(collected.stack, new Uint32Array(count)),
    allocEvent: new Uint32Array(count).fill(NO_INDEX),
    category: null,
  };
  const { segment: segmentOf, addrLow, addrHigh, size, allocEvent } = blocks;
  let to = 0;
  for (let segment = 0; segment < segments.length; segment++) {
    const row = segments[segment];
    const hasAddress = (row.addrLow | row.addrHigh) !== 0;
    let low = row.addrLow;
    let high = row.addrHigh;
    for (let from = row.firstBlock; from < row.firstBlock + row.blockCount; from++, to++) {
      segmentOf[to] = segment;
      if (!hasAddress || (collected.low[from] | collected.high[from]) !== 0) {
        low = collected.low[from];
        high = collected.high[from];
      }
      addrLow[to] = low;
      addrHigh[to] = high;
      const event = captures.allocOf(collected.capture[from]);
      if (event !== NO_INDEX && events.addrLow[event] === addrLow[to] && events.addrHigh[event] === addrHigh[to])
        allocEvent[to] = event;
      const end = low + size[to];
      low = end >>> 0;
      high += Math.floor(end / TWO_32);
    }
  }
  return blocks;
}

type Column = Uint8Array | Uint32Array | Float64Array;

/** Copies a collected column to one in the order of the segments. */
function inOrder(segments: readonly BlockRange[], count: number): <C extends Column>(from: C, to: C) => C {
  // Most files name segments in the order of their blocks: one copy for all of them.
  const isInOrder = segments.every(
    ({ firstBlock }, i) => firstBlock === (i === 0 ? 0 : segments[i - 1].firstBlock + segments[i - 1].blockCount),
  );
  const ranges = isInOrder ? [{ firstBlock: 0, blockCount: count }] : segments;
  return (from, to) => {
    let at = 0;
    for (const { firstBlock, blockCount } of ranges) {
      to.set(from.subarray(firstBlock, firstBlock + blockCount), at);
      at += blockCount;
    }
    return to;
  };
}
