/** Schemas for the messages and stored state of a page: everything is checked. */
import * as v from 'valibot';

/** A schema for each field. */
export type Schemas<T> = { [Name in keyof T]: v.GenericSchema<T[Name]> };

/** A whole number from `min` to `max`. */
export function integer(min: number, max = Number.MAX_SAFE_INTEGER): v.GenericSchema<number> {
  return v.pipe(v.number(), v.safeInteger(), v.minValue(min), v.maxValue(max));
}

/** A list of `min` to `max` entries. */
export function listOf<T>(schema: v.GenericSchema<T>, max: number, min = 0): v.GenericSchema<T[]> {
  return v.pipe(v.array(schema), v.minLength(min), v.maxLength(max));
}

/** The fields of a value, those of `defaults` where they do not fit. */
export function fitted<T extends object>(schemas: Schemas<T>, defaults: T, value: unknown): T {
  const fields = Object.keys(schemas).map((name) => [
    name,
    v.fallback(schemas[name as keyof T], defaults[name as keyof T] as never),
  ]);
  const { output } = v.safeParse(v.object(Object.fromEntries(fields)), value);
  return { ...defaults, ...(output as Partial<T>) };
}
