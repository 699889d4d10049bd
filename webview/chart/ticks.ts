/** The ticks of an axis: bytes in powers of two, times in clock units, events in 1-2-5. */

/** Multiples of a power of two from `min` to `max`, at most `count` steps apart. */
export function byteTicks(min: number, max: number, count: number): number[] {
  if (max <= min) return [min];
  const step = 2 ** Math.max(0, Math.ceil(Math.log2((max - min) / Math.max(1, count))));
  return multiples(min, max, step);
}

/** The top of a zero-based byte axis: a little above `highest`, in quarters of its tick step so that it seldom moves. */
export function byteAxisTop(highest: number, count: number): number {
  if (highest <= 0) return 1024;
  const step = 2 ** Math.max(0, Math.ceil(Math.log2(highest / Math.max(1, count))));
  return (Math.ceil((highest * 1.03) / (step / 4)) * step) / 4;
}

const SECOND = 1e6;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const CLOCK_STEPS = [
  ...[1, 2, 5, 10, 15, 30].map((step) => step * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((step) => step * MINUTE),
  ...[1, 2, 3, 6, 12, 24].map((step) => step * HOUR),
];

/** Ticks for microseconds. */
export function timeTicks(min: number, max: number, count: number): number[] {
  const rough = (max - min) / Math.max(1, count);
  if (!(rough > 0)) return [min];
  if (rough <= SECOND / 2) return multiples(min, max, Math.max(1, decimalStep(rough)));
  const step = CLOCK_STEPS.find((candidate) => candidate >= rough) ?? 24 * HOUR * decimalStep(rough / (24 * HOUR));
  return multiples(min, max, step);
}

/** Ticks for event ordinals: whole numbers. */
export function eventTicks(min: number, max: number, count: number): number[] {
  const rough = (max - min) / Math.max(1, count);
  if (!(rough > 0)) return [min];
  return multiples(min, max, Math.max(1, decimalStep(rough)));
}

/** The smallest of 1, 2, 5 times a power of ten that is not below `rough`. */
function decimalStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 5, 10].find((candidate) => candidate * power >= rough * (1 - 1e-9)) ?? 10;
  return factor * power;
}

function multiples(min: number, max: number, step: number): number[] {
  const ticks: number[] = [];
  const first = Math.ceil(min / step);
  const last = Math.floor(max / step);
  for (let index = first; index <= last; index++) ticks.push(index * step);
  return ticks;
}
