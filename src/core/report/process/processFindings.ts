import type { SnapshotDigest } from '../../digest/digest.js';
import { outOfMemoryDevices } from '../../digest/digestFacts.js';
import type { FileLookup } from '../../attribution/owner.js';
import type { ProcessFinding } from '../report.js';
import { hostOnly } from './hostOnly.js';
import { pendingFrees, pinnedSegments } from './pinnedSegments.js';
import { reservedFarAbove, reservedOnly } from './reservedOnly.js';
import type { SampledUse } from './sampledUse.js';

/**
 * What is wrong with a run's memory that no line of the program answers for, the devices in order.
 * @param sampledOf what samples of a device say, see `sampledUses`
 */
export function processFindings(
  snapshots: readonly SnapshotDigest[],
  lookup: FileLookup,
  sampledOf: (device: number) => readonly SampledUse[],
): ProcessFinding[] {
  const last = snapshots[snapshots.length - 1];
  return last.devices.flatMap(({ device }) => {
    const growing = reservedOnly(snapshots, device);
    const isShort = growing !== null || snapshots.some((digest) => outOfMemoryDevices(digest).includes(device));
    return [
      growing ?? reservedFarAbove(snapshots, device),
      pinnedSegments(last, device, isShort, lookup),
      pendingFrees(snapshots, device, lookup),
      hostOnly(snapshots, device, sampledOf(device)),
    ].filter((finding) => finding !== null);
  });
}
