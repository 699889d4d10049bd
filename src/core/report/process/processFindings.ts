import type { SnapshotDigest } from '../../digest/digest.js';
import { outOfMemoryDevices } from '../../digest/digestFacts.js';
import type { FileLookup } from '../../attribution/owner.js';
import type { ProcessFinding } from '../report.js';
import { pendingFrees, pinnedSegments } from './pinnedSegments.js';
import { reservedFarAbove, reservedOnly } from './reservedOnly.js';
import { t } from '../../text/translate.js';
import { byteText } from '../../text/numberText.js';
import { growsThroughout } from './growing.js';
import { hostMemory } from './hostMemory.js';

/** Growth as a share of the use after warm-up: libraries that load late need some. */
const MIN_GROWTH = 0.2;

/** Findings on memory that belongs to no line, by device. */
export function processFindings(snapshots: readonly SnapshotDigest[], lookup: FileLookup): ProcessFinding[] {
  const last = snapshots[snapshots.length - 1];
  return last.devices.flatMap(({ device }) => {
    const growing = reservedOnly(snapshots, device);
    const isShort = growing !== null || snapshots.some((digest) => outOfMemoryDevices(digest).includes(device));
    return [
      growing ?? reservedFarAbove(snapshots, device),
      pinnedSegments(last, device, isShort, lookup),
      pendingFrees(snapshots, device, lookup),
      hostOnly(snapshots, device),
      device === last.devices[0].device ? hostMemory(snapshots, device) : null,
    ].filter((finding) => finding !== null);
  });
}

/** Device memory outside PyTorch that grows, as the recorder measured it. */
function hostOnly(snapshots: readonly SnapshotDigest[], device: number): ProcessFinding | null {
  const series = snapshots.flatMap(({ recording }) =>
    (recording?.devices ?? []).filter((one) => one.device === device).map(({ outsideBytes }) => outsideBytes),
  );
  // After warm-up, which is the first interval.
  const growth = series[series.length - 1] - series[1];
  if (series.length < snapshots.length || !growsThroughout(series) || growth < MIN_GROWTH * series[1]) return null;
  return {
    verdict: 'hostOnly',
    device,
    bytes: growth,
    message: [
      t(
        'Memory of device {0} outside PyTorch grows from {1} to {2}.',
        device,
        byteText(series[1]),
        byteText(series[series.length - 1]),
      ),
      t('Another process holds it, or a library with its own allocator (NCCL, cuDNN, a custom kernel).'),
    ].join(' '),
    replayed: null,
  };
}
