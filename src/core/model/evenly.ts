/** @returns at most `most` of `count` places from 0, evenly spaced, the first and the last among them */
export function evenly(count: number, max: number): number[] {
  if (count <= max) return Array.from({ length: count }, (_, place) => place);
  return Array.from({ length: max }, (_, i) => Math.round((i * (count - 1)) / (max - 1)));
}
