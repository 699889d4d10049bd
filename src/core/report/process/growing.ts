/** Snapshots that make growth of the process: the first interval is warm-up, and three more must show it. */
const FEWEST_SNAPSHOTS = 5;
/** Share of the intervals that must rise. */
const RISING_SHARE = 0.5;

/**
 * True if a series rises in most intervals after warm-up, also in the later half, never falls, and does not end level.
 * One level interval at the end still counts as growth.
 */
export function growsThroughout(all: readonly number[]): boolean {
  const series = all.at(-1) === all.at(-2) ? all.slice(0, -1) : all;
  if (series.length < FEWEST_SNAPSHOTS) return false;
  const changes = series.slice(2).map((value, i) => value - series[i + 1]);
  if (changes.some((change) => change < 0)) return false;
  const rises = changes.filter((change) => change > 0).length;
  if (rises < 3 || rises < RISING_SHARE * changes.length) return false;
  const middle = series[1 + (changes.length >> 1)];
  const early = middle - series[1];
  const late = series[series.length - 1] - middle;
  return late >= 0.6 * early && changes[changes.length - 1] > 0;
}
