import { getOrAdd } from '../maps.js';
import type { Microseconds } from '../model/units.js';
import { countUpTo } from '../model/ascending.js';
import { SAME_CLOCK_US } from '../model/sameClock.js';
import { ofPair } from './ofPair.js';
import { endOfEarlier } from './alignTraces.js';
import type { SnapshotDigest, TraceHead } from '../digest/digest.js';
import type { Anchors } from '../digest/traceSpan.js';

/** Share and number of common events that prove one process, among events that distinguish traces. */
const ANCHORS = { share: 0.1, fewest: 8 };

/** The beginnings of traces, and their lengths. */
type Beginning = { readonly heads: readonly Omit<TraceHead, 'isWhole'>[] };

/** True if both traces begin with the same events at the same time: two dumps of one process, neither overflowed. */
export function sameHistory(a: Beginning, b: Beginning): boolean {
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

/** True if the trace of a later dump begins with all events of the earlier one. */
export function isContinued(earlier: Beginning, later: Beginning): boolean {
  return (
    sameHistory(earlier, later) &&
    earlier.heads.every(
      ({ device, events }) => events <= (later.heads.find((head) => head.device === device)?.events ?? 0),
    )
  );
}

/** True if the latest trace holds all events of the others. */
export function reachesBack(snapshots: readonly SnapshotDigest[]): boolean {
  const traced = snapshots.filter(({ eventCount }) => eventCount > 0);
  const last = traced[traced.length - 1];
  return traced.every((digest) => digest === last || sameHistory(digest, last));
}

/**
 * True if two snapshots are certainly of one process: they share events and times. Equal addresses occur in any second
 * run.
 */
export const provesOneProcess = ofPair((a: SnapshotDigest, b: SnapshotDigest): boolean => {
  return isTimed(a) && isTimed(b) && (sameHistory(a, b) || tracesMeet(a, b));
});

/**
 * True if two snapshots are certainly of different processes: traces of one time with different events, an empty
 * allocator after the end of the other, or no common segment.
 */
export const provesTwoProcesses = ofPair((a: SnapshotDigest, b: SnapshotDigest): boolean => {
  if (sameHistory(a, b) || tracesMeet(a, b)) return false;
  if (restartsAfter(a, b) || restartsAfter(b, a) || !sharesSegments(a, b)) return true;
  if (!areTraced(a, b)) return false;
  return a.curves.some((curve) => {
    const other = b.curves.find(({ device }) => device === curve.device);
    if (other === undefined || a.takenAtUs === null || b.takenAtUs === null) return false;
    const first = [a, b].map(({ heads }) => heads.find(({ device }) => device === curve.device)?.firstUs ?? 0);
    return areOthers(
      curve.meeting.anchors,
      other.meeting.anchors,
      Math.max(...first),
      Math.min(a.takenAtUs, b.takenAtUs),
    );
  });
});

/** @param from in which both were recorded @param to likewise */
function areOthers(a: Anchors, b: Anchors, from: Microseconds, to: Microseconds): boolean {
  const within = (time: number): boolean => time >= from && time <= to;
  const times = new Map<number, number[]>();
  b.timeUs.forEach((time, i) => {
    if (within(time)) getOrAdd(times, b.hash[i], () => []).push(time);
  });
  for (const alike of times.values()) alike.sort((x, y) => x - y);
  let seen = 0;
  let alike = 0;
  a.timeUs.forEach((time, i) => {
    if (!within(time)) return;
    seen++;
    const there = times.get(a.hash[i]) ?? [];
    // Events repeat a million times: the first that is not too early is looked for by halves.
    let first = countUpTo(there, time - SAME_CLOCK_US - 1);
    while (there[first] < time - SAME_CLOCK_US) first++;
    if (there[first] <= time + SAME_CLOCK_US) alike++;
  });
  return Math.min(seen, times.size) >= ANCHORS.fewest && alike < ANCHORS.share * seen;
}

/** False if there is nothing to compare. */
function areTraced(a: SnapshotDigest, b: SnapshotDigest): boolean {
  return a.heads.length > 0 && b.heads.length > 0;
}

function isTimed({ heads, takenAtUs }: SnapshotDigest): boolean {
  return heads.length > 0 && takenAtUs !== null && heads.every(({ firstUs }) => firstUs !== null);
}

/** True if a trace holds the whole life of an allocator, and begins after the other snapshot was taken. */
function restartsAfter(later: SnapshotDigest, { takenAtUs }: SnapshotDigest): boolean {
  if (takenAtUs === null || later.heads.length === 0) return false;
  return later.heads.every(({ isWhole, firstUs }) => isWhole && firstUs !== null && firstUs > takenAtUs);
}

/** False only if both hold segments on a device, and none at the same address. */
function sharesSegments(a: SnapshotDigest, b: SnapshotDigest): boolean {
  const placesOf = ({ segments }: SnapshotDigest, device: number): readonly number[] =>
    segments.places.find((one) => one.device === device)?.addresses ?? [];
  const common = a.segments.places.flatMap(({ device, addresses }) => {
    const others = new Set(placesOf(b, device));
    return others.size === 0 ? [] : [addresses.some((address) => others.has(address))];
  });
  return common.length === 0 || common.includes(true);
}

/** True if the traces are of times that overlap, with the same events in the overlap. */
function tracesMeet(a: SnapshotDigest, b: SnapshotDigest): boolean {
  if (isBehind(a, b) || isBehind(b, a)) return true;
  if (!areTraced(a, b) || (isTimed(a) && isTimed(b) && !(reaches(a, b) && reaches(b, a)))) return false;
  return a.curves.some(({ device, meeting }) => {
    const other = b.curves.find((one) => one.device === device)?.meeting;
    return other !== undefined && (endOfEarlier(meeting, other) !== null || endOfEarlier(other, meeting) !== null);
  });
}

/** True if the recorder cleared the history after one, and the trace of the other begins there. */
function isBehind({ recording: earlier }: SnapshotDigest, { recording: later }: SnapshotDigest): boolean {
  return earlier?.takenAtUs != null && later?.behindUs.includes(earlier.takenAtUs) === true;
}

/** True if the trace of one begins before the other snapshot was taken. */
function reaches({ heads }: SnapshotDigest, { takenAtUs }: SnapshotDigest): boolean {
  return takenAtUs !== null && heads.some(({ firstUs }) => firstUs !== null && firstUs <= takenAtUs + SAME_CLOCK_US);
}
