/** Axes and stepped curves as shapes. */
import type { SeriesAnswer } from '../../src/protocol/compareData.js';
import type { PlotArea } from '../chart/plot.js';
import { eventTicks, timeTicks } from '../chart/ticks.js';
import { durationIn, durationUnit } from '../duration.js';
import { byteTickLabel, formatCount } from '../format.js';
import { strings } from '../strings.js';
import type { ChartTheme } from '../theme.js';
import { round, type Shape } from './picture.js';

/** From values to pixels. */
export interface PlotScales {
  xOf: (x: number) => number;
  yOf: (bytes: number) => number;
}

/** @param ticks of the byte axis */
export function axisShapes(
  { axis, extent }: Pick<SeriesAnswer, 'axis' | 'extent'>,
  area: PlotArea,
  theme: ChartTheme,
  { xOf, yOf }: PlotScales,
  ticks: readonly number[],
): Shape[] {
  const { fontSize, text: fill, grid } = theme;
  const size = fontSize * 0.85;
  const bottom = area.top + area.height;
  const shapes: Shape[] = [];
  for (const bytes of ticks) {
    const y = yOf(bytes);
    shapes.push({ kind: 'path', d: `M${area.left} ${round(y)}H${round(area.left + area.width)}`, stroke: grid });
    const label = byteTickLabel(bytes);
    shapes.push({ kind: 'text', x: area.left - fontSize / 2, y, text: label, fill, anchor: 'end', size });
  }
  const count = Math.max(2, Math.floor(area.width / (fontSize * 9)));
  const unit = durationUnit(Math.max(Math.abs(extent.from), Math.abs(extent.to)));
  const places = (axis === 'time' ? timeTicks : eventTicks)(extent.from, extent.to, count);
  for (const place of places) {
    const x = xOf(place);
    shapes.push({ kind: 'path', d: `M${round(x)} ${area.top}V${round(bottom)}`, stroke: grid });
    const text = axis === 'time' ? durationIn(place, unit) : formatCount(place);
    shapes.push({ kind: 'text', x, y: bottom + fontSize * 0.9, text, fill, anchor: 'middle', size });
  }
  const title = axis === 'time' ? strings.axisTitle.time(unit) : strings.seriesAxisTitle[axis];
  const middle = { x: area.left + area.width / 2, y: bottom + fontSize * 2.3 };
  shapes.push({ kind: 'text', ...middle, text: title, fill, anchor: 'middle', size });
  return shapes;
}

/** A stepped line over the points from `first` up to `end`; the last value holds up to `to`. */
export function stepsPath(
  x: Float64Array,
  values: Float64Array,
  { first, end, to }: { first: number; end: number; to: number },
  { xOf, yOf }: PlotScales,
): string {
  const line = [`M${round(xOf(x[first]))} ${round(yOf(values[first]))}`];
  for (let point = first + 1; point < end; point++) {
    line.push(`H${round(xOf(x[point]))}V${round(yOf(values[point]))}`);
  }
  line.push(`H${round(xOf(to))}`);
  return line.join('');
}
