import { BlockState, NO_INDEX, NO_STACK, type Snapshot } from '../model/snapshot.js';
import type { Bytes } from '../model/units.js';
import { CATEGORY_CODES } from '../attribution/categories/category.js';
import { livedRow } from '../attribution/categories/categorizer.js';
import { BlockSizes, type EqualBlocks } from '../attribution/categories/equalBlocks.js';
import type { DeviceView } from '../attribution/deviceViews.js';
import type { DigestFrames } from './digestFrames.js';
import type { StacklessBucket } from '../attribution/owner.js';
import { stacklessBucket } from '../attribution/stackless.js';

/** The live blocks of one stack. */
export interface LiveGroup {
  /** Indices into the digest's frames, innermost first; empty if the blocks have no stack. */
  frames: readonly number[];
  /** The forward pass's stack of a backward allocation, empty where there is none. */
  forwardFrames: readonly number[];
  /** Where the blocks belong if they have no stack. */
  stackless: StacklessBucket;
  liveBytes: Bytes;
  requestedBytes: Bytes;
  blocks: number;
  /** The blocks of the size that holds most bytes. */
  equal: EqualBlocks;
  /** Live bytes by `CategoryCode`; they add up to `liveBytes`. */
  categories: Float64Array;
}

/** Which blocks are live, one row each, for telling survivors from new ones. */
export interface LiveBlocks {
  readonly count: number;
  readonly device: Int32Array;
  readonly addrLow: Uint32Array;
  readonly addrHigh: Uint32Array;
  readonly size: Float64Array;
  /** Index into `groups`. */
  readonly group: Uint32Array;
  /** Ordinal of the allocating event in its device's trace, `NO_INDEX` if it is not in the trace. */
  readonly birth: Uint32Array;
}

/**
 * Shares out the live blocks to groups: blocks of one stack, and those without one by where they belong.
 * @returns with `groupOfBlock`, the group of each live block of the snapshot; of no meaning for others
 */
export function liveGroups(
  snapshot: Snapshot,
  devices: ReadonlyMap<number, DeviceView>,
  frames: DigestFrames,
): { groups: LiveGroup[]; blocks: LiveBlocks; groupOfBlock: Uint32Array } {
  const { blocks, segments, events } = snapshot;
  const live: number[] = [];
  for (let block = 0; block < blocks.count; block++) {
    if (blocks.state[block] !== BlockState.Inactive) live.push(block);
  }
  const groups: LiveGroup[] = [];
  const sizes: BlockSizes[] = [];
  const groupOf = new Map<string | number, number>();
  const columns = {
    count: live.length,
    device: new Int32Array(live.length),
    addrLow: new Uint32Array(live.length),
    addrHigh: new Uint32Array(live.length),
    size: new Float64Array(live.length),
    group: new Uint32Array(live.length),
    birth: new Uint32Array(live.length).fill(NO_INDEX),
  };
  const groupOfBlock = new Uint32Array(blocks.count);
  const rowOfBlock = new Uint32Array(blocks.count);
  for (const { history } of devices.values()) {
    const { atEnd } = history.allocations;
    atEnd.blocks.forEach((block, i) => (rowOfBlock[block] = atEnd.rows[i]));
  }
  const recorded = stacklessBucket(snapshot, true);
  const unrecorded = stacklessBucket(snapshot, false);
  for (let row = 0; row < live.length; row++) {
    const block = live[row];
    const event = blocks.allocEvent[block];
    const forward = event === NO_INDEX ? NO_STACK : (events.forwardStack?.[event] ?? NO_STACK);
    const stack = blocks.stack[block];
    const stackless = event === NO_INDEX ? unrecorded : recorded;
    const byStack = 2 * stack + Number(stackless === recorded);
    const key = forward === NO_STACK ? byStack : `${byStack}/${forward}`;
    let group = groupOf.get(key);
    if (group === undefined) {
      group = groups.length;
      groupOf.set(key, group);
      sizes.push(new BlockSizes());
      groups.push({
        frames: frames.ofStack(stack),
        forwardFrames: frames.ofStack(forward),
        stackless,
        liveBytes: 0,
        requestedBytes: 0,
        blocks: 0,
        equal: { size: 0, blocks: 0 },
        categories: new Float64Array(CATEGORY_CODES),
      });
    }
    groupOfBlock[block] = group;
    const total = groups[group];
    total.liveBytes += blocks.size[block];
    total.requestedBytes += blocks.requestedSize[block];
    total.blocks++;
    sizes[group].add(blocks.size[block]);
    const device = segments.device[blocks.segment[block]];
    columns.device[row] = device;
    columns.addrLow[row] = blocks.addrLow[block];
    columns.addrHigh[row] = blocks.addrHigh[block];
    columns.size[row] = blocks.size[block];
    columns.group[row] = group;
    const view = devices.get(device);
    if (view === undefined) continue;
    if (event !== NO_INDEX) columns.birth[row] = event - view.history.trace.first;
    const category = view.categorizer.of(livedRow(view.history, rowOfBlock[block]));
    total.categories[category] += blocks.size[block];
  }
  groups.forEach((group, i) => (group.equal = sizes[i].largest()));
  return { groups, blocks: columns, groupOfBlock };
}
