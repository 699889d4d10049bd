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

/** Growth per unit of `at` over the snapshots of a run, or over an evenly spaced part of many: see {@link theilSen}. */
export function rateOfRun(at: readonly number[], bytes: readonly Bytes[]): Rate | null {
  const places = evenly(at.length, MAX_POINTS);
  return theilSen(
    places.map((place) => at[place]),
    places.map((place) => bytes[place]),
  );
}

/** The medians of {@link rateOfRun} alone, in a third of its time, of many series over the same snapshots. */
export function mediansOver(at: readonly number[]): (bytes: readonly Bytes[]) => Bytes | null {
  const places = evenly(at.length, MAX_POINTS);
  const some = places.map((place) => at[place]);
  return (bytes) => {
    const slopes = slopesOf(
      some,
      places.map((place) => bytes[place]),
    );
    return slopes === null ? null : quantilesOf(slopes)(0.5);
  };
}

/**
 * Growth per unit of `at`: the median of all slopes (Theil–Sen), robust against a single jump, with Sen's interval.
 * @returns bytes per unit, null without two different places
 */
export function theilSen(at: readonly number[], bytes: readonly Bytes[]): Rate | null {
  const slopes = slopesOf(at, bytes);
  if (slopes === null) return null;
  const quantile = quantilesOf(slopes);
  const points = at.length;
  const spread = (SURE * Math.sqrt((points * (points - 1) * (2 * points + 5)) / 18)) / slopes.length / 2;
  return {
    median: quantile(0.5),
    low: quantile(Math.max(0, 0.5 - spread)),
    high: quantile(Math.min(1, 0.5 + spread)),
  };
}

/** The slopes between all pairs of points that differ in place, null if none do. */
function slopesOf(at: readonly number[], bytes: readonly Bytes[]): Float64Array | null {
  // Most lines of a long run never change.
  if (bytes.every((amount) => amount === bytes[0])) {
    return at.every((place) => place === at[0]) ? null : new Float64Array(1);
  }
  let count = 0;
  const x = new Float64Array(at);
  const y = new Float64Array(bytes);
  const slopes = new Float64Array((x.length * (x.length - 1)) / 2);
  for (let i = 0; i < x.length; i++) {
    for (let j = i + 1; j < x.length; j++) {
      if (x[j] !== x[i]) slopes[count++] = (y[j] - y[i]) / (x[j] - x[i]);
    }
  }
  return count === 0 ? null : slopes.subarray(0, count);
}

/** Quantiles of values, which change their order: there are half a million slopes in a run of a thousand snapshots. */
function quantilesOf(values: Float64Array): (share: number) => number {
  return (share) => {
    const place = share * (values.length - 1);
    const below = Math.floor(place);
    select(values, below);
    if (below === values.length - 1) return values[below];
    let above = values[below + 1];
    for (let i = below + 2; i < values.length; i++) if (values[i] < above) above = values[i];
    return values[below] + (above - values[below]) * (place - below);
  };
}

/** Moves the value that sorting would put at a place to it, with no smaller value after it. */
function select(values: Float64Array, place: number): void {
  let from = 0;
  let to = values.length - 1;
  while (from < to) {
    // At random, so that no hostile series takes long.
    const pivot = values[from + Math.floor(Math.random() * (to - from + 1))];
    let i = from;
    let j = to;
    while (i <= j) {
      while (values[i] < pivot) i++;
      while (values[j] > pivot) j--;
      if (i > j) break;
      const swapped = values[i];
      values[i++] = values[j];
      values[j--] = swapped;
    }
    if (place <= j) to = j;
    else if (place >= i) from = i;
    else return;
  }
}
