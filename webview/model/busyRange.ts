import type { TimelineWindow } from '../../src/protocol/timelineData.js';
import type { Range } from './range.js';

/** Memory below this share of the peak counts as none: it would be a few pixels high. */
const MIN_SHARE_OF_PEAK = 0.01;
/** A stretch below this share of the axis would be a few pixels. */
const MAX_SHARE_OF_AXIS = 0.02;
/** Kept free on both sides, as a share of the stretch. */
const SPARE = 0.1;

/**
 * The stretch of time in which memory is in use, where the whole axis would show nothing else than that the program
 * waited. @returns null if the whole axis shows more
 */
export function busyRange({
  axis,
  extent,
  x,
  live,
}: Pick<TimelineWindow, 'axis' | 'extent' | 'x' | 'live'>): Range | null {
  if (axis === 'events') return null;
  const min = MIN_SHARE_OF_PEAK * live.reduce((highest, bytes) => Math.max(highest, bytes), 0);
  const first = live.findIndex((bytes) => bytes > min);
  const last = live.findLastIndex((bytes) => bytes > min);
  if (first < 0) return null;
  const from = x[first];
  const to = last + 1 < x.length ? x[last + 1] : extent.to;
  const span = to - from;
  return span > MAX_SHARE_OF_AXIS * (extent.to - extent.from)
    ? null
    : { from: from - SPARE * span, to: to + SPARE * span };
}
