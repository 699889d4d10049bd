/** Several curves over each other: told apart by colour, dashes and the letter at their ends. */
import type { SeriesAnswer } from '../../src/protocol/compareData.js';
import { byteAxisTop, byteTicks } from '../chart/ticks.js';
import { pixelOf, type PlotArea } from '../chart/plot.js';
import { axisShapes, stepsPath } from '../picture/axisShapes.js';
import type { Picture, Shape } from '../picture/picture.js';
import { MARK_SIGNS } from '../strings.js';
import type { SeriesTheme } from './seriesTheme.js';

/** Dashes by the order of the series. */
const DASHES: readonly (readonly number[])[] = [[], [14, 3], [2, 2], [10, 3, 2, 3], [5, 2], [14, 3, 5, 3]];
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

export function seriesPicture(answer: SeriesAnswer, layout: SeriesLayout, theme: SeriesTheme): Picture {
  const area = plotArea(layout, theme);
  const { extent, curves } = answer;
  const yCount = Math.max(2, Math.floor(area.height / (theme.fontSize * 3.5)));
  const top = byteAxisTop(Math.max(...curves.map(({ highest }) => highest), 0), yCount);
  const xOf = (x: number): number => pixelOf(x, area, extent);
  const yOf = (bytes: number): number => area.top + area.height * (1 - bytes / top);
  const shapes: Shape[] = axisShapes(answer, area, theme, { xOf, yOf }, byteTicks(0, top, yCount));
  curves.forEach((curve, index) => {
    const colour = theme.series[index % theme.series.length];
    const look = { stroke: colour, strokeWidth: index < 2 ? 2 : 1.25, dash: DASHES[index % DASHES.length] };
    for (const { first, end, to, liveBytes, hasTrace } of curve.parts) {
      if (hasTrace && end > first) {
        shapes.push({ kind: 'path', d: stepsPath(curve.x, curve.live, { first, end, to }, { xOf, yOf }), ...look });
      } else if (!hasTrace) {
        const [x, y] = [xOf(to) - DOT, yOf(liveBytes) - DOT];
        shapes.push({ kind: 'rect', x, y, width: 2 * DOT, height: 2 * DOT, fill: colour });
      }
    }
    for (const x of curve.outOfMemory) {
      const at = { x: xOf(x), y: area.top + theme.fontSize / 2 };
      shapes.push({ kind: 'text', ...at, text: MARK_SIGNS.outOfMemory, fill: theme.outOfMemory, anchor: 'middle' });
    }
    const last = curve.parts.at(-1);
    if (last === undefined) return;
    const end = { x: xOf(last.to) + theme.fontSize * 0.35, y: yOf(last.liveBytes) };
    shapes.push({ kind: 'text', ...end, text: letterOf(index), fill: colour, bold: true });
  });
  const { background, fontFamily, fontSize } = theme;
  return { ...layout, background, fontFamily, fontSize, shapes };
}
