/**
 * Shapes of what comes from another world: one description gives both the type and the guard. Nothing that a page or a
 * kept state says is believed before a shape has seen it.
 */
export type Shape<T> = (value: unknown) => value is T;
export type Of<S> = S extends Shape<infer T> ? T : never;
type Fields = Record<string, Shape<unknown>>;
/** A shape for each field. */
export type Shapes<T> = { [Name in keyof T]: Shape<T[Name]> };

export const text: Shape<string> = (value) => typeof value === 'string';
export const flag: Shape<boolean> = (value) => typeof value === 'boolean';
export const finite: Shape<number> = (value): value is number => Number.isFinite(value);
export const nothing: Shape<null> = (value) => value === null;

/** A whole number. */
export function integer(least: number, most: number = Number.MAX_SAFE_INTEGER): Shape<number> {
  return (value): value is number =>
    Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most;
}

export function oneOf<const T extends string>(values: readonly T[]): Shape<T> {
  return (value): value is T => values.some((one) => one === value);
}

export function orNull<T>(shape: Shape<T>): Shape<T | null> {
  return (value): value is T | null => value === null || shape(value);
}

export function listOf<T>(shape: Shape<T>, most: number, least = 0): Shape<readonly T[]> {
  return (value): value is readonly T[] =>
    Array.isArray(value) && value.length >= least && value.length <= most && value.every((item) => shape(item));
}

/** An object that has these fields, and perhaps others. */
export function record<F extends Fields>(fields: F): Shape<{ [Name in keyof F]: Of<F[Name]> }> {
  return (value): value is { [Name in keyof F]: Of<F[Name]> } =>
    typeof value === 'object' &&
    value !== null &&
    Object.entries(fields).every(([name, shape]) => shape((value as Record<string, unknown>)[name]));
}

/** A shape with a condition that its type does not show. */
export function where<T>(shape: Shape<T>, holds: (value: T) => boolean): Shape<T> {
  return (value): value is T => shape(value) && holds(value);
}

/** The fields of a value that are as they should be; none of what is not an object. */
export function fitting<F extends Fields>(fields: F, value: unknown): Partial<{ [Name in keyof F]: Of<F[Name]> }> {
  if (typeof value !== 'object' || value === null) return {};
  const own = Object.entries(value).filter(([name, part]) => Object.hasOwn(fields, name) && fields[name](part));
  return Object.fromEntries(own) as Partial<{ [Name in keyof F]: Of<F[Name]> }>;
}
