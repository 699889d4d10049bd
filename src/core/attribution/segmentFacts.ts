import { getOrAdd } from '../maps.js';
import { Action, BlockState, type Snapshot } from '../model/snapshot.js';
import { isPrivatePool } from '../model/privatePool.js';
import type { Bytes } from '../model/units.js';

/** The segments of one device that share a pool, a stream and a kind. */
export interface PoolFacts {
  device: number;
  /** `0,0` is the default pool; null if unknown. */
  pool: string | null;
  stream: string;
  isExpandable: boolean;
  reservedBytes: Bytes;
  liveBytes: Bytes;
  /** Bytes in segments without live blocks, which `empty_cache` frees. */
  idleBytes: Bytes;
}

/** A large segment with a little live memory: it cannot be freed, nor used for large blocks. */
interface PinnedSegment {
  device: number;
  totalBytes: Bytes;
  liveBytes: Bytes;
  /** The digest's group of its largest live block. */
  group: number;
}

/** Blocks that their tensors released and another stream still uses. */
interface PendingBlocks {
  device: number;
  group: number;
  bytes: Bytes;
  blocks: number;
}

/** Facts of segments beyond their live blocks. */
export interface SegmentFacts {
  pools: readonly PoolFacts[];
  /** The largest, at most {@link MAX_PINNED}. */
  pinned: readonly PinnedSegment[];
  pending: readonly PendingBlocks[];
  /** Devices whose trace reports a failed allocation. */
  outOfMemory: readonly number[];
  /** Where the segments of each device begin; none of a device with more than {@link MAX_PLACES}. */
  places: readonly { device: number; addresses: readonly number[] }[];
}

/** Live share of a large segment below which it is pinned. */
const PINNED = 0.1;
const MAX_PINNED = 256;
/** Maximum number of pools and streams. Those beyond it are one, because a file can name a stream per segment. */
const MAX_POOLS = 256;
const MAX_PLACES = 4096;

/** @param groupOf the digest's group of a live block */
export function segmentFacts(snapshot: Snapshot, groupOf: (block: number) => number): SegmentFacts {
  const { segments, blocks, strings, traces, events } = snapshot;
  const pools = new Map<string, PoolFacts>();
  const pinned: PinnedSegment[] = [];
  const pending = new Map<string, PendingBlocks>();
  for (let segment = 0; segment < segments.count; segment++) {
    const device = segments.device[segment];
    const totalBytes = segments.totalSize[segment];
    let liveBytes = 0;
    let largest = -1;
    for (let block = segments.firstBlock[segment]; block < segments.firstBlock[segment + 1]; block++) {
      if (blocks.state[block] === BlockState.Inactive) continue;
      liveBytes += blocks.size[block];
      if (largest === -1 || blocks.size[block] > blocks.size[largest]) largest = block;
      if (blocks.state[block] === BlockState.PendingFree)
        addPending(pending, device, groupOf(block), blocks.size[block]);
    }
    const isExpandable = segments.isExpandable[segment] === 1;
    const pool = poolOf(
      pools,
      device,
      strings.text(segments.pool[segment]),
      strings.text(segments.stream[segment]),
      isExpandable,
    );
    pool.reservedBytes += totalBytes;
    pool.liveBytes += liveBytes;
    if (liveBytes === 0) pool.idleBytes += totalBytes;
    if (largest !== -1 && isPinned(snapshot, segment, liveBytes)) {
      pinned.push({ device, totalBytes, liveBytes, group: groupOf(largest) });
    }
  }
  return {
    pools: [...pools.values()],
    pinned: pinned.sort((a, b) => b.totalBytes - a.totalBytes).slice(0, MAX_PINNED),
    pending: [...pending.values()],
    outOfMemory: traces
      .filter(({ first, count }) => events.action.subarray(first, first + count).includes(Action.OutOfMemory))
      .map(({ device }) => device),
    places: placesOf(snapshot),
  };
}

function placesOf({ segments }: Snapshot): SegmentFacts['places'] {
  const places = new Map<number, number[]>();
  for (let segment = 0; segment < segments.count; segment++) {
    const address = segments.addrHigh[segment] * 2 ** 32 + segments.addrLow[segment];
    // Inputs that give sums have no addresses.
    if (address === 0) continue;
    getOrAdd(places, segments.device[segment], () => []).push(address);
  }
  return [...places].map(([device, addresses]) => ({
    device,
    addresses: addresses.length > MAX_PLACES ? [] : addresses,
  }));
}

/** True for a segment whose few live bytes pin it. @param liveBytes in it */
export function isPinned({ segments }: Snapshot, segment: number, liveBytes: Bytes): boolean {
  const isLarge = segments.isSmall[segment] === 0 && segments.isExpandable[segment] === 0;
  return isLarge && liveBytes > 0 && liveBytes < PINNED * segments.totalSize[segment];
}

function poolOf(
  pools: Map<string, PoolFacts>,
  device: number,
  pool: string,
  stream: string,
  isExpandable: boolean,
): PoolFacts {
  const named = { pool: pool === '' ? null : pool, stream };
  let key = `${device}/${named.pool}/${stream}/${isExpandable}`;
  if (!pools.has(key) && pools.size >= MAX_POOLS) {
    named.stream = '';
    key = `${device}/${isPrivatePool(named.pool) ? '' : named.pool}/${isExpandable}`;
  }
  return getOrAdd(pools, key, () => ({ device, ...named, isExpandable, reservedBytes: 0, liveBytes: 0, idleBytes: 0 }));
}

function addPending(pending: Map<string, PendingBlocks>, device: number, group: number, bytes: Bytes): void {
  const facts = getOrAdd(pending, `${device}/${group}`, () => ({ device, group, bytes: 0, blocks: 0 }));
  facts.bytes += bytes;
  facts.blocks++;
}
