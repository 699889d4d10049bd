import type { SnapshotDigest } from '../../digest/digest.js';
import { outOfMemoryDevices } from '../../digest/digestFacts.js';
import type { FileLookup } from '../../attribution/owner.js';
import type { ProcessFinding } from '../report.js';
import { pendingFrees, pinnedSegments } from './pinnedSegments.js';
import { reservedFarAbove, reservedOnly } from './reservedOnly.js';
import type { SampledUse } from './sampledUse.js';
import type { Bytes } from '../../model/units.js';
import { t } from '../../text/translate.js';
import { byteText } from '../../text/byteText.js';
import { folderOf } from '../folderOf.js';
import { growsThroughout } from './growing.js';
import { hostMemory } from './hostMemory.js';

/** Growth as a share of the use after warm-up: libraries that load late need some. */
const LEAST_GROWTH = 0.2;
/** A small segment that PyTorch took between a sample and a dump, and rounding to MiB. */
const NOISE: Bytes = 4 << 20;

/** Findings on memory that belongs to no line, by device. @param sampledOf samples of a device, see `sampledUses` */
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
      device === last.devices[0].device ? hostMemory(snapshots, device) : null,
    ].filter((finding) => finding !== null);
  });
}

/** Device memory outside PyTorch that grows, by the recorder or by samples in all possible time zones. */
function hostOnly(
  snapshots: readonly SnapshotDigest[],
  device: number,
  sampled: readonly SampledUse[],
): ProcessFinding | null {
  const series = snapshots.flatMap(({ recording }) =>
    (recording?.devices ?? []).filter((one) => one.device === device).map(({ outsideBytes }) => outsideBytes),
  );
  if (series.length === snapshots.length) return grows(series) ? finding(device, series, null) : null;
  if (sampled.length === 0 || !sampled.every(({ outsideBytes }) => grows(steadied(outsideBytes)))) return null;
  const least = sampled.reduce((one, other) =>
    growthOf(other.outsideBytes) < growthOf(one.outsideBytes) ? other : one,
  );
  return finding(device, least.outsideBytes, least.path.slice(folderOf(least.path).length));
}

/** Samples are taken before or after a snapshot, and rounded: a smaller change than the noise is none. */
function steadied(series: readonly Bytes[]): Bytes[] {
  let held = series[0];
  return series.map((bytes) => (held = Math.abs(bytes - held) > NOISE ? bytes : held));
}

/** After warm-up, which is the first interval. */
function growthOf(series: readonly Bytes[]): Bytes {
  return series[series.length - 1] - series[1];
}

function grows(series: readonly Bytes[]): boolean {
  return growsThroughout(series) && growthOf(series) >= LEAST_GROWTH * series[1];
}

/** @param log name of the file of the samples, null for the recorder */
function finding(device: number, series: readonly Bytes[], log: string | null): ProcessFinding {
  return {
    verdict: 'hostOnly',
    device,
    bytes: growthOf(series),
    message: [
      t(
        'Memory of device {0} outside PyTorch grows from {1} to {2}.',
        device,
        byteText(series[1]),
        byteText(series[series.length - 1]),
      ),
      ...(log === null ? [] : [t('This is seen in {0} (nvidia-smi).', log)]),
      t('Another process holds it, or a library with its own allocator (NCCL, cuDNN, a custom kernel).'),
    ].join(' '),
    replayed: null,
  };
}
