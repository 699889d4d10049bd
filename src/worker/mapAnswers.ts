/** Answers questions on the memory map. */
import { momentOf } from '../core/model/history.js';
import { getOrAdd, groupBy } from '../core/maps.js';
import { memoryMap, stacksOfBlock, sumSegments, type MappedSegment } from '../core/timeline/memoryMap.js';
import type { FileLookup } from '../core/attribution/owner.js';
import { ownerOfStack, stackFrames } from '../core/attribution/ownerTally.js';
import { StackReader } from '../core/attribution/readableStack.js';
import { snapshotAt } from '../core/model/snapshotAt.js';
import { stacklessBucket } from '../core/attribution/stackless.js';
import { NO_INDEX, type Snapshot } from '../core/model/snapshot.js';
import { NO_OWNER, type MapOwner, type MapPool, type MapQuery, type MemoryMapAnswer } from '../protocol/mapData.js';
import { ownerPlace } from './ownerPlace.js';
import type { SnapshotStore } from './snapshotStore.js';
import type { WhatIfAnswers } from './whatIfAnswers.js';
import type { WorkspaceFiles } from './workspaceFiles.js';

/** Maximum number of pools, streams and kinds. Those beyond it are one, because a file can name a stream per segment. */
const MAX_POOLS = 64;
/** Maximum number of characters of a label of a pool or stream. */
const MAX_LABEL = 40;
/** Maximum number of frames of a block's stack. */
const FRAMES_OF_BLOCK = 6;
/** Characters of all owners in an answer. */
const ROOM_FOR_OWNERS = 40_000;

export class MapAnswers {
  constructor(
    private readonly store: SnapshotStore,
    private readonly workspace: WorkspaceFiles,
    private readonly whatIfs: WhatIfAnswers,
  ) {}

  async memoryMap(query: MapQuery, signal: AbortSignal): Promise<MemoryMapAnswer> {
    const { path, device, event: asked, pixels, rows, changed } = query;
    const snapshot = this.store.trend(path) === null ? await this.store.snapshot(path, signal) : null;
    if (snapshot === null || snapshot.absent.includes('addresses') || snapshot.absent.includes('reserved')) {
      return { ...WITHOUT_PLACES, path, device, event: asked };
    }
    const history = await this.store.history(path, device, signal);
    const { event, timeUs } = momentOf(history, asked);
    const layout = changed === null ? null : await this.whatIfs.layout({ path, device, ...changed }, event, signal);
    const isEnd = event === history.trace.count - 1 && layout === null;
    const at = layout?.at ?? (isEnd ? { snapshot, unplacedBytes: 0 } : snapshotAt(snapshot, history, event));
    const { count } = at.snapshot.segments;
    let only: number | null = null;
    for (let segment = 0; query.only !== null && segment < count; segment++) {
      if (addressOf(at.snapshot, segment) === query.only) only = segment;
    }
    const map = memoryMap(at.snapshot, device, { pixels, rows, only });
    const { pools, poolOf } = poolsOf(at.snapshot, map.all);
    const owners = new BlockOwners(at.snapshot, this.workspace.lookupFor(snapshot, this.store.digests));
    return {
      path,
      device,
      event,
      timeUs,
      isEnd,
      unplacedBytes: at.unplacedBytes,
      changedName: layout?.name ?? null,
      only: only === null ? null : query.only,
      hasPlaces: true,
      total: map.total,
      pools,
      segments: map.segments.map((segment) => ({
        ...segment,
        address: addressOf(at.snapshot, segment.segment),
        pool: poolOf(segment),
      })),
      others: map.others,
      pieces: { ...map.pieces, block: map.pieces.block.map((block) => owners.indexOf(block)) },
      owners: owners.list,
    };
  }
}

const NOTHING = sumSegments([]);
const WITHOUT_PLACES: Omit<MemoryMapAnswer, 'path' | 'device' | 'event'> = {
  timeUs: null,
  isEnd: true,
  unplacedBytes: 0,
  changedName: null,
  only: null,
  hasPlaces: false,
  total: NOTHING,
  pools: [],
  segments: [],
  others: NOTHING,
  pieces: {
    row: new Uint32Array(0),
    kind: new Uint8Array(0),
    bytes: new Float64Array(0),
    liveBytes: new Float64Array(0),
    blocks: new Uint32Array(0),
    block: new Uint32Array(0),
  },
  owners: [],
};

function addressOf({ segments }: Snapshot, segment: number): string {
  const address = (BigInt(segments.addrHigh[segment]) << 32n) | BigInt(segments.addrLow[segment]);
  return `0x${address.toString(16)}`;
}

function poolsOf(
  snapshot: Snapshot,
  all: readonly MappedSegment[],
): { pools: MapPool[]; poolOf: (segment: MappedSegment) => number } {
  const { segments, strings } = snapshot;
  const labelOf = ({ segment }: MappedSegment): Pick<MapPool, 'pool' | 'stream' | 'kind'> => ({
    pool: strings.text(segments.pool[segment]).slice(0, MAX_LABEL) || null,
    stream: strings.text(segments.stream[segment]).slice(0, MAX_LABEL),
    kind: segments.isExpandable[segment] === 1 ? 'expandable' : segments.isSmall[segment] === 1 ? 'small' : 'large',
  });
  const keyOf = (segment: MappedSegment): string => JSON.stringify(labelOf(segment));
  const largest = [...groupBy(all, keyOf)]
    .map(([key, of]) => ({ key, of, sums: sumSegments(of) }))
    .sort((a, b) => b.sums.reservedBytes - a.sums.reservedBytes);
  const named = largest.slice(0, MAX_POOLS);
  const pools: MapPool[] = named.map(({ of, sums }) => ({ ...labelOf(of[0]), ...sums }));
  const rest = largest.slice(MAX_POOLS).flatMap(({ of }) => of);
  if (rest.length > 0) pools.push({ pool: '…', stream: '…', kind: 'large', ...sumSegments(rest) });
  const indices = new Map(named.map(({ key }, index) => [key, index]));
  return { pools, poolOf: (segment) => indices.get(keyOf(segment)) ?? pools.length - 1 };
}

/** The owners of blocks, each once, as many as there is room for. */
class BlockOwners {
  readonly list: MapOwner[] = [];
  private readonly known = new Map<string, number>();
  private readonly reader = new StackReader();
  private room = ROOM_FOR_OWNERS;

  constructor(
    private readonly snapshot: Snapshot,
    private readonly lookup: FileLookup,
  ) {}

  indexOf(block: number): number {
    if (block === NO_INDEX) return NO_OWNER;
    const { stack, forward } = stacksOfBlock(this.snapshot, block);
    const stackless = stacklessBucket(this.snapshot, this.snapshot.blocks.allocEvent[block] !== NO_INDEX);
    const key = `${stack}/${forward}/${stackless}`;
    return getOrAdd(this.known, key, () => {
      const owner = ownerPlace(ownerOfStack(this.snapshot, stack, forward, stackless, this.lookup));
      const frames = this.reader.read(stackFrames(this.snapshot, stack)).frames.slice(0, FRAMES_OF_BLOCK);
      const calls = frames.map((frame) => frame.function).join(' \u2190 ');
      const length = (owner.place?.file.length ?? 0) + (owner.place?.function.length ?? 0) + calls.length;
      if (length > this.room) return NO_OWNER;
      this.room -= length;
      return this.list.push({ ...owner, calls }) - 1;
    });
  }
}
