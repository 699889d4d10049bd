import type { DeviceHistory } from '../../model/history.js';
import type { Snapshot } from '../../model/snapshot.js';
import type { Bytes } from '../../model/units.js';

/**
 * Requested bytes, by row. The allocator's blocks of equal tensors differ: it does not split off a rest
 * of less than 1 MiB.
 */
export function requestedSizes({ events, blocks }: Snapshot, history: DeviceHistory): (row: number) => Bytes {
  const { allocations, trace } = history;
  const { birth, death, bytes, atEnd } = allocations;
  const ofBlock = new Map<number, Bytes>();
  atEnd.rows.forEach((row, i) => {
    if (birth[row] < 0) ofBlock.set(row, blocks.requestedSize[atEnd.blocks[i]]);
  });
  return (row) => {
    const event = birth[row] >= 0 ? birth[row] : death[row];
    const asked = event < trace.count ? events.size[trace.first + event] : ofBlock.get(row);
    // Zero where the input does not say.
    return asked === undefined || asked === 0 ? bytes[row] : asked;
  };
}
