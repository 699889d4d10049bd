/** Snapshots that make growth of the process: the first interval is warm-up, and three more must show it. */
const MIN_SNAPSHOTS = 5;
/** Share of the intervals that must rise. */
const RISING_SHARE = 0.5;

/**
 * True if a series rises in most intervals after warm-up, also in the later half, never falls, and does not end level.
 * One level interval at the end still counts as growth.
 */
export function growsThroughout(all: readonly number[]): boolean {
  const last = all.length - (all.at(-1) === all.at(-2) ? 2 : 1);
  if (last + 1 < MIN_SNAPSHOTS) return false;
  let rises = 0;
  for (let i = 2; i <= last; i++) {
    if (all[i] < all[i - 1]) return false;
    if (all[i] > all[i - 1]) rises++;
  }
  const intervals = last - 1;
  if (rises < 3 || rises < RISING_SHARE * intervals) return false;
  const middle = all[1 + (intervals >> 1)];
  return all[last] - middle >= 0.6 * (middle - all[1]) && all[last] > all[last - 1];
}
