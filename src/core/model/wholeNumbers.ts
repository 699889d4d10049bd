/** Numbers of four bytes each, or of eight once one is larger than that, or no whole number. */
export type WholeNumbers = Uint32Array<ArrayBuffer> | Float64Array<ArrayBuffer>;

/** True if four bytes hold the number. */
export function isNarrow(value: number): boolean {
  return value >>> 0 === value;
}

/** Returns numbers in eight bytes each. */
export function widened(numbers: WholeNumbers): Float64Array<ArrayBuffer> {
  return numbers instanceof Float64Array ? numbers : new Float64Array(numbers);
}
