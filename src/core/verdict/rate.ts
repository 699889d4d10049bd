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
  const slopes: number[] = [];
  for (let i = 0; i < at.length; i++) {
    for (let j = i + 1; j < at.length; j++) {
      if (at[j] !== at[i]) slopes.push((bytes[j] - bytes[i]) / (at[j] - at[i]));
    }
  }
  if (slopes.length === 0) return null;
  slopes.sort((a, b) => a - b);
  const quantile = (share: number): number => {
    const place = share * (slopes.length - 1);
    const below = Math.floor(place);
    const above = Math.min(below + 1, slopes.length - 1);
    return slopes[below] + (slopes[above] - slopes[below]) * (place - below);
  };
  const points = at.length;
  const spread = (SURE * Math.sqrt((points * (points - 1) * (2 * points + 5)) / 18)) / slopes.length / 2;
  return {
    median: quantile(0.5),
    low: quantile(Math.max(0, 0.5 - spread)),
    high: quantile(Math.min(1, 0.5 + spread)),
  };
}
