/** Draws snapshots, out-of-memory events and steps over the curve. Each kind has its own line, sign and place. */
import type { Chart, ChartArea, Plugin } from 'chart.js';
import type { TimelineMark } from '../../src/protocol/timelineData.js';
import type { ChartTheme } from '../theme.js';
import { MARK_SIGNS, markLabel } from '../strings.js';
import { apart } from './apart.js';
import { placeLabels } from './labels.js';

type Kind = TimelineMark['kind'];

const STYLES: Record<Kind, { dash: number[]; rank: number; colour: keyof ChartTheme & Kind }> = {
  outOfMemory: { dash: [], rank: 2, colour: 'outOfMemory' },
  snapshot: { dash: [4, 3], rank: 1, colour: 'snapshot' },
  step: { dash: [1, 3], rank: 0, colour: 'step' },
};

/** @param source what to draw now, asked at each drawing */
export function marksPlugin(source: () => { marks: readonly TimelineMark[]; theme: ChartTheme }): Plugin<'line'> {
  return {
    id: 'leaklineMarks',
    afterDatasetsDraw: (chart: Chart<'line'>) => {
      const { marks, theme } = source();
      const { chartArea, ctx } = chart;
      const visible = marks
        .map((mark) => ({ mark, pixel: chart.scales['x'].getPixelForValue(mark.x) }))
        .filter(({ pixel }) => pixel >= chartArea.left - 0.5 && pixel <= chartArea.right + 0.5);
      const steps = visible.filter(({ mark }) => mark.kind === 'step');
      const drawn = [...visible.filter(({ mark }) => mark.kind !== 'step'), ...apart(steps, ({ pixel }) => pixel)];
      ctx.save();
      for (const { mark, pixel } of drawn) drawLine(ctx, chartArea, pixel, mark.kind, theme);
      drawLabels(ctx, chartArea, drawn, theme);
      ctx.restore();
    },
  };
}

function drawLine(ctx: CanvasRenderingContext2D, area: ChartArea, pixel: number, kind: Kind, theme: ChartTheme): void {
  const { dash, colour } = STYLES[kind];
  const x = Math.round(pixel) + 0.5;
  ctx.beginPath();
  ctx.strokeStyle = theme[colour];
  ctx.lineWidth = 1;
  ctx.setLineDash(dash);
  ctx.moveTo(x, area.top);
  ctx.lineTo(x, area.bottom);
  ctx.stroke();
}

function drawLabels(
  ctx: CanvasRenderingContext2D,
  area: ChartArea,
  drawn: readonly { mark: TimelineMark; pixel: number }[],
  theme: ChartTheme,
): void {
  ctx.font = `${theme.fontSize * 0.85}px ${theme.fontFamily}`;
  ctx.textBaseline = 'bottom';
  const texts = drawn.map(({ mark }, index) => {
    // The same words over each of many steps say nothing.
    const repeated = mark.kind === 'step' && drawn.slice(0, index).some((other) => other.mark.label === mark.label);
    return repeated ? '' : [MARK_SIGNS[mark.kind], markLabel(mark)].filter(Boolean).join(' ');
  });
  const wishes = drawn.map(({ mark, pixel }, index) => ({
    centre: pixel,
    width: ctx.measureText(texts[index]).width,
    rank: STYLES[mark.kind].rank,
  }));
  placeLabels(wishes, area.left, area.right, theme.fontSize / 2).forEach((left, index) => {
    if (left === null) return;
    ctx.fillStyle = theme[STYLES[drawn[index].mark.kind].colour];
    ctx.fillText(texts[index], left, area.top - 2);
  });
}
