import type { Trend, TrendSeries } from '../model/trend.js';
import type { DeviceOrdinal } from '../model/units.js';
import type { DeviceHistory } from '../model/history.js';

/**
 * A trend as a history without allocations: rows are events. Live bytes are the allocated ones, else the used ones,
 * else the sum of the categories.
 */
export function trendHistory({ count, timeUs, series: all }: Trend, device: DeviceOrdinal): DeviceHistory {
  const series = all.filter((one) => one.device === null || one.device === device);
  const named = (name: string): TrendSeries | undefined => series.find((one) => one.name === name);
  const allocated = named('allocated') ?? named('used');
  const rows = named('reserved');
  const reserved = rows === undefined ? null : curve([rows], count);
  const startUs = timeUs?.at(0) ?? null;
  const time = timeUs === null || startUs === null ? null : neverFalling(timeUs, startUs);
  const live = curve(allocated === undefined ? series : [allocated], count);
  return {
    trace: { device, first: 0, count },
    allocations: noAllocations(),
    live,
    liveAfter: (row) => live[row + 1],
    reserved,
    reservedAfter: (row) => reserved?.[row + 1] ?? null,
    time,
    timeAt: (row) => time?.[row] ?? null,
    startUs,
    disagreement: 0,
  };
}

/**
 * The sum of series after each row, and before the first as after it. A row without a value repeats the previous one.
 */
function curve(series: readonly TrendSeries[], count: number): Float64Array {
  const sums = new Float64Array(count + 1);
  for (const { bytes } of series) {
    let known = bytes.find((value) => !Number.isNaN(value)) ?? 0;
    sums[0] += known;
    for (let row = 0; row < count; row++) {
      if (!Number.isNaN(bytes[row])) known = bytes[row];
      sums[row + 1] += known;
    }
  }
  return sums;
}

function neverFalling(timeUs: Float64Array, startUs: number): Float64Array {
  let last = 0;
  return timeUs.map((time) => (last = Math.max(last, time - startUs)));
}

function noAllocations(): DeviceHistory['allocations'] {
  return {
    count: 0,
    birth: new Int32Array(0),
    death: new Int32Array(0),
    bytes: new Float64Array(0),
    stack: new Uint32Array(0),
    forwardStack: new Uint32Array(0),
    atEnd: { blocks: [], rows: new Uint32Array(0) },
  };
}
