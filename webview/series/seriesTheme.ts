import { readTheme, type ChartTheme } from '../theme.js';

export interface SeriesTheme extends ChartTheme {
  /** One for each series; they begin anew where there are more. */
  series: readonly string[];
}

const COLOURS = 6;

/** Reads the theme with the colours of the series at `element`. */
export function readSeriesTheme(element: HTMLElement): SeriesTheme {
  const style = getComputedStyle(element);
  const series = Array.from({ length: COLOURS }, (_, index) => {
    const colour = style.getPropertyValue(`--leakline-series-${index}`).trim();
    return colour === '' ? style.color : colour;
  });
  return { ...readTheme(element), series };
}
