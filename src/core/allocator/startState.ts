import { AddressTable } from '../model/addressTable.js';
import { countUpTo, countWhile } from '../model/ascending.js';
import type { DeviceHistory } from '../model/history.js';
import { isPrivatePool } from '../model/privatePool.js';
import { Action, BlockState, type Snapshot } from '../model/snapshot.js';
import { snapshotAt } from '../model/snapshotAt.js';
import type { Bytes } from '../model/units.js';
import { NONE } from './blocks.js';
import { SPAN, type CachingAllocator, type Part, type UsedSegment } from './cachingAllocator.js';
import { MAX_SMALL, roundedSize, SMALL_SEGMENT, type AllocatorSettings } from './settings.js';

/** The pools of one stream and owner, by number: twice this number is that of the small pool. */
type Lane = number;

/** Maximum number of streams and owners of pools; more than any program has. */
const MAX_LANES = 256;
const HIGH_WORD = 2 ** 32;
/** Distance of two parts of one expandable segment, which has an eighth more address space than the device has memory. */
const MAX_SPAN: Bytes = 2 ** 39;

/** Which streams and private pools a device has. */
export class Lanes {
  /** Stream and pool are text ids. */
  readonly owners: {
    readonly owner: string;
    readonly isPrivate: boolean;
    readonly stream: number;
    readonly pool: number;
  }[] = [];
  private readonly numbers = new Map<string, Lane>();

  constructor(private readonly strings: Snapshot['strings']) {}

  /** @returns {@link NONE} if there are too many @param stream and pool as text ids */
  laneOf(stream: number, pool: number): Lane {
    const name = this.strings.text(pool);
    const isPrivate = isPrivatePool(name);
    const owner = isPrivate ? name : '';
    const key = `${owner}/${this.strings.text(stream)}`;
    const known = this.numbers.get(key);
    if (known !== undefined) return known;
    if (this.owners.length === MAX_LANES) return NONE;
    this.numbers.set(key, this.owners.length);
    return this.owners.push({ owner, isPrivate, stream, pool }) - 1;
  }

  /** A lane of a stream without a name, in the default pool. */
  addUnknown(): Lane {
    return this.owners.push({ owner: '', isPrivate: false, stream: 0, pool: 0 }) - 1;
  }
}

/** A block at the start of the trace. */
interface StartBlock extends Part {
  /** The block's row in the history's allocations, {@link NONE} for a free block. */
  readonly row: number;
}

const NO_MEMORY = { isAllocated: false, isMapped: false, row: NONE } as const;

interface StartSegment extends UsedSegment {
  readonly blocks: readonly StartBlock[];
}

/** The state of the allocator before the first event of a trace. */
export interface StartState {
  readonly segments: readonly StartSegment[];
  readonly reservedBytes: Bytes;
  /** Allocated blocks that are older than the trace. */
  readonly allocatedBytes: Bytes;
  /** Rows of allocations whose blocks can be up to 1 MiB larger than they are here. */
  readonly uncertainRows: ReadonlySet<number>;
}

/**
 * The state before a trace: its end, walked back.
 * @param base address from which all others are counted, so that a number holds each exactly
 * @param rests what blocks have beyond their request, by row, where a replay found it
 * @returns null if blocks overlap, so that the trace and the blocks at its end contradict each other
 */
export function startState(
  snapshot: Snapshot,
  history: DeviceHistory,
  settings: AllocatorSettings,
  lanes: Lanes,
  base: number,
  rests: ReadonlyMap<number, Bytes>,
): StartState | null {
  const { snapshot: before, unplacedBytes } = snapshotAt(snapshot, history, -1);
  if (unplacedBytes > 0) return null;
  const { segments, blocks } = before;
  const rows = rowsOlderThanTrace(snapshot, history);
  const sizes = new StartSizes(snapshot, history, settings, base, rests);
  const found: StartSegment[] = [];
  const spans = new Spans();
  let reservedBytes = 0;
  let allocatedBytes = 0;
  for (let segment = 0; segment < segments.count; segment++) {
    const address = (segments.addrHigh[segment] - base) * HIGH_WORD + segments.addrLow[segment];
    const lane = lanes.laneOf(segments.stream[segment], segments.pool[segment]);
    if (lane === NONE) return null;
    const isExpandable = segments.isExpandable[segment] === 1;
    // The walk back knows no pool of a run that it adds; runs of the large pool consist of large pages.
    const isSmall =
      segments.isSmall[segment] === 1 || (isExpandable && segments.totalSize[segment] % settings.largeSegmentBytes > 0);
    const own: StartBlock[] = [];
    const push = (size: Bytes, row: number): void => {
      if (size > 0) own.push({ size, isAllocated: row !== NONE, isMapped: true, row });
      if (row !== NONE) allocatedBytes += size;
    };
    let at = 0;
    for (let block = segments.firstBlock[segment]; block < segments.firstBlock[segment + 1]; block++) {
      if (blocks.state[block] === BlockState.Inactive) continue;
      const [low, high] = [blocks.addrLow[block], blocks.addrHigh[block]];
      const offset = (high - base) * HIGH_WORD + low - address;
      if (offset < at) return null;
      push(offset - at, NONE);
      const row = rows.get(low, high);
      if (row === NONE) return null;
      let end = segments.totalSize[segment];
      for (let next = block + 1; next < segments.firstBlock[segment + 1]; next++) {
        if (blocks.state[next] === BlockState.Inactive) continue;
        end = (blocks.addrHigh[next] - base) * HIGH_WORD + blocks.addrLow[next] - address;
        break;
      }
      const size = sizes.sizeOf(row, address + offset, end - offset, !isSmall && !isExpandable);
      push(size, row);
      at = offset + size;
    }
    if (at > segments.totalSize[segment]) return null;
    push(segments.totalSize[segment] - at, NONE);
    reservedBytes += segments.totalSize[segment];
    const pool = 2 * lane + Number(!isSmall);
    if (!isExpandable) {
      found.push({ address, pool, isExpandable, blocks: own });
      continue;
    }
    spans.add(pool, segments.stream[segment], address, segments.totalSize[segment], own);
  }
  spans.reachDown(snapshot, history, base);
  return {
    segments: [...found, ...spans.segments()],
    reservedBytes,
    allocatedBytes,
    uncertainRows: sizes.uncertainRows,
  };
}

/** The expandable segments at the start: their mapped runs, and the address space between and behind them. */
class Spans {
  private readonly all: { pool: number; stream: number; address: number; end: number; blocks: StartBlock[] }[] = [];

  /** @param blocks of a mapped run; runs come by address @param stream as text id */
  add(pool: number, stream: number, address: number, bytes: Bytes, blocks: readonly StartBlock[]): void {
    const last = this.all.findLast((span) => span.pool === pool);
    // Mapped runs of one pool are of one segment, unless they are farther apart than its address space.
    if (last === undefined || address - last.end > MAX_SPAN)
      this.all.push({ pool, stream, address, end: address + bytes, blocks: [...blocks] });
    else {
      if (address > last.end) last.blocks.push({ ...NO_MEMORY, size: address - last.end });
      last.blocks.push(...blocks);
      last.end = address + bytes;
    }
  }

  /** A segment can begin with pages that were unmapped before the trace: it does if the trace maps them again. */
  reachDown({ events, segmentEvents }: Snapshot, { trace }: DeviceHistory, base: number): void {
    for (let at = countUpTo(segmentEvents.event, trace.first - 1); at < segmentEvents.count; at++) {
      const event = segmentEvents.event[at];
      if (event >= trace.first + trace.count) break;
      if (events.action[event] !== Action.SegmentMap) continue;
      const address = (events.addrHigh[event] - base) * HIGH_WORD + events.addrLow[event];
      const isLarge = events.size[event] > SMALL_SEGMENT;
      let nearest = null;
      for (const span of this.all) {
        if (span.stream !== segmentEvents.stream[at] || (span.pool & 1) !== Number(isLarge)) continue;
        if (address >= span.address || span.address - address > MAX_SPAN) continue;
        if (nearest === null || span.address < nearest.address) nearest = span;
      }
      if (nearest === null) continue;
      const size = nearest.address - address;
      nearest.address = address;
      const [first] = nearest.blocks;
      if (first.isMapped) nearest.blocks.unshift({ ...NO_MEMORY, size });
      else nearest.blocks[0] = { ...first, size: first.size + size };
    }
  }

  segments(): StartSegment[] {
    return this.all.map(({ pool, address, blocks }) => ({
      address,
      pool,
      isExpandable: true,
      blocks: [...blocks, { ...NO_MEMORY, size: SPAN }],
    }));
  }
}

/** Rows of the allocations that are older than the trace, by address. */
function rowsOlderThanTrace({ events, blocks }: Snapshot, { trace, allocations }: DeviceHistory): AddressTable {
  const { count, birth, death, atEnd } = allocations;
  const rows = new AddressTable();
  for (let row = 0; row < count; row++) {
    if (birth[row] >= 0 || death[row] >= trace.count) continue;
    const freeing = trace.first + death[row];
    rows.set(events.addrLow[freeing], events.addrHigh[freeing], row);
  }
  atEnd.rows.forEach((row, i) => {
    const block = atEnd.blocks[i];
    if (birth[row] < 0) rows.set(blocks.addrLow[block], blocks.addrHigh[block], row);
  });
  return rows;
}

/**
 * The sizes of blocks when the trace begins. A block that is still there at the end has its size. Of one that the trace
 * frees, only the request is known. A rest behind it that the allocator would not have split off is part of it.
 */
class StartSizes {
  readonly uncertainRows = new Set<number>();
  /** Addresses of allocations in the trace, ascending; made on first use. */
  private allocated: { address: number; ordinal: number }[] | null = null;

  constructor(
    private readonly snapshot: Snapshot,
    private readonly history: DeviceHistory,
    private readonly settings: AllocatorSettings,
    private readonly base: number,
    private readonly rests: ReadonlyMap<number, Bytes>,
  ) {}

  /** @param max bytes up to the next allocated block, or to the end of the segment */
  sizeOf(row: number, address: number, max: Bytes, isLarge: boolean): Bytes {
    const { settings } = this;
    const { trace, allocations } = this.history;
    const death = allocations.death[row];
    if (death === trace.count) return allocations.bytes[row];
    const size = roundedSize(this.snapshot.events.size[trace.first + death], settings);
    if (!isLarge || size >= max) return size;
    if (max - size <= MAX_SMALL || size >= settings.maxSplitBytes) return max;
    const first = this.firstBehind(address + size, death);
    if (first !== null) return first - address;
    this.uncertainRows.add(row);
    const rest = Math.min(this.rests.get(row) ?? 0, MAX_SMALL);
    return max - size - rest <= MAX_SMALL ? max : size + rest;
  }

  /**
   * Where the free block behind a block begins: the first allocation from it does. Null if the trace has none while the
   * block lives.
   */
  private firstBehind(end: number, death: number): number | null {
    const all = (this.allocated ??= this.allocationsByAddress());
    let first = null;
    let next = countWhile(all.length, (i) => all[i].address < end);
    for (; next < all.length && all[next].address <= end + MAX_SMALL; next++) {
      if (all[next].ordinal < death && (first === null || all[next].ordinal < first.ordinal)) first = all[next];
    }
    return first?.address ?? null;
  }

  private allocationsByAddress(): { address: number; ordinal: number }[] {
    const { action, size, addrLow, addrHigh } = this.snapshot.events;
    const { first, count } = this.history.trace;
    const found: { address: number; ordinal: number }[] = [];
    for (let ordinal = 0; ordinal < count; ordinal++) {
      const event = first + ordinal;
      // Only the large pool has such rests.
      if (action[event] !== Action.Alloc || size[event] <= MAX_SMALL) continue;
      found.push({ address: (addrHigh[event] - this.base) * HIGH_WORD + addrLow[event], ordinal });
    }
    return found.sort((a, b) => a.address - b.address);
  }
}

/**
 * Fills an allocator with the state at the start. @returns its blocks by row of the allocations
 * @param isLeftOut true of a row whose memory is left out, with the segments that only such rows hold
 */
export function restore(
  { segments }: StartState,
  allocator: CachingAllocator,
  rows: number,
  isLeftOut: (row: number) => boolean = () => false,
): Int32Array {
  const blockOf = new Int32Array(rows).fill(NONE);
  const leftOut: number[] = [];
  for (const segment of segments) {
    const numbers = allocator.addUsedSegment(segment);
    segment.blocks.forEach(({ row }, i) => {
      if (row === NONE) return;
      if (isLeftOut(row)) leftOut.push(numbers[i]);
      else blockOf[row] = numbers[i];
    });
  }
  for (const block of leftOut) {
    const free = allocator.free(block);
    if (allocator.isIdle(free)) allocator.releaseSegment(free);
  }
  return blockOf;
}
