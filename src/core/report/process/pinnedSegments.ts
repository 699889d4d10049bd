import { type FileLookup, ownerLineOf } from '../../attribution/owner.js';
import type { SnapshotDigest } from '../../digest/digest.js';
import { pendingFreesOf } from '../../digest/digestFacts.js';
import { byteText } from '../../text/numberText.js';
import { deviceName } from '../../text/deviceName.js';
import { t, tCount } from '../../text/translate.js';
import { sum } from '../lineSelection.js';
import type { ProcessFinding } from '../report.js';
import { growsThroughout } from './growing.js';

/** Share of the reserved memory that pinned segments must block. */
const MIN_SHARE = 0.25;

/**
 * Large segments that a little live memory pins. This is normal between steps, so it counts only for a device that ran
 * out of memory or whose reserved memory grows.
 * @param isShort true for such a device
 */
export function pinnedSegments(
  last: SnapshotDigest,
  device: number,
  isShort: boolean,
  lookup: FileLookup,
): ProcessFinding | null {
  const pinned = last.segments.pinned.filter((segment) => segment.device === device);
  const held = sum(pinned, ({ totalBytes, liveBytes }) => totalBytes - liveBytes);
  const reserved = last.devices.find((one) => one.device === device)?.reservedBytes ?? 0;
  if (!isShort || held === 0 || held < MIN_SHARE * reserved) return null;
  const live = sum(pinned, ({ liveBytes }) => liveBytes);
  const place = commonPlace(pinned.map(({ group }) => lineOfGroup(last, group, lookup)));
  return {
    verdict: 'pinnedSegments',
    device,
    bytes: held,
    message: [
      tCount(
        pinned.length,
        '{1} of live blocks pin 1 large segment of {2} on {3}, which cannot be freed.',
        '{1} of live blocks pin {0} large segments of {2} on {3}, which cannot be freed.',
        byteText(live),
        byteText(held + live),
        deviceName(device),
      ),
      ...(place === null
        ? []
        : [t('Most were allocated by {0}: allocate them before the large ones, or free them.', place)]),
    ].join(' '),
    replayed: null,
  };
}

/** `file:line` of the owner of a group, null without one. */
function lineOfGroup(digest: SnapshotDigest, group: number, lookup: FileLookup): string | null {
  const { frames, forwardFrames } = digest.groups[group];
  const framesOf = (indices: readonly number[]): (typeof digest.frames)[number][] =>
    indices.map((i) => digest.frames[i]);
  const owner = ownerLineOf(framesOf(frames), framesOf(forwardFrames), lookup);
  return owner === null ? null : `${owner.file}:${owner.line}`;
}

function commonPlace(places: readonly (string | null)[]): string | null {
  const counts = new Map<string, number>();
  for (const place of places) if (place !== null) counts.set(place, (counts.get(place) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]).at(0)?.[0] ?? null;
}

/** Share of the live bytes that waits in every snapshot, from which it is reported without growth. */
const LARGE_SHARE = 0.2;
const MIN_SNAPSHOTS = 3;

/** Released blocks that another stream still uses, if they grow in number or are always many. A few are normal. */
export function pendingFrees(
  snapshots: readonly SnapshotDigest[],
  device: number,
  lookup: FileLookup,
): ProcessFinding | null {
  const pendingIn = (digest: SnapshotDigest): SnapshotDigest['segments']['pending'] =>
    pendingFreesOf(digest).filter((one) => one.device === device);
  const last = snapshots[snapshots.length - 1];
  const pending = pendingIn(last);
  if (pending.length === 0) return null;
  const series = snapshots.map((digest) => sum(pendingIn(digest), ({ bytes }) => bytes));
  const bytes = series[series.length - 1];
  const isLarge = (digest: SnapshotDigest, i: number): boolean =>
    series[i] > 0 && series[i] >= LARGE_SHARE * (digest.devices.find((one) => one.device === device)?.liveBytes ?? 0);
  const always = snapshots.length >= MIN_SNAPSHOTS && snapshots.every(isLarge);
  if (!always && !growsThroughout(series)) return null;
  const largest = [...pending].sort((a, b) => b.bytes - a.bytes).at(0);
  const place = largest === undefined ? null : lineOfGroup(last, largest.group, lookup);
  return {
    verdict: 'pendingFrees',
    device,
    bytes,
    message: [
      tCount(
        sum(pending, ({ blocks }) => blocks),
        '{1} in 1 block on {2} are released, but wait for another stream (record_stream).',
        '{1} in {0} blocks on {2} are released, but wait for another stream (record_stream).',
        byteText(bytes),
        deviceName(device),
      ),
      ...(place === null ? [] : [t('Most of it was allocated by {0}.', place)]),
      t('Wait for the stream before you drop the tensor.'),
    ].join(' '),
    replayed: null,
  };
}
