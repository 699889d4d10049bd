import type { SnapshotDigest } from '../../digest/digest.js';
import type { SnapshotWarning } from '../../model/snapshot.js';
import type { Trend, TrendSeries } from '../../model/trend.js';
import type { Bytes, Microseconds } from '../../model/units.js';
import type { Run } from '../../runs/runs.js';
import { t } from '../../text/translate.js';
import { folderOf } from '../folderOf.js';
import type { OtherInputs } from '../otherInputs.js';

/** Samples of a whole device (nvidia-smi) for a run, in one time zone. */
export interface SampledUse {
  /** The log's file. */
  path: string;
  /** Used on the device and not reserved by PyTorch, at each snapshot. */
  outsideBytes: readonly Bytes[];
  capacityBytes: Bytes | null;
}

/** Reasons why samples do not describe a device of a run. */
type Misfit =
  /** The log is in another folder, has no clock or no such device; or the snapshots have no times or reserved bytes. */
  | 'notComparable'
  /** In no time zone are there samples around every snapshot. */
  | 'apart'
  /** Less is used than PyTorch had reserved: it is another device, or another machine. */
  | 'less';

const MINUTE_US: Microseconds = 60_000_000;
/** Zones of the world: from 12 hours behind UTC to 14 before it, in quarters of an hour. */
const ZONES = { first: -12 * 60, last: 14 * 60, step: 15 } as const;
/** The nearest sample may be this many times the usual distance of two samples away, or so long. */
const NEAR = 2;
const NEAR_US: Microseconds = 2_000_000;
/** nvidia-smi counts in MiB. */
const ROUNDING: Bytes = 1 << 20;

/** All logs beside a run's snapshots for a device, in each possible time zone. */
export function sampledUses(
  snapshots: readonly SnapshotDigest[],
  device: number,
  { trends }: Pick<OtherInputs, 'trends'>,
): SampledUse[] {
  return trends.flatMap(({ path, trend }) => {
    const use = sampledUse(snapshots, device, path, trend);
    return typeof use === 'string' ? [] : use;
  });
}

/** A log's samples of a device, or the reason against them. */
function sampledUse(
  snapshots: readonly SnapshotDigest[],
  device: number,
  path: string,
  trend: Trend,
): SampledUse[] | Misfit {
  const moments = snapshots.map(({ takenAtUs, devices }) => ({
    atUs: takenAtUs,
    reserved: devices.find((one) => one.device === device)?.reservedBytes ?? null,
  }));
  const series = usedOf(snapshots, device, trend);
  const known = moments.every((one): one is Moment => one.atUs !== null && one.reserved !== null);
  if (!isBeside(path, snapshots) || !trend.isWallClock || series === null || !known) return 'notComparable';
  // A device that the training does not use is ignored.
  if (moments.every(({ reserved }) => reserved === 0)) return 'notComparable';
  const samples = samplesOf(trend, series);
  const near = Math.max(NEAR_US, NEAR * usualDistance(samples.timeUs));
  const capacityBytes = trend.capacities.find((one) => one.device === series.device)?.bytes ?? null;
  const readings = new Map<string, SampledUse>();
  let misfit: Misfit = 'apart';
  for (let zone = ZONES.first; zone <= ZONES.last; zone += ZONES.step) {
    const outsideBytes = outsideAt(moments, samples, zone * MINUTE_US, near);
    if (outsideBytes === 'less') misfit = 'less';
    else if (outsideBytes !== 'apart') readings.set(outsideBytes.join(), { path, outsideBytes, capacityBytes });
  }
  return readings.size === 0 ? misfit : [...readings.values()];
}

interface Moment {
  atUs: Microseconds;
  reserved: Bytes;
}

interface Samples {
  /** Never falling, by the log's own clock. */
  timeUs: Float64Array;
  used: Float64Array;
}

/** In the folder of the snapshots, or above: logs of other runs are elsewhere. */
function isBeside(path: string, snapshots: readonly SnapshotDigest[]): boolean {
  const folder = folderOf(path);
  return snapshots.some((digest) => folderOf(digest.path).startsWith(folder));
}

/**
 * Used memory of the device. nvidia-smi counts all devices, a process its visible ones: with one each, they are equal.
 */
function usedOf(snapshots: readonly SnapshotDigest[], device: number, { series }: Trend): TrendSeries | null {
  const used = series.filter((one) => one.name === 'used' && one.device !== null);
  if (used.length === 1 && snapshots.every(({ devices }) => busy(devices).length <= 1)) return used[0];
  return used.find((one) => one.device === device) ?? null;
}

function busy(devices: SnapshotDigest['devices']): SnapshotDigest['devices'] {
  return devices.filter(({ reservedBytes }) => reservedBytes !== 0);
}

function samplesOf({ timeUs, count }: Trend, { bytes }: TrendSeries): Samples {
  const rows = Array.from({ length: count }, (_, row) => row).filter(
    (row) => !Number.isNaN(bytes[row]) && !Number.isNaN(timeUs?.[row] ?? Number.NaN),
  );
  rows.sort((a, b) => (timeUs?.[a] ?? 0) - (timeUs?.[b] ?? 0));
  return {
    timeUs: Float64Array.from(rows, (row) => timeUs?.[row] ?? 0),
    used: Float64Array.from(rows, (row) => bytes[row]),
  };
}

function usualDistance(timeUs: Float64Array): Microseconds {
  const distances = timeUs
    .slice(1)
    .map((time, i) => time - timeUs[i])
    .sort();
  return distances.length === 0 ? 0 : distances[distances.length >> 1];
}

/** @param zone of the log's clock, before UTC */
function outsideAt(
  moments: readonly Moment[],
  { timeUs, used }: Samples,
  zone: Microseconds,
  near: Microseconds,
): Bytes[] | 'apart' | 'less' {
  const outside: Bytes[] = [];
  let isLess = false;
  for (const { atUs, reserved } of moments) {
    const at = atUs + zone;
    const after = lowerBound(timeUs, at);
    const around = [after - 1, after].filter(
      (row) => row >= 0 && row < timeUs.length && Math.abs(timeUs[row] - at) <= near,
    );
    if (around.length === 0) return 'apart';
    const nearest = around.reduce((best, row) =>
      Math.abs(timeUs[row] - at) < Math.abs(timeUs[best] - at) ? row : best,
    );
    // Reserved memory between two samples appears in the later one.
    if (Math.max(...around.map((row) => used[row])) + ROUNDING < reserved) isLess = true;
    outside.push(Math.max(0, used[nearest] - reserved));
  }
  return isLess ? 'less' : outside;
}

/** The first index whose time is not before `time`. */
function lowerBound(timeUs: Float64Array, time: Microseconds): number {
  let low = 0;
  let high = timeUs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (timeUs[middle] < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Reasons why samples describe none of the runs beside them; none if they describe one, or without runs. */
export function sampleWarnings(path: string, trend: Trend, runs: readonly Run[]): SnapshotWarning[] {
  const misfits = new Set<Misfit>();
  for (const { snapshots } of runs) {
    for (const { device } of snapshots[snapshots.length - 1].devices) {
      const use = sampledUse(snapshots, device, path, trend);
      if (typeof use !== 'string') return [];
      misfits.add(use);
    }
  }
  if (misfits.has('less')) {
    return [
      {
        code: 'otherDevice',
        message: t(
          'At the times of the snapshots beside it, less memory is used than PyTorch had reserved, ' +
            'so memory outside PyTorch is unknown: log the device that the training uses, on its machine.',
        ),
      },
    ];
  }
  if (!misfits.has('apart')) return [];
  return [
    {
      code: 'otherTimes',
      message: t(
        'Its times match the snapshots beside it in no time zone, so memory outside PyTorch is unknown: ' +
          'log from the first snapshot to the last, every few seconds.',
      ),
    },
  ];
}
