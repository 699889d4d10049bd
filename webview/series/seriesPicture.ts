/** Several curves over each other: told apart by colour, dashes and the letter at their ends. */
import type { SeriesAnswer } from '../../src/protocol/compareData.js';
import { byteTickCount, drawAxes, heightOfBytes } from '../chart/axes.js';
import { byteAxisTop } from '../chart/ticks.js';
import { pixelOf, type PlotArea } from '../chart/plot.js';
import { traceSteps } from '../chart/steppedCurve.js';
import { MARK_SIGNS, strings } from '../strings.js';
import type { SeriesTheme } from './seriesTheme.js';

/** Dashes by the order of the series. */
const DASHES: readonly number[][] = [[], [14, 3], [2, 2], [10, 3, 2, 3], [5, 2], [14, 3, 5, 3]];
const DOT = 3;
const FIRST_LETTER = 65;

export interface SeriesLayout {
  width: number;
  height: number;
}

/** The sign of a series in the picture and beside it: A, B, C and so on. */
export function letterOf(index: number): string {
  return String.fromCodePoint(FIRST_LETTER + index);
}

export function plotArea({ width, height }: SeriesLayout, { fontSize }: SeriesTheme): PlotArea {
  const [left, top] = [fontSize * 6, fontSize * 1.6];
  return {
    left,
    top,
    width: Math.max(1, width - left - fontSize * 1.6),
    height: Math.max(1, height - top - fontSize * 3.4),
  };
}

/** Draws over the whole of a canvas, in pixels of the page. */
export function drawSeries(
  ink: CanvasRenderingContext2D,
  answer: SeriesAnswer,
  layout: SeriesLayout,
  theme: SeriesTheme,
): void {
  const area = plotArea(layout, theme);
  const { extent, curves } = answer;
  const { fontSize, fontFamily } = theme;
  const highest = Math.max(...curves.map((curve) => curve.highest), 0);
  const bytes = { from: 0, to: byteAxisTop(highest, byteTickCount(area, theme)) };
  const xOf = (x: number): number => pixelOf(x, area, extent);
  const yOf = (value: number): number => heightOfBytes(value, area, bytes);
  const write = (text: string, x: number, y: number, colour: string, align: CanvasTextAlign): void => {
    ink.textAlign = align;
    ink.fillStyle = colour;
    ink.fillText(text, x, y);
  };
  ink.fillStyle = theme.background;
  ink.fillRect(0, 0, layout.width, layout.height);
  const unit = answer.axis === 'time' ? 'time' : { title: strings.seriesAxisTitle[answer.axis] };
  drawAxes(ink, area, { visible: extent, bytes, unit, hasTitle: true }, theme);
  ink.font = `bold ${fontSize}px ${fontFamily}`;
  curves.forEach((curve, index) => {
    const colour = theme.series[index % theme.series.length];
    for (const { first, end, to, liveBytes, hasTrace } of curve.parts) {
      if (!hasTrace) {
        ink.fillStyle = colour;
        ink.fillRect(xOf(to) - DOT, yOf(liveBytes) - DOT, 2 * DOT, 2 * DOT);
      } else if (end > first) {
        const steps = { x: curve.x.subarray(first, end), values: curve.live.subarray(first, end), end: to };
        ink.strokeStyle = colour;
        ink.lineWidth = index < 2 ? 2 : 1.25;
        ink.setLineDash(DASHES[index % DASHES.length]);
        ink.beginPath();
        traceSteps(ink, steps, extent, area, yOf);
        ink.stroke();
        ink.setLineDash([]);
      }
    }
    for (const x of curve.outOfMemory) {
      write(MARK_SIGNS.outOfMemory, xOf(x), area.top + fontSize / 2, theme.outOfMemory, 'center');
    }
    const last = curve.parts.at(-1);
    if (last !== undefined) write(letterOf(index), xOf(last.to) + fontSize * 0.35, yOf(last.liveBytes), colour, 'left');
  });
}
