import { evenly } from '../model/evenly.js';
import type { Bytes } from '../model/units.js';

/** Growth per unit, and its 95 % confidence interval. */
interface Rate {
  median: Bytes;
  low: Bytes;
  high: Bytes;
}

/** Standard deviations of the normal distribution that contain 95 %. */
const SURE = 1.96;
/** Maximum number of snapshots, or bins of steps, per rate: else its cost would grow with the square of the run. */
const MAX_POINTS = 64;

/**
 * Growth per unit of `at`: the median of all slopes (Theil–Sen), robust against a single jump, with Sen's interval. Of
 * a long run, an evenly spaced part counts.
 * @returns bytes per unit, null without two different places
 */
export function rateOfRun(at: readonly number[], bytes: readonly Bytes[]): Rate | null {
  const slopes = slopesOf(at, bytes)?.sort() ?? null;
  if (slopes === null) return null;
  const points = Math.min(at.length, MAX_POINTS);
  const spread = (SURE * Math.sqrt((points * (points - 1) * (2 * points + 5)) / 18)) / slopes.length / 2;
  return {
    median: quantile(slopes, 0.5),
    low: quantile(slopes, Math.max(0, 0.5 - spread)),
    high: quantile(slopes, Math.min(1, 0.5 + spread)),
  };
}

/** The slopes between all pairs of points that differ in place, null if none do; of many points, between some. */
function slopesOf(at: readonly number[], bytes: readonly Bytes[]): Float64Array | null {
  // Most lines of a long run never change.
  if (bytes.every((amount) => amount === bytes[0])) {
    return at.every((place) => place === at[0]) ? null : new Float64Array(1);
  }
  let count = 0;
  const places = evenly(at.length, MAX_POINTS);
  const x = new Float64Array(places.map((place) => at[place]));
  const y = new Float64Array(places.map((place) => bytes[place]));
  const slopes = new Float64Array((x.length * (x.length - 1)) / 2);
  for (let i = 0; i < x.length; i++) {
    for (let j = i + 1; j < x.length; j++) {
      if (x[j] !== x[i]) slopes[count++] = (y[j] - y[i]) / (x[j] - x[i]);
    }
  }
  return count === 0 ? null : slopes.subarray(0, count);
}

/** The quantile of sorted values. */
function quantile(values: Float64Array, share: number): number {
  const place = share * (values.length - 1);
  const below = Math.floor(place);
  const above = Math.ceil(place);
  return values[below] + (values[above] - values[below]) * (place - below);
}
