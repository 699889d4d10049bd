/**
 * Says of plain data from a cache whether it has a shape. A shape of a type names every field of it: one that is
 * forgotten does not compile.
 */
export type Shape<T> = (value: unknown) => value is T;

export const text: Shape<string> = (value) => typeof value === 'string';
export const bool: Shape<boolean> = (value) => typeof value === 'boolean';
/** Never endless, never NaN. */
export const number: Shape<number> = (value): value is number => Number.isFinite(value);
export const count: Shape<number> = (value): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
export const floats: Shape<Float64Array> = (value): value is Float64Array =>
  value instanceof Float64Array && value.every(Number.isFinite);
export const words: Shape<Uint32Array> = (value) => value instanceof Uint32Array;
export const integers: Shape<Int32Array> = (value) => value instanceof Int32Array;

export function oneOf<const T extends string | number>(...values: readonly T[]): Shape<T> {
  return (value): value is T => (values as readonly unknown[]).includes(value);
}

export function orNull<T>(shape: Shape<T>): Shape<T | null> {
  return (value): value is T | null => value === null || shape(value);
}

export function list<T>(item: Shape<T>): Shape<readonly T[]> {
  return (value): value is readonly T[] => Array.isArray(value) && value.every(item);
}

/** Fields beyond those named do no harm. */
export function record<T extends object>(fields: { readonly [K in keyof T]-?: Shape<T[K]> }): Shape<T> {
  const entries = Object.entries<Shape<unknown>>(fields);
  return (value): value is T =>
    typeof value === 'object' &&
    value !== null &&
    entries.every(([name, shape]) => Object.hasOwn(value, name) && shape((value as Record<string, unknown>)[name]));
}

/** Both are asked. */
export function where<T>(shape: Shape<T>, holds: (value: T) => boolean): Shape<T> {
  return (value): value is T => shape(value) && holds(value);
}
