/** Numbers of four bytes each, or of eight once one is larger than that, or no whole number. */
export type WholeNumbers = Uint32Array<ArrayBuffer> | Float64Array<ArrayBuffer>;

/** True if four bytes hold the number. */
export function isNarrow(value: number): boolean {
  return value >>> 0 === value;
}

/** The same numbers in eight bytes each. @param used of them are copied */
export function widened(numbers: WholeNumbers, used: number): Float64Array<ArrayBuffer> {
  if (numbers instanceof Float64Array) return numbers;
  const wide = new Float64Array(numbers.length);
  wide.set(numbers.subarray(0, used));
  return wide;
}
