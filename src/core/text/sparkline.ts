const LEVELS = '▁▂▃▄▅▆▇█';

/** How a series is drawn. */
interface Scale {
  /** Value of the highest block, for several series with one scale. */
  readonly max?: number;
  /** The ascending places of the values, if there is one for each; else they are evenly spaced. */
  readonly at?: readonly number[];
}

/**
 * Draws a series in block characters. Each character stands for a few values and shows the highest of them. One without
 * values is interpolated between its neighbors. The scale starts at zero.
 */
export function sparkline(series: readonly number[], width: number, { max = 0, at }: Scale = {}): string {
  const columns = Math.min(width, series.length);
  const top = series.reduce((highest, value) => Math.max(highest, value), max);
  const isPlaced = at?.length === series.length;
  const places = isPlaced ? at : series.map((_, i) => i + 1);
  const start = isPlaced ? places[0] : 0;
  const span = places[places.length - 1] - start;
  let text = '';
  let next = 0;
  for (let column = 1; column <= columns; column++) {
    const end = column === columns ? Infinity : start + (span * column) / columns;
    const first = next;
    while (next < series.length && places[next] <= end) next++;
    const height = next > first ? Math.max(...series.slice(first, next)) : between(series, places, next, end);
    text += LEVELS[top === 0 ? 0 : Math.max(0, Math.round((height / top) * (LEVELS.length - 1)))];
  }
  return text;
}

/** The value at a place, on the line between the values around it. */
function between(series: readonly number[], places: readonly number[], after: number, place: number): number {
  const before = after - 1;
  const share = (place - places[before]) / (places[after] - places[before]);
  return series[before] + share * (series[after] - series[before]);
}
