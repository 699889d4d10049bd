const LEVELS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;

/**
 * A trend in block characters, one per value; a longer series keeps its highest value of each stretch. The scale starts
 * at zero, so that a flat series looks flat.
 */
export function sparkline(series: readonly number[], width = 8): string {
  const columns = Math.min(width, series.length);
  const heights: number[] = [];
  for (let column = 0; column < columns; column++) {
    const from = Math.floor((column * series.length) / columns);
    const to = Math.floor(((column + 1) * series.length) / columns);
    heights.push(Math.max(...series.slice(from, to)));
  }
  const top = Math.max(...heights, 0);
  const level = (height: number): number => (top === 0 ? 0 : Math.round((height / top) * (LEVELS.length - 1)));
  return heights.map((height) => LEVELS[Math.max(0, level(height))]).join('');
}
