/** @returns at most `most` of `count` places from 0, evenly spaced, the first and the last among them */
export function evenly(count: number, most: number): number[] {
  if (count <= most) return Array.from({ length: count }, (_, place) => place);
  return Array.from({ length: most }, (_, i) => Math.round((i * (count - 1)) / (most - 1)));
}
