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
  readonly multiplicity: Uint32Array | null;
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
  const blocks: BlockTable = {
    count,
    segment: new Uint32Array(count),
    addrLow: new Uint32Array(count),
    addrHigh: new Uint32Array(count),
    size: new Float64Array(count),
    requestedSize: new Float64Array(count),
    state: new Uint8Array(count),
    stack: new Uint32Array(count),
    allocEvent: new Uint32Array(count).fill(NO_INDEX),
    multiplicity: collected.multiplicity === null ? null : new Uint32Array(count),
    category: null,
  };
  let to = 0;
  segments.forEach((row, segment) => {
    const hasAddress = (row.addrLow | row.addrHigh) !== 0;
    let low = row.addrLow;
    let high = row.addrHigh;
    for (let from = row.firstBlock; from < row.firstBlock + row.blockCount; from++, to++) {
      blocks.segment[to] = segment;
      if (!hasAddress || (collected.low[from] | collected.high[from]) !== 0) {
        low = collected.low[from];
        high = collected.high[from];
      }
      blocks.addrLow[to] = low;
      blocks.addrHigh[to] = high;
      const end = low + collected.size[from];
      low = end >>> 0;
      high += Math.floor(end / TWO_32);
      blocks.size[to] = collected.size[from];
      blocks.requestedSize[to] = collected.requested[from];
      blocks.state[to] = collected.state[from];
      blocks.stack[to] = collected.stack[from];
      if (blocks.multiplicity !== null && collected.multiplicity !== null) {
        blocks.multiplicity[to] = collected.multiplicity[from];
      }
      const event = captures.allocOf(collected.capture[from]);
      if (event === NO_INDEX) continue;
      if (events.addrLow[event] === blocks.addrLow[to] && events.addrHigh[event] === blocks.addrHigh[to]) {
        blocks.allocEvent[to] = event;
      }
    }
  });
  return blocks;
}
