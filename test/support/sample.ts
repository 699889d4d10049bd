/** The slowest tests look at a part of their inputs; `npm run test:full` looks at all. */
export const isFull = process.env['LEAKLINE_FULL'] === '1';

/** Every `n`th; all in a full run. */
export function everyNth<T>(all: readonly T[], n: number): T[] {
  return isFull ? [...all] : all.filter((_, index) => index % n === 0);
}

/** How often something random is tried. */
export function tries(inFull: number, otherwise: number): number {
  return isFull ? inFull : otherwise;
}
