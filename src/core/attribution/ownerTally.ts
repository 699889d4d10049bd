import { getOrAdd } from '../maps.js';
import type { Snapshot } from '../model/snapshot.js';
import type { Bytes, StackId } from '../model/units.js';
import { frameOf, type DigestFrame } from '../model/digestFrame.js';
import type { DeviceHistory } from '../model/history.js';
import {
  eachBucket,
  ownerKey,
  ownerOf,
  type Bucket,
  type Owner,
  type FileLookup,
  type OwnerLine,
  type OwnerSearch,
  type StacklessBucket,
} from './owner.js';
import { StackReader } from './readableStack.js';
import { stacklessRows } from './stackless.js';

export interface Tally {
  bytes: Bytes;
  blocks: number;
}

/** The key of a sum: the line, or the stack. */
export type TallyBy = 'line' | 'stack';

export interface LineTally extends Tally, OwnerLine {
  /** The stack for users, innermost first; null if stacks are not distinguished. */
  frames: DigestFrame[] | null;
  /** Frames of the stack that `frames` leaves out. */
  hiddenFrames: number;
}

/** Sums by owner; with the buckets they add up to the sum of all. */
export interface OwnerTally {
  /** Largest first. */
  lines: LineTally[];
  buckets: Record<Bucket, Tally>;
}

/** Adds up the allocations that `includes` picks. Those that are live at the end of the trace are kept. */
export function tallyOwners(
  snapshot: Snapshot,
  history: DeviceHistory,
  includes: (row: number) => boolean,
  search: OwnerSearch,
  by: TallyBy,
): OwnerTally {
  const { allocations } = history;
  const stacklessOf = stacklessRows(snapshot, history);
  const stacks = new Map<string, Tally & RowOwner>();
  for (let row = 0; row < allocations.count; row++) {
    if (!includes(row)) continue;
    const stack = allocations.stack[row];
    const forward = allocations.forwardStack[row];
    const stackless = stacklessOf(row);
    const isKept = stackless === 'noStack' && allocations.death[row] >= history.trace.count;
    const key = `${stack}/${forward}/${stackless}/${isKept}`;
    const tally = getOrAdd(stacks, key, () => ({ bytes: 0, blocks: 0, stack, forward, stackless, isKept }));
    tally.bytes += allocations.bytes[row];
    tally.blocks++;
  }
  const lines = new Map<string, LineTally>();
  const buckets = eachBucket((): Tally => ({ bytes: 0, blocks: 0 }));
  const reader = new StackReader();
  for (const [key, { bytes, blocks, ...row }] of stacks) {
    const owner = ownerOfRow(snapshot, row, search);
    const read = by === 'stack' ? reader.read(stackFrames(snapshot, row.stack)) : null;
    const tally =
      'bucket' in owner
        ? buckets[owner.bucket]
        : getOrAdd(lines, by === 'stack' ? key : ownerKey(owner.line), () => ({
            ...owner.line,
            ...{ bytes: 0, blocks: 0, frames: read?.frames ?? null, hiddenFrames: read?.hidden ?? 0 },
          }));
    tally.bytes += bytes;
    tally.blocks += blocks;
  }
  return { lines: [...lines.values()].sort((a, b) => b.bytes - a.bytes), buckets };
}

/** What decides the owner of an allocation. */
interface RowOwner {
  readonly stack: StackId;
  readonly forward: StackId;
  readonly stackless: StacklessBucket;
  /** True if it is live at the end of its trace. */
  readonly isKept: boolean;
}

/** The owner of memory that was allocated with a stack. */
export function ownerOfStack(
  snapshot: Snapshot,
  stack: StackId,
  forward: StackId,
  stackless: StacklessBucket,
  lookup: FileLookup,
): Owner {
  return ownerOf(stackFrames(snapshot, stack), stackFrames(snapshot, forward), stackless, lookup);
}

/** The owner of an allocation. */
export function ownerOfRow(
  snapshot: Snapshot,
  { stack, forward, stackless, isKept }: RowOwner,
  { lookup, stacklessHolder }: OwnerSearch,
): Owner {
  const owner = ownerOfStack(snapshot, stack, forward, stackless, lookup);
  const isHeld = isKept && 'bucket' in owner && owner.bucket === 'noStack';
  return isHeld && stacklessHolder !== null ? { line: stacklessHolder } : owner;
}

/** The frames of a stack, innermost first. */
export function stackFrames(snapshot: Snapshot, stack: StackId): DigestFrame[] {
  const { offset, frames } = snapshot.stacks;
  return Array.from(frames.subarray(offset[stack], offset[stack + 1]), (frame) => frameOf(snapshot, frame));
}
