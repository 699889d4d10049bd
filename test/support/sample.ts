/** The slowest tests look at a part of their inputs; `npm run test:full` looks at all. */
const isFull = process.env['LEAKLINE_FULL'] === '1';

/** Every `n`th; all in a full run. */
export function everyNth<T>(all: readonly T[], n: number): T[] {
  return isFull ? [...all] : all.filter((_, index) => index % n === 0);
}

/** How often something random is tried. */
export function tries(inFull: number, otherwise: number): number {
  return isFull ? inFull : otherwise;
}

/** Groups of windows that take minutes each: `npm run test:full` opens them, others count them as skipped. */
export const describeInFull = isFull ? describe : describe.skip;

/** The same for one test of a group. */
export const itInFull = isFull ? it : it.skip;
