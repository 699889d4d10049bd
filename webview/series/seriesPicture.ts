/** Several curves over each other: distinguished by color, dashes and the letter at their ends. */
import type { SeriesAnswer } from '../../src/protocol/compareData.js';
import { byteAxisTop, byteTicks, eventTicks, timeTicks } from '../chart/ticks.js';
import { pixelOf, type PlotArea } from '../chart/plot.js';
import { traceSteps } from '../chart/steppedCurve.js';
import { durationIn, durationUnit } from '../text/duration.js';
import { countText } from '../../src/core/text/numberText.js';
import { byteTickLabel } from '../text/format.js';
import { MARK_SIGNS, strings } from '../text/strings.js';
import type { ChartTheme } from '../ui/theme.js';
import { t } from '../../src/core/text/translate.js';

/** Dashes by the order of the series. */
const DASHES: readonly number[][] = [[], [14, 3], [2, 2], [10, 3, 2, 3], [5, 2], [14, 3, 5, 3]];
const DOT = 3;
const FIRST_LETTER = 65;

interface SeriesLayout {
  width: number;
  height: number;
}

/** The sign of a series in the picture and beside it: A, B, C and so on. */
export function letterOf(index: number): string {
  return String.fromCodePoint(FIRST_LETTER + index);
}

export function plotArea({ width, height }: SeriesLayout, { fontSize }: ChartTheme): PlotArea {
  const [left, top] = [fontSize * 6, fontSize * 1.6];
  return {
    left,
    top,
    width: Math.max(1, width - left - fontSize * 1.6),
    height: Math.max(1, height - top - fontSize * 3.4),
  };
}

/** Draws over a complete canvas, in pixels of the page. */
export function drawSeries(
  ink: CanvasRenderingContext2D,
  answer: SeriesAnswer,
  layout: SeriesLayout,
  theme: ChartTheme,
): void {
  const area = plotArea(layout, theme);
  const { extent, curves } = answer;
  const { fontSize, fontFamily } = theme;
  const yCount = Math.max(2, Math.floor(area.height / (fontSize * 3.5)));
  const top = byteAxisTop(Math.max(...curves.map(({ highest }) => highest), 0), yCount);
  const xOf = (x: number): number => pixelOf(x, area, extent);
  const yOf = (bytes: number): number => area.top + area.height * (1 - bytes / top);
  const write = (text: string, x: number, y: number, color: string, align: CanvasTextAlign): void => {
    ink.textAlign = align;
    ink.fillStyle = color;
    ink.fillText(text, x, y);
  };
  const line = (fromX: number, fromY: number, toX: number, toY: number): void => {
    ink.beginPath();
    ink.moveTo(fromX, fromY);
    ink.lineTo(toX, toY);
    ink.stroke();
  };
  ink.fillStyle = theme.background;
  ink.fillRect(0, 0, layout.width, layout.height);
  ink.textBaseline = 'middle';
  ink.font = `${fontSize * 0.85}px ${fontFamily}`;
  ink.strokeStyle = theme.grid;
  const bottom = area.top + area.height;
  for (const bytes of byteTicks(0, top, yCount)) {
    line(area.left, yOf(bytes), area.left + area.width, yOf(bytes));
    write(byteTickLabel(bytes), area.left - fontSize / 2, yOf(bytes), theme.text, 'right');
  }
  const isTime = answer.axis === 'time';
  const unit = durationUnit(Math.max(Math.abs(extent.from), Math.abs(extent.to)));
  const xCount = Math.max(2, Math.floor(area.width / (fontSize * 9)));
  for (const place of (isTime ? timeTicks : eventTicks)(extent.from, extent.to, xCount)) {
    line(xOf(place), area.top, xOf(place), bottom);
    const label = isTime ? durationIn(place, unit) : countText(place);
    write(label, xOf(place), bottom + fontSize * 0.9, theme.text, 'center');
  }
  const title =
    answer.axis === 'time'
      ? strings.axisTitle.time(unit)
      : answer.axis === 'step'
        ? t('Training step')
        : strings.axisTitle.events;
  write(title, area.left + area.width / 2, bottom + fontSize * 2.3, theme.text, 'center');
  ink.font = `bold ${fontSize}px ${fontFamily}`;
  curves.forEach((curve, index) => {
    const color = theme.series[index % theme.series.length];
    for (const { first, end, to, liveBytes, hasTrace } of curve.parts) {
      if (!hasTrace) {
        ink.fillStyle = color;
        ink.fillRect(xOf(to) - DOT, yOf(liveBytes) - DOT, 2 * DOT, 2 * DOT);
      } else if (end > first) {
        const steps = { x: curve.x.subarray(first, end), values: curve.live.subarray(first, end), end: to };
        ink.strokeStyle = color;
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
    if (last !== undefined) write(letterOf(index), xOf(last.to) + fontSize * 0.35, yOf(last.liveBytes), color, 'left');
  });
}
