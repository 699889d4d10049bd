import type { SnapshotDigest } from '../../digest/digest.js';
import type { FileLookup } from '../../attribution/owner.js';
import { say, sayCount } from '../../text/say.js';
import { byteText } from '../../text/byteText.js';
import { sum } from '../lineSelection.js';
import type { ProcessFinding } from '../report.js';
import { keepsGrowing } from './growing.js';
import { lineOfGroup } from './pinnedSegments.js';

/** Share of the live bytes that wait in every snapshot, from which on it is told although it does not grow. */
const LARGE_SHARE = 0.2;
const FEWEST_SNAPSHOTS = 3;

/**
 * Blocks whose tensors are gone and that another stream still uses, more and more of them or much all the time. A few
 * wait in any snapshot of a program with several streams.
 */
export function pendingFrees(
  snapshots: readonly SnapshotDigest[],
  device: number,
  lookup: FileLookup,
): ProcessFinding | null {
  const pendingIn = (digest: SnapshotDigest): SnapshotDigest['segments']['pending'] =>
    digest.segments.pending.filter((one) => one.device === device);
  const series = snapshots.map((digest) => sum(pendingIn(digest), ({ bytes }) => bytes));
  const last = snapshots[snapshots.length - 1];
  const bytes = series[series.length - 1];
  const isLarge = (digest: SnapshotDigest, i: number): boolean =>
    series[i] > 0 && series[i] >= LARGE_SHARE * (digest.devices.find((one) => one.device === device)?.liveBytes ?? 0);
  const always = snapshots.length >= FEWEST_SNAPSHOTS && snapshots.every(isLarge);
  if (!always && !keepsGrowing(series)) return null;
  const pending = pendingIn(last);
  const largest = [...pending].sort((a, b) => b.bytes - a.bytes).at(0);
  const place = largest === undefined ? null : lineOfGroup(last, largest.group, lookup);
  return {
    verdict: 'pendingFrees',
    device,
    bytes,
    message: [
      sayCount(
        sum(pending, ({ blocks }) => blocks),
        '{1} in 1 block on device {2} are released, but wait for another stream (record_stream).',
        '{1} in {0} blocks on device {2} are released, but wait for another stream (record_stream).',
        byteText(bytes),
        device,
      ),
      ...(place === null ? [] : [say('Most of it was allocated by {0}.', place)]),
      say('Wait for the stream before you drop the tensor.'),
    ].join(' '),
    settings: [],
  };
}
