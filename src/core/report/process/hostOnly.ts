import type { SnapshotDigest } from '../../analysis/digest.js';
import { byteText } from '../byteText.js';
import type { ProcessFinding } from '../report.js';
import { keepsClimbing } from './climbing.js';

/** Growth as a share of what was used after warm-up: libraries that are loaded late take some. */
const LEAST_GROWTH = 0.2;

/** Device memory outside PyTorch that climbs, as the recorder saw it: NCCL, other libraries, other processes. */
export function hostOnly(snapshots: readonly SnapshotDigest[], device: number): ProcessFinding | null {
  const series = snapshots.flatMap(({ recording }) =>
    (recording?.devices ?? []).filter((one) => one.device === device).map(({ outsideBytes }) => outsideBytes),
  );
  if (series.length < snapshots.length || !keepsClimbing(series)) return null;
  const last = series[series.length - 1];
  const growth = last - series[1];
  if (growth < LEAST_GROWTH * series[1]) return null;
  return {
    verdict: 'hostOnly',
    device,
    bytes: growth,
    message:
      `Memory of device ${device} outside PyTorch climbs from ${byteText(series[1])} to ${byteText(last)}: another ` +
      `process, or a library that allocates by itself (NCCL, cuDNN, a custom kernel). No line of the program shows it.`,
    settings: [],
  };
}
