import type { Microseconds } from './units.js';

/** Times of one event in two dumps differ by the fit of the clock, never by this much. */
export const SAME_CLOCK_US: Microseconds = 1_000_000;
