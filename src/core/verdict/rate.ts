import type { Bytes } from '../model/units.js';

/** Growth per unit, and the range in which it lies with a confidence of 95 %. */
export interface Rate {
  median: Bytes;
  low: Bytes;
  high: Bytes;
}

/** Standard deviations of the normal distribution that hold 95 %. */
const SURE = 1.96;

/**
 * Growth per unit of `at`: the median of the slopes between all pairs of points (Theil–Sen), which a single jump does
 * not move. Its range is Sen's: so many slopes from the median as chance may order wrongly.
 * @returns bytes per unit, null if fewer than two points differ in place
 */
export function theilSen(at: readonly number[], bytes: readonly Bytes[]): Rate | null {
  let count = 0;
  const slopes = new Float64Array((at.length * (at.length - 1)) / 2);
  for (let i = 0; i < at.length; i++) {
    for (let j = i + 1; j < at.length; j++) {
      if (at[j] !== at[i]) slopes[count++] = (bytes[j] - bytes[i]) / (at[j] - at[i]);
    }
  }
  if (count === 0) return null;
  const sorted = slopes.subarray(0, count).sort();
  const quantile = (share: number): number => {
    const place = share * (count - 1);
    const below = Math.floor(place);
    const above = Math.min(below + 1, count - 1);
    return sorted[below] + (sorted[above] - sorted[below]) * (place - below);
  };
  const points = at.length;
  const spread = (SURE * Math.sqrt((points * (points - 1) * (2 * points + 5)) / 18)) / count / 2;
  return {
    median: quantile(0.5),
    low: quantile(Math.max(0, 0.5 - spread)),
    high: quantile(Math.min(1, 0.5 + spread)),
  };
}
