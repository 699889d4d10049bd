import type { Bytes } from '../model/units.js';

/** Growth per unit, and the range in which the middle half of all pairs of points puts it. */
export interface Rate {
  median: Bytes;
  low: Bytes;
  high: Bytes;
}

/**
 * Growth per unit of `at`: the median of the slopes between all pairs of points (Theil–Sen), which a single jump does
 * not move.
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
  return { median: quantile(0.5), low: quantile(0.25), high: quantile(0.75) };
}
