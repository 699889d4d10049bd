/** Draws snapshots, out-of-memory events, the garbage collector and steps over the curve. Each kind has its own line, sign and place. */
import type { TimelineMark } from '../../src/protocol/timelineData.js';
import type { ChartTheme } from '../theme.js';
import { MARK_SIGNS, markLabel } from '../strings.js';
import { apart } from './apart.js';
import { placeLabels } from './labels.js';
import type { PlotArea } from './plot.js';

type Kind = TimelineMark['kind'];

/** Each kind has dashes of its own: nothing hangs on colour alone. */
export const MARK_DASHES: Record<Kind, number[]> = {
  outOfMemory: [],
  snapshot: [4, 3],
  collector: [8, 3],
  step: [1, 3],
};
/** The higher has its label first where there is no room for two. */
const RANKS: Record<Kind, number> = { outOfMemory: 3, snapshot: 2, collector: 1, step: 0 };

export function drawMarks(
  ctx: CanvasRenderingContext2D,
  area: PlotArea,
  marks: readonly TimelineMark[],
  pixelOf: (x: number) => number,
  theme: ChartTheme,
): void {
  const visible = marks
    .map((mark) => ({ mark, pixel: pixelOf(mark.x) }))
    .filter(({ pixel }) => pixel >= area.left - 0.5 && pixel <= area.left + area.width + 0.5);
  const steps = visible.filter(({ mark }) => mark.kind === 'step');
  const drawn = [...visible.filter(({ mark }) => mark.kind !== 'step'), ...apart(steps, ({ pixel }) => pixel)];
  ctx.save();
  for (const { mark, pixel } of drawn) drawLine(ctx, area, pixel, mark.kind, theme);
  drawLabels(ctx, area, drawn, theme);
  ctx.restore();
}

function drawLine(ctx: CanvasRenderingContext2D, area: PlotArea, pixel: number, kind: Kind, theme: ChartTheme): void {
  const x = Math.round(pixel) + 0.5;
  ctx.beginPath();
  ctx.strokeStyle = theme[kind];
  ctx.lineWidth = 1;
  ctx.setLineDash(MARK_DASHES[kind]);
  ctx.moveTo(x, area.top);
  ctx.lineTo(x, area.top + area.height);
  ctx.stroke();
}

function drawLabels(
  ctx: CanvasRenderingContext2D,
  area: PlotArea,
  drawn: readonly { mark: TimelineMark; pixel: number }[],
  theme: ChartTheme,
): void {
  ctx.font = `${theme.fontSize * 0.85}px ${theme.fontFamily}`;
  ctx.textAlign = 'left';
  ctx.textBaseline = 'bottom';
  const texts = drawn.map(({ mark }, index) => {
    // The same words over each of many steps say nothing.
    const repeated = mark.kind === 'step' && drawn.slice(0, index).some((other) => other.mark.label === mark.label);
    // What the collector freed is told under the mouse and in the table: here it would leave no room for the steps.
    const label = mark.kind === 'collector' ? '' : markLabel(mark);
    return repeated ? '' : [MARK_SIGNS[mark.kind], label].filter(Boolean).join(' ');
  });
  const wishes = drawn.map(({ mark, pixel }, index) => ({
    centre: pixel,
    width: ctx.measureText(texts[index]).width,
    rank: RANKS[mark.kind],
  }));
  placeLabels(wishes, area.left, area.left + area.width, theme.fontSize / 2).forEach((left, index) => {
    if (left === null) return;
    ctx.fillStyle = theme[drawn[index].mark.kind];
    ctx.fillText(texts[index], left, area.top - 2);
  });
}
