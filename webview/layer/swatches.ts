/** The color of a line in the chart, for all other views of the line. */
import { el } from '../ui/dom.js';
import { readTheme } from '../ui/theme.js';
import type { SourceLine, ViewState } from '../model/viewState.js';
import { cssOf, paintsOf, type BandPaint } from './palette.js';
import type { StackedBands } from '../model/stackedBands.js';

let known: { stacked: StackedBands; colors: string; paints: ReadonlyMap<string, BandPaint> } | null = null;

/** The paint of a line; null while no series of it is in the chart. */
export function paintOf({ layer, stacked, wholeBands }: ViewState, { file, line }: SourceLine): BandPaint | null {
  const front = wholeBands ?? stacked;
  if (!layer || front === null) return null;
  const theme = readTheme(document.body);
  const colors = `${theme.background} ${theme.leak}`;
  if (known?.stacked !== front || known.colors !== colors) {
    const paints = paintsOf(front, theme);
    const byLine = new Map<string, BandPaint>();
    front.bands.allSeries.forEach(({ place }, series) => {
      const key = place === null ? '' : `${place.file}:${place.line}`;
      // The lowest of several series of a line, because it stays.
      if (key !== '' && !byLine.has(key)) byLine.set(key, paints[series]);
    });
    known = { stacked: front, colors, paints: byLine };
  }
  return known.paints.get(`${file}:${line}`) ?? null;
}

export function swatchOf(state: ViewState, line: SourceLine): HTMLElement | null {
  const paint = paintOf(state, line);
  return paint === null ? null : swatch(paint);
}

export function swatch({ fill, edge, striped }: BandPaint): HTMLElement {
  const element = el('span', { class: striped ? 'swatch striped' : 'swatch', 'aria-hidden': 'true' });
  element.style.setProperty('--fill', cssOf(fill));
  element.style.setProperty('--edge', cssOf(edge));
  return element;
}
