import type { Bytes } from '../model/units.js';

/**
 * Growth per unit of `at`: the median of the slopes between all pairs of points (Theil–Sen), which a single jump does
 * not move.
 * @returns bytes per unit, null if fewer than two points differ in place
 */
export function theilSenRate(at: readonly number[], bytes: readonly Bytes[]): Bytes | null {
  const slopes: number[] = [];
  for (let i = 0; i < at.length; i++) {
    for (let j = i + 1; j < at.length; j++) {
      if (at[j] !== at[i]) slopes.push((bytes[j] - bytes[i]) / (at[j] - at[i]));
    }
  }
  if (slopes.length === 0) return null;
  slopes.sort((a, b) => a - b);
  const middle = slopes.length >> 1;
  return slopes.length % 2 === 1 ? slopes[middle] : (slopes[middle - 1] + slopes[middle]) / 2;
}
