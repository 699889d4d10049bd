import { NO_INDEX } from '../model/snapshot.js';
import type { Bytes } from '../model/units.js';
import type { SnapshotDigest } from './digest.js';
import { sameHistory } from './runs.js';

/** Blocks and their bytes. */
export interface Tally {
  bytes: Bytes;
  blocks: number;
}

/** What became of the live blocks between two snapshots, per stack group of the one that holds them. */
export interface Flow {
  /** By group of B: live in both. */
  survived: ReadonlyMap<number, Tally>;
  /** By group of B: allocated after A. */
  born: ReadonlyMap<number, Tally>;
  /** By group of A: gone in B. */
  freed: ReadonlyMap<number, Tally>;
}

/**
 * Follows the blocks from A to B, a later dump of the same process. That needs one history: both traces begin alike, so
 * A's trace is how B's begins, and a block of B that was born before A's end was live in A.
 * @returns null if the two files do not share a history
 */
export function followBlocks(a: SnapshotDigest, b: SnapshotDigest): Flow | null {
  if (!sameHistory(a, b)) return null;
  const events = new Map(a.heads.map((head) => [head.device, head.events]));
  const later = b.heads.every((head) => head.events >= (events.get(head.device) ?? 0));
  if (!later) return null;
  const liveInA = new Map<string, number>();
  for (let i = 0; i < a.blocks.count; i++) liveInA.set(addressOf(a, i), i);
  const survived = new Map<number, Tally>();
  const born = new Map<number, Tally>();
  const freed = new Map<number, Tally>();
  for (let i = 0; i < b.blocks.count; i++) {
    const birth = b.blocks.born[i];
    const isOld = birth === NO_INDEX || birth < (events.get(b.blocks.device[i]) ?? 0);
    const address = addressOf(b, i);
    if (isOld && liveInA.delete(address)) add(survived, b.blocks.group[i], b.blocks.size[i]);
    else add(born, b.blocks.group[i], b.blocks.size[i]);
  }
  for (const i of liveInA.values()) add(freed, a.blocks.group[i], a.blocks.size[i]);
  return { survived, born, freed };
}

function addressOf(digest: SnapshotDigest, row: number): string {
  const { device, addrHigh, addrLow } = digest.blocks;
  return `${device[row]}/${addrHigh[row]}/${addrLow[row]}`;
}

function add(tallies: Map<number, Tally>, group: number, bytes: Bytes): void {
  const tally = tallies.get(group);
  if (tally === undefined) tallies.set(group, { bytes, blocks: 1 });
  else {
    tally.bytes += bytes;
    tally.blocks++;
  }
}
