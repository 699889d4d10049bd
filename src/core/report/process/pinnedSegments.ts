import type { SnapshotDigest } from '../../digest/digest.js';
import { ownerOf, type FileLookup } from '../../attribution/owner.js';
import { say, sayCount } from '../../text/say.js';
import { byteText } from '../../text/byteText.js';
import { sum } from '../lineSelection.js';
import type { ProcessFinding } from '../report.js';

/** Share of the reserved memory that pinned segments must keep from use. */
const LEAST_SHARE = 0.25;

/**
 * Large segments that a little live memory pins. Between two steps that is how every training looks, and the next step
 * fills the holes: it is told only of a device whose memory ran out, or whose reserved memory grows.
 * @param isShort true if the device has too little memory for what is reserved
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
  if (!isShort || held === 0 || held < LEAST_SHARE * reserved) return null;
  const live = sum(pinned, ({ liveBytes }) => liveBytes);
  const place = commonPlace(pinned.map(({ group }) => lineOfGroup(last, group, lookup)));
  return {
    verdict: 'pinnedSegments',
    device,
    bytes: held,
    message: [
      sayCount(
        pinned.length,
        '{1} of live blocks pin 1 large segment of {2} on device {3}, which cannot be freed.',
        '{1} of live blocks pin {0} large segments of {2} on device {3}, which cannot be freed.',
        byteText(live),
        byteText(held + live),
        device,
      ),
      ...(place === null
        ? []
        : [say('Most were allocated by {0}: allocate them before the large ones, or free them.', place)]),
    ].join(' '),
    settings:
      last.segments.settings?.['expandable_segments'] === true
        ? []
        : [{ name: 'expandable_segments', value: 'True', why: say('the free pages of a segment can be freed') }],
  };
}

/** `file:line` of the owner of a group, null where no line owns it. */
export function lineOfGroup(digest: SnapshotDigest, group: number, lookup: FileLookup): string | null {
  const { frames, forwardFrames, stackless } = digest.groups[group];
  const words = (indices: readonly number[]): (typeof digest.frames)[number][] => indices.map((i) => digest.frames[i]);
  const owner = ownerOf(words(frames), words(forwardFrames), stackless, lookup);
  return 'line' in owner ? `${owner.line.file}:${owner.line.line}` : null;
}

function commonPlace(places: readonly (string | null)[]): string | null {
  const counts = new Map<string, number>();
  for (const place of places) if (place !== null) counts.set(place, (counts.get(place) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]).at(0)?.[0] ?? null;
}
