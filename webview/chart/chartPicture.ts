/** The chart as a picture: the curves as shapes over the allocations as they are drawn. */
import type { TimelineWindow } from '../../src/protocol/timelineData.js';
import { axisShapes, stepsPath } from '../picture/axisShapes.js';
import { round, type Picture, type Shape } from '../picture/picture.js';
import { markLabel, MARK_SIGNS, strings } from '../strings.js';
import type { ChartTheme } from '../theme.js';
import { MARK_DASHES } from './marksPlugin.js';
import { pixelOf, type PlotArea } from './plot.js';
import { lastAtOrBelow } from './points.js';
import type { Range } from './range.js';
import { byteTicks } from './ticks.js';

export interface DrawnChart {
  curve: TimelineWindow;
  visible: Range;
  area: PlotArea;
  /** Of all, with the axes. */
  width: number;
  height: number;
  yOf: (bytes: number) => number;
  /** At the bottom and at the top of the byte axis. */
  bytes: Range;
  /** Canvases over the area, the lowest first. */
  layers: readonly HTMLCanvasElement[];
}

export function chartPicture(drawn: DrawnChart, theme: ChartTheme): Picture {
  const { curve, visible, area, width, height, bytes, layers } = drawn;
  const yOf = (value: number): number => Math.min(Math.max(drawn.yOf(value), area.top), area.top + area.height);
  const xOf = (x: number): number => pixelOf(Math.min(Math.max(x, visible.from), visible.to), area, visible);
  const ticks = byteTicks(bytes.from, bytes.to, Math.max(2, Math.floor(area.height / (theme.fontSize * 3.5))));
  const { left, top } = area;
  const shapes: Shape[] = [
    ...layers.map((image): Shape => ({
      kind: 'image',
      x: left,
      y: top,
      width: area.width,
      height: area.height,
      image,
    })),
    ...axisShapes({ axis: curve.axis, extent: visible }, area, theme, { xOf, yOf }, ticks),
  ];
  const first = Math.max(0, lastAtOrBelow(curve.x, visible.from));
  const part = { first, end: lastAtOrBelow(curve.x, visible.to) + 1, to: visible.to };
  const line = (values: Float64Array): string => stepsPath(curve.x, values, part, { xOf, yOf });
  if (curve.reserved !== null) {
    shapes.push({ kind: 'path', d: line(curve.reserved), stroke: theme.reserved, strokeWidth: 1, dash: [6, 3] });
  }
  shapes.push({ kind: 'path', d: line(curve.live), stroke: theme.live, strokeWidth: 1 });
  const { capacityBytes } = curve;
  if (capacityBytes !== null && capacityBytes <= bytes.to) {
    const d = `M${round(left)} ${round(yOf(capacityBytes))}H${round(left + area.width)}`;
    shapes.push({ kind: 'path', d, stroke: theme.capacity, dash: [2, 4] });
  }
  for (const mark of curve.marks) {
    const { x, kind } = mark;
    if (x < visible.from || x > visible.to || kind === 'step') continue;
    const d = `M${round(xOf(x))} ${round(top)}V${round(top + area.height)}`;
    shapes.push({ kind: 'path', d, stroke: theme[kind], dash: MARK_DASHES[kind] });
    const text = `${MARK_SIGNS[kind]} ${markLabel(mark)}`.trim();
    shapes.push({ kind: 'text', x: xOf(x), y: top - theme.fontSize / 2, text, fill: theme[kind], anchor: 'middle' });
  }
  const names = [
    { text: strings.live, fill: theme.live },
    ...(curve.reserved === null ? [] : [{ text: strings.reserved, fill: theme.reserved }]),
  ];
  names.forEach(({ text, fill }, index) => {
    shapes.push({
      kind: 'text',
      x: left + theme.fontSize / 2,
      y: top + theme.fontSize * (0.9 + index * 1.4),
      text,
      fill,
      bold: true,
    });
  });
  const { background, fontFamily, fontSize } = theme;
  return { width, height, background, fontFamily, fontSize, shapes };
}
