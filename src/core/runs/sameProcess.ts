import type { Bytes, Microseconds } from '../model/units.js';
import { endOfEarlier } from './alignTraces.js';
import type { SnapshotDigest } from '../digest/digest.js';
import { stackKey } from '../digest/stackKey.js';
import type { Anchors } from '../digest/traceSpan.js';

/** First times of one process differ by the fit of its clock, never by this much. */
const SAME_CLOCK_US = 1_000_000;
/** Share of the smaller snapshot's live bytes that two of one process have in common, and in how many blocks at least. */
const IN_COMMON = { share: 0.5, blocks: 3 };
/** Of the places of one time that tell traces apart, the share that two of one process have in common, and how many it takes. */
const ANCHORS = { share: 0.1, fewest: 8 };

/** True if both traces begin with the same events at the same time: two dumps of one process, neither overflowed. */
export function sameHistory(a: SnapshotDigest, b: SnapshotDigest): boolean {
  let common = false;
  for (const head of a.heads) {
    const other = b.heads.find((candidate) => candidate.device === head.device);
    if (other === undefined) continue;
    const shared = Math.min(head.hashes.length, other.hashes.length) - 1;
    if (head.hashes[shared] !== other.hashes[shared]) return false;
    if (head.firstUs !== null && other.firstUs !== null && Math.abs(head.firstUs - other.firstUs) > SAME_CLOCK_US) {
      return false;
    }
    common = true;
  }
  return common;
}

/** True if their contents prove two snapshots to be of one process, in whichever order. */
export function provesOneProcess(a: SnapshotDigest, b: SnapshotDigest): boolean {
  if (hasTrace(a) && hasTrace(b)) return sameHistory(a, b) || tracesMeet(a, b);
  return sharesMemory(a, b);
}

/** True if their traces prove two snapshots to be of different processes: of the same time, but not of the same events. */
export function provesTwoProcesses(a: SnapshotDigest, b: SnapshotDigest): boolean {
  if (sameHistory(a, b)) return false;
  return a.spans.some((span) => {
    const other = b.spans.find(({ device }) => device === span.device);
    if (other === undefined || a.takenAtUs === null || b.takenAtUs === null) return false;
    const first = [a, b].map(({ heads }) => heads.find(({ device }) => device === span.device)?.firstUs ?? 0);
    return areOthers(span.anchors, other.anchors, Math.max(...first), Math.min(a.takenAtUs, b.takenAtUs));
  });
}

/** @param from in which both were recorded @param to likewise */
function areOthers(a: Anchors, b: Anchors, from: Microseconds, to: Microseconds): boolean {
  const within = (time: number): boolean => time >= from && time <= to;
  const times = new Map<number, number[]>();
  b.timeUs.forEach((time, i) => {
    if (within(time)) times.set(b.hash[i], [...(times.get(b.hash[i]) ?? []), time]);
  });
  let seen = 0;
  let alike = 0;
  a.timeUs.forEach((time, i) => {
    if (!within(time)) return;
    seen++;
    if (times.get(a.hash[i])?.some((one) => Math.abs(one - time) <= SAME_CLOCK_US) === true) alike++;
  });
  return Math.min(seen, times.size) >= ANCHORS.fewest && alike < ANCHORS.share * seen;
}

function hasTrace({ heads }: SnapshotDigest): boolean {
  return heads.length > 0;
}

/** True if the traces overlap, with the same events in the overlap. */
function tracesMeet(a: SnapshotDigest, b: SnapshotDigest): boolean {
  return a.spans.some((span) => {
    const other = b.spans.find(({ device }) => device === span.device);
    return other !== undefined && (endOfEarlier(span, other) !== null || endOfEarlier(other, span) !== null);
  });
}

/** True if most of what is live is the same: the same size and stack at the same address. */
function sharesMemory(a: SnapshotDigest, b: SnapshotDigest): boolean {
  const [small, large] = liveBytes(a) <= liveBytes(b) ? [a, b] : [b, a];
  const there = blocksOf(large);
  let bytes = 0;
  let blocks = 0;
  for (const [block, size] of blocksOf(small)) {
    if (there.get(block) !== size) continue;
    bytes += size;
    blocks++;
  }
  return blocks >= IN_COMMON.blocks && bytes >= IN_COMMON.share * liveBytes(small);
}

function liveBytes({ blocks }: SnapshotDigest): Bytes {
  return blocks.size.reduce((sum, size) => sum + size, 0);
}

function blocksOf(digest: SnapshotDigest): Map<string, Bytes> {
  const { blocks, groups } = digest;
  const keys = groups.map((group) => stackKey(digest, group));
  const found = new Map<string, Bytes>();
  for (let row = 0; row < blocks.count; row++) {
    // Inputs that give sums have no addresses: nothing tells their blocks apart.
    if (blocks.addrLow[row] === 0 && blocks.addrHigh[row] === 0) continue;
    const place = `${blocks.device[row]}/${blocks.addrHigh[row]}/${blocks.addrLow[row]}`;
    found.set(`${place} ${keys[blocks.group[row]]}`, blocks.size[row]);
  }
  return found;
}
