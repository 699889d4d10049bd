import { getOrAdd } from '../maps.js';
import { NO_INDEX } from '../model/snapshot.js';
import type { Bytes } from '../model/units.js';
import { endOfEarlier } from './alignTraces.js';
import type { SnapshotDigest } from '../digest/digest.js';
import type { Tally } from '../attribution/ownerTally.js';
import { isContinued, sameHistory } from './sameProcess.js';
import { stackKey } from '../digest/stackKey.js';

/** The fate of live blocks between two snapshots, by stack group of the one that holds them. */
export interface Flow {
  /** Memory that is live in A and B, by group of B. */
  survived: ReadonlyMap<number, Tally>;
  /** Memory that was allocated after A, by group of B. */
  allocated: ReadonlyMap<number, Tally>;
  /** Memory of A that was freed before B, by group of A. */
  freed: ReadonlyMap<number, Tally>;
  /** False if some survivors are matched by address, size and stack alone: an address may have been used again. */
  certain: boolean;
}

/**
 * Follows the blocks from A to B, a later snapshot of the process. If the traces meet, a block from before A's end was
 * live in A. Otherwise, blocks of equal address, size and stack are the same.
 * @param run the snapshots of the process in order, if known
 * @returns null if the two are not known to be of one process
 */
export function followBlocks(a: SnapshotDigest, b: SnapshotDigest, run: readonly SnapshotDigest[] = []): Flow | null {
  const chain = chainBetween(a, b, run);
  if (chain === null) return null;
  let living = new Map<string, number>();
  for (let i = 0; i < a.blocks.count; i++) living.set(addressOf(a, i), i);
  let certain = true;
  chain.slice(1).forEach((next, i) => {
    const ends = endsOf(chain[i], next);
    const still = new Map<string, number>();
    for (let row = 0; row < next.blocks.count; row++) {
      const address = addressOf(next, row);
      const old = living.get(address);
      if (old === undefined) continue;
      const birth = next.blocks.birth[row];
      const end = ends(next.blocks.device[row]);
      if (end === null ? birth !== NO_INDEX || !isAlike(a, old, next, row) : birth !== NO_INDEX && birth >= end)
        continue;
      certain &&= end !== null;
      still.set(address, old);
    }
    living = still;
  });
  const survived = new Map<number, Tally>();
  const allocated = new Map<number, Tally>();
  const freed = new Map<number, Tally>();
  for (let row = 0; row < b.blocks.count; row++) {
    add(living.has(addressOf(b, row)) ? survived : allocated, b.blocks.group[row], b.blocks.size[row]);
  }
  const survivors = new Set(living.values());
  for (let row = 0; row < a.blocks.count; row++) {
    if (!survivors.has(row)) add(freed, a.blocks.group[row], a.blocks.size[row]);
  }
  return { survived, allocated, freed, certain };
}

/** The dumps from A to B whose traces may meet, null if B is not known to follow A. */
function chainBetween(
  a: SnapshotDigest,
  b: SnapshotDigest,
  run: readonly SnapshotDigest[],
): readonly SnapshotDigest[] | null {
  if (sameHistory(a, b)) return isContinued(a, b) ? [a, b] : null;
  const from = run.indexOf(a);
  const to = run.indexOf(b);
  if (from === -1 || to <= from) return null;
  return [a, ...run.slice(from + 1, to).filter(({ eventCount }) => eventCount > 0), b];
}

function eventsOf(digest: SnapshotDigest, device: number): number | null {
  return digest.heads.find((head) => head.device === device)?.events ?? null;
}

/** The ordinal in the later trace at which the earlier one ends, null if they do not meet. */
function endsOf(earlier: SnapshotDigest, later: SnapshotDigest): (device: number) => number | null {
  const alike = isContinued(earlier, later);
  const ends = new Map<number, number | null>();
  return (device) => {
    return getOrAdd(ends, device, () => {
      if (alike) return eventsOf(earlier, device) ?? 0;
      const before = earlier.spans.find((span) => span.device === device);
      const after = later.spans.find((span) => span.device === device);
      return before === undefined || after === undefined ? null : endOfEarlier(before, after);
    });
  };
}

function isAlike(a: SnapshotDigest, row: number, b: SnapshotDigest, other: number): boolean {
  if (a.blocks.size[row] !== b.blocks.size[other]) return false;
  return stackKey(a, a.groups[a.blocks.group[row]]) === stackKey(b, b.groups[b.blocks.group[other]]);
}

function addressOf(digest: SnapshotDigest, row: number): string {
  const { device, addrHigh, addrLow } = digest.blocks;
  return `${device[row]}/${addrHigh[row]}/${addrLow[row]}`;
}

function add(tallies: Map<number, Tally>, group: number, bytes: Bytes): void {
  const tally = getOrAdd(tallies, group, () => ({ bytes: 0, blocks: 0 }));
  tally.bytes += bytes;
  tally.blocks++;
}
