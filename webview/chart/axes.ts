/** The axes of every picture over time: grid, labels, and the title below. */
import { durationIn, durationUnit } from '../duration.js';
import { byteTickLabels, formatCount } from '../format.js';
import { strings } from '../strings.js';
import type { ChartTheme } from '../theme.js';
import { pixelOf, type PlotArea } from './plot.js';
import type { Range } from './range.js';
import { byteTicks, eventTicks, timeTicks } from './ticks.js';

type AxesTheme = Pick<ChartTheme, 'fontSize' | 'fontFamily' | 'text' | 'grid'>;

export interface Axes {
  visible: Range;
  bytes: Range;
  /** Microseconds, or whole numbers that the title names. */
  unit: 'time' | { title: string };
  hasTitle: boolean;
}

/** How many ticks a byte axis has room for. */
export function byteTickCount(
  { height }: Pick<PlotArea, 'height'>,
  { fontSize }: Pick<ChartTheme, 'fontSize'>,
): number {
  return Math.max(2, Math.floor(height / (fontSize * 3.5)));
}

/** The height of so many bytes, in pixels. */
export function heightOfBytes(bytes: number, { top, height }: PlotArea, { from, to }: Range): number {
  return top + (height * (to - bytes)) / (to - from);
}

export function drawAxes(
  ink: CanvasRenderingContext2D,
  area: PlotArea,
  { visible, bytes, unit, hasTitle }: Axes,
  theme: AxesTheme,
): void {
  const { fontSize, fontFamily, text, grid } = theme;
  const [right, bottom] = [area.left + area.width, area.top + area.height];
  ink.lineWidth = 1;
  ink.strokeStyle = grid;
  ink.fillStyle = text;
  ink.font = `${fontSize * 0.85}px ${fontFamily}`;
  ink.textBaseline = 'middle';
  // Lines in the middle of pixels are sharp.
  const line = (fromX: number, fromY: number, toX: number, toY: number): void => {
    ink.moveTo(Math.round(fromX) + 0.5, Math.round(fromY) + 0.5);
    ink.lineTo(Math.round(toX) + 0.5, Math.round(toY) + 0.5);
  };
  ink.beginPath();
  ink.textAlign = 'right';
  const levels = byteTicks(bytes.from, bytes.to, byteTickCount(area, theme));
  byteTickLabels(levels).forEach((label, i) => {
    const y = heightOfBytes(levels[i], area, bytes);
    line(area.left - fontSize * 0.4, y, right, y);
    ink.fillText(label, area.left - fontSize * 0.8, y, area.left - fontSize);
  });
  ink.textAlign = 'center';
  const isTime = unit === 'time';
  const clock = durationUnit(Math.max(Math.abs(visible.from), Math.abs(visible.to)));
  const count = Math.max(2, Math.floor(area.width / (fontSize * 9)));
  for (const place of (isTime ? timeTicks : eventTicks)(visible.from, visible.to, count)) {
    const x = pixelOf(place, area, visible);
    line(x, area.top, x, bottom + fontSize * 0.4);
    ink.fillText(isTime ? durationIn(place, clock) : formatCount(place), x, bottom + fontSize);
  }
  ink.stroke();
  const title = isTime ? strings.axisTitle.time(clock) : unit.title;
  if (hasTitle) ink.fillText(title, area.left + area.width / 2, bottom + fontSize * 2.4);
}
