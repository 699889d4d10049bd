import type { SnapshotDigest } from '../../digest/digest.js';
import { highestLive, replayedSettings } from '../../digest/digestFacts.js';
import type { PoolFacts } from '../../attribution/segmentFacts.js';
import { isPrivatePool } from '../../model/privatePool.js';
import type { Bytes } from '../../model/units.js';
import { t, tCount } from '../../text/translate.js';
import { byteText } from '../../text/numberText.js';
import { deviceName } from '../../text/deviceName.js';
import { sum } from '../lineSelection.js';
import type { ReplayedSetting } from '../../allocator/deviceAnswer.js';
import type { ProcessFinding } from '../report.js';
import { isContinued } from '../../runs/sameProcess.js';
import { growsThroughout } from './growing.js';

/** Growth of unused reserved memory, as a share of the reserved memory after warm-up: less is normal. */
const MIN_GROWTH = 0.2;
/** Share of that growth that a cause must explain. */
const MAIN_CAUSE = 0.5;

/** Reserved memory that grows although live memory does not, with its cause. */
export function reservedOnly(snapshots: readonly SnapshotDigest[], device: number): ProcessFinding | null {
  const totals = snapshots.map((digest) => digest.devices.find((one) => one.device === device));
  const reserved = totals.map((total) => total?.reservedBytes ?? null);
  if (!reserved.every((bytes) => bytes !== null) || !growsThroughout(reserved)) return null;
  const live = totals.map((total) => total?.liveBytes ?? 0);
  const slack = reserved.map((bytes, i) => bytes - live[i]);
  if (!growsThroughout(slack)) return null;
  // The first interval is warm-up.
  const last = snapshots.length - 1;
  const growth = slack[last] - slack[1];
  const liveGrowth = Math.max(...live) - live[1];
  if (growth < MIN_GROWTH * reserved[1] || liveGrowth > growth) return null;
  const span = [deviceName(device), byteText(reserved[1]), byteText(reserved[last])];
  const replayed = replayedOn(snapshots[last], device);
  const cause = causeOf(poolsOf(snapshots[1], device), poolsOf(snapshots[last], device), growth);
  return {
    verdict: 'reservedOnly',
    device,
    bytes: growth,
    message: [
      liveGrowth > 0
        ? t(
            'Reserved memory of {0} grows from {1} to {2} while live memory grows by {3} at most.',
            ...span,
            byteText(liveGrowth),
          )
        : t('Reserved memory of {0} grows from {1} to {2} while live memory does not grow.', ...span),
      cause,
      ...(replayed === null ? [] : [replayedText(replayed, reserved[last])]),
    ].join(' '),
    replayed,
  };
}

/** Reserved memory above this multiple of the live peak, and this difference, is more than caching, unless a replay shows it. */
const FAR_ABOVE = 1.25;
const MIN_ABOVE: Bytes = 256 * 2 ** 20;

/**
 * Reserved memory far above the peak of live memory. Null where the peak of the run is not known: without segments, from
 * a truncated trace, or from the state alone.
 */
export function reservedFarAbove(snapshots: readonly SnapshotDigest[], device: number): ProcessFinding | null {
  const last = snapshots[snapshots.length - 1];
  const reserved = last.devices.find((one) => one.device === device)?.reservedBytes ?? 0;
  let peak: Bytes | null = null;
  const replayed = replayedOn(last, device);
  const far = replayed === null ? FAR_ABOVE : 1;
  const isFar = (): boolean => reserved >= far * (peak ?? 0) && reserved - (peak ?? 0) >= MIN_ABOVE;
  // In most runs, the latest snapshot shows that it is not.
  let later: SnapshotDigest | null = null;
  for (let i = snapshots.length - 1; i >= 0 && isFar(); i--) {
    const digest = snapshots[i];
    // A trace that goes on has the peak as well.
    if (later !== null && isContinued(digest, later)) continue;
    const own = highestLive(digest).find((one) => one.device === device);
    if (own === undefined) continue;
    peak = Math.max(peak ?? 0, own.liveBytes);
    later = digest;
  }
  if (peak === null || !isFar()) return null;
  const idle = sum(poolsOf(last, device), (pool) => pool.idleBytes);
  const isIdle = idle >= MAIN_CAUSE * (reserved - peak);
  return {
    verdict: 'reservedOnly',
    device,
    bytes: reserved - peak,
    message: [
      t(
        'Reserved memory of {0} is {1}, {2} more than the peak of live memory in the trace.',
        deviceName(device),
        byteText(reserved),
        byteText(reserved - peak),
      ),
      isIdle
        ? t(
            '{0} of it lies in segments that hold nothing: PyTorch reuses this cache, and torch.cuda.empty_cache() gives it back where another process needs it.',
            byteText(idle),
          )
        : t('Most of it lies in holes between live blocks (fragmentation).'),
      ...(replayed === null ? [] : [replayedText(replayed, reserved)]),
    ].join(' '),
    replayed,
  };
}

/** Amounts of reserved memory that differ by less are one. */
const SAME = 0.02;

/** What a setting would have reserved, as a sentence. */
function replayedText(
  { setting, reservedPeakBytes, insteadOfBytes, isEstimate }: ReplayedSetting,
  recorded: Bytes,
): string {
  // An estimate lays older memory out again: its amounts are not those that were recorded.
  if (Math.abs(insteadOfBytes - recorded) > SAME * recorded) {
    return t(
      'Replayed with {0}, the requests of the trace reserve about {1} less.',
      setting,
      byteText(insteadOfBytes - reservedPeakBytes),
    );
  }
  return t(
    'Replayed with {0}, the requests of the trace reserve {1} instead of {2}.',
    setting,
    isEstimate ? t('about {0}', byteText(reservedPeakBytes)) : byteText(reservedPeakBytes),
    byteText(insteadOfBytes),
  );
}

function replayedOn(digest: SnapshotDigest, device: number): ReplayedSetting | null {
  return replayedSettings(digest).find((one) => one.device === device)?.replayed ?? null;
}

function poolsOf(digest: SnapshotDigest, device: number): PoolFacts[] {
  return digest.segments.pools.filter((pool) => pool.device === device);
}

/** Reasons for unused reserved memory, from where it grew. */
function causeOf(before: readonly PoolFacts[], after: readonly PoolFacts[], growth: number): string {
  const grown = (holds: (pool: PoolFacts) => boolean, bytes: (pool: PoolFacts) => number): number =>
    sum(after.filter(holds), bytes) - sum(before.filter(holds), bytes);
  const unused = (pool: PoolFacts): number => pool.reservedBytes - pool.liveBytes;
  const isPrivate = ({ pool }: PoolFacts): boolean => isPrivatePool(pool);
  const inPools = grown(isPrivate, unused);
  if (inPools >= MAIN_CAUSE * growth) {
    const count = new Set(after.filter(isPrivate).map(({ pool }) => pool)).size;
    return tCount(
      count,
      '{1} more lie unused in private pools (1 pool now), which CUDA graphs and MemPools do not share. Capture ' +
        'fewer graphs, or let them share a pool: torch.cuda.graph(…, pool=…).',
      '{1} more lie unused in private pools ({0} pools now), which CUDA graphs and MemPools do not share. Capture ' +
        'fewer graphs, or let them share a pool: torch.cuda.graph(…, pool=…).',
      byteText(inPools),
    );
  }
  const main = [...before].sort((a, b) => b.reservedBytes - a.reservedBytes).at(0)?.stream;
  const isSideStream = (pool: PoolFacts): boolean => !isPrivate(pool) && pool.stream !== main;
  const onSideStreams = grown(isSideStream, unused);
  if (onSideStreams >= MAIN_CAUSE * growth) {
    const count = new Set(after.filter(isSideStream).map(({ stream }) => stream)).size;
    return tCount(
      count,
      '{1} more are cached for 1 side stream, and no other stream may use them. Reuse streams ' +
        'instead of creating new ones.',
      '{1} more are cached for {0} side streams, and no other stream may use them. Reuse streams ' +
        'instead of creating new ones.',
      byteText(onSideStreams),
    );
  }
  const idle = grown(
    (pool) => !isPrivate(pool) && pool.stream === main,
    (pool) => pool.idleBytes,
  );
  if (idle >= MAIN_CAUSE * growth) {
    return t(
      '{0} more lie in segments that hold nothing: cached in sizes that are not requested again.',
      byteText(idle),
    );
  }
  return t('The free memory lies in holes between live blocks (fragmentation).');
}
