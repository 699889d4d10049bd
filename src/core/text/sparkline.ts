const LEVELS = '▁▂▃▄▅▆▇█';

/**
 * A series in block characters, with the maximum of each part of a longer one. The scale starts at zero.
 * @param most value of the highest block, for several series with one scale
 */
export function sparkline(series: readonly number[], width: number, most = 0): string {
  const columns = Math.min(width, series.length);
  const top = series.reduce((highest, value) => Math.max(highest, value), most);
  let text = '';
  for (let column = 0; column < columns; column++) {
    const from = Math.floor((column * series.length) / columns);
    const to = Math.floor(((column + 1) * series.length) / columns);
    const height = Math.max(...series.slice(from, to));
    text += LEVELS[top === 0 ? 0 : Math.max(0, Math.round((height / top) * (LEVELS.length - 1)))];
  }
  return text;
}
