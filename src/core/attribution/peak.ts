import { getOrAdd } from '../maps.js';
import type { Snapshot } from '../model/snapshot.js';
import type { Bytes, StackId } from '../model/units.js';
import type { CategoryCode } from './categories/category.js';
import { livedRow, type Categorizer } from './categories/categorizer.js';
import { BlockSizes, type EqualBlocks } from './categories/equalBlocks.js';
import { liveRows, type DeviceHistory } from '../model/history.js';
import type { StacklessBucket } from './owner.js';
import { stacklessRows } from './stackless.js';

/** Memory of one stack and category at the peak. */
export interface PeakGroup {
  stack: StackId;
  forwardStack: StackId;
  stackless: StacklessBucket;
  category: CategoryCode;
  bytes: Bytes;
  blocks: number;
  /** The blocks of the size that holds most bytes. */
  equal: EqualBlocks;
  /** The number of blocks that wait for the backward pass. */
  keptForBackward: number;
  /** The number of blocks that were allocated more than a step earlier. */
  fromEarlierSteps: number;
}

/** Who holds the memory after an event, -1 for the state before the trace. Linear in the allocations. */
export function heldAt(
  snapshot: Snapshot,
  history: DeviceHistory,
  categorizer: Categorizer,
  event: number,
): PeakGroup[] {
  const { bytes } = history.allocations;
  const groups = new Map<string, { group: Omit<PeakGroup, 'equal'>; sizes: BlockSizes }>();
  const stacklessOf = stacklessRows(snapshot, history);
  for (const row of liveRows(history, event)) {
    const lived = livedRow(history, row);
    const category = categorizer.of(lived);
    const stackless = stacklessOf(row);
    const key = `${lived.stack}/${lived.forwardStack}/${stackless}/${category}`;
    const { stack, forwardStack } = lived;
    const { group, sizes } = getOrAdd(groups, key, () => ({
      group: { stack, forwardStack, stackless, category, bytes: 0, blocks: 0, keptForBackward: 0, fromEarlierSteps: 0 },
      sizes: new BlockSizes(),
    }));
    sizes.add(bytes[row]);
    group.bytes += bytes[row];
    group.blocks++;
    if (categorizer.isFromEarlierStep(lived, event)) group.fromEarlierSteps++;
    else if (categorizer.isKeptForBackward(lived)) group.keptForBackward++;
  }
  return [...groups.values()].map(({ group, sizes }) => ({ ...group, equal: sizes.largest() }));
}
