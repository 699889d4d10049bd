import type { SnapshotDigest } from '../../digest/digest.js';
import type { Bytes } from '../../model/units.js';
import { byteText, countText } from '../../text/numberText.js';
import { t } from '../../text/translate.js';
import type { ProcessFinding } from '../report.js';

/** Snapshots that the growth of host memory needs; the first third is warm-up, as libraries and caches load. */
const MIN_SNAPSHOTS = 9;
/** Growth after warm-up, absolute and as a share; less is noise of the host's allocator. */
const MIN_GROWTH: Bytes = 32 << 20;
const MIN_SHARE = 0.1;
/** Share of the intervals after warm-up that must rise. */
const MIN_RISING = 0.8;
/** Share of growth up to which device memory counts as steady. */
const STEADY = 0.02;
/** Host memory of an event of the trace with its stack, at most: the process keeps those of the ring. */
const EVENT_BYTES: Bytes = 1024;
/** Factor by which graphs must grow to be named as the cause. */
const MORE_NODES = 2;

/** Host memory that grows with the steps while device memory is steady, such as that of a growing graph of scalars. */
export function hostMemory(snapshots: readonly SnapshotDigest[], device: number): ProcessFinding | null {
  const counted = snapshots.filter(({ recording }) => recording?.residentBytes != null);
  if (counted.length < MIN_SNAPSHOTS || counted.length < snapshots.length) return null;
  const from = Math.floor(counted.length / 3);
  const shown = counted.slice(from).map(({ recording }) => recording?.residentBytes ?? 0);
  let events = 0;
  // A light snapshot lists no events, and the process has them all the same.
  const traced = counted.map(({ eventCount }) => (events = Math.max(events, eventCount))).slice(from);
  const resident = shown.map((bytes, i) => bytes - EVENT_BYTES * traced[i]);
  const live = counted.slice(from).map(({ devices }) => devices.find((one) => one.device === device)?.liveBytes ?? 0);
  const [first] = resident;
  const last = resident[resident.length - 1];
  const middle = resident[resident.length >> 1];
  const rising = resident.filter((bytes, i) => i > 0 && bytes > resident[i - 1]).length;
  const grows =
    last - first >= Math.max(MIN_GROWTH, MIN_SHARE * first) &&
    rising >= MIN_RISING * (resident.length - 1) &&
    last - middle >= 0.6 * (middle - first);
  if (!grows || live[live.length - 1] - live[0] > STEADY * live[0]) return null;
  const nodes = counted.slice(from).flatMap(({ recording }) => recording?.graphNodes ?? []);
  const [before = 0] = nodes;
  const after = nodes.at(-1) ?? 0;
  return {
    verdict: 'hostMemory',
    device,
    bytes: last - first,
    message: [
      t(
        'Host memory of the process grows from {0} to {1} while device memory is steady.',
        byteText(shown[0]),
        byteText(shown[shown.length - 1]),
      ),
      ...(after >= MORE_NODES * Math.max(1, before)
        ? [
            t(
              'Tensors hold graphs of {0} nodes, {1} at first: a running sum may keep its graph. Add .item() or .detach().',
              countText(after),
              countText(before),
            ),
          ]
        : []),
    ].join(' '),
    replayed: null,
  };
}
