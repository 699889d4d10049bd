/** The drawn curve: chart.js behind an interface that knows windows of a history, ranges and themes. */
import { Chart, type ChartDataset, Filler, LinearScale, LineController, LineElement, PointElement } from 'chart.js';
import type { CurveWindow, TimelineMark, TimelineWindow } from '../../src/protocol/timelineData.js';
import { durationIn, durationUnit } from '../text/duration.js';
import { countText, byteText } from '../../src/core/text/numberText.js';
import { byteTickLabels } from '../text/format.js';
import { t } from '../../src/core/text/translate.js';
import { strings } from '../text/strings.js';
import type { ChartTheme } from '../ui/theme.js';
import { drawMarks } from './marks.js';
import { BarPen, traceSteps } from './steppedCurve.js';
import type { PlotArea } from './plot.js';
import { lastAtOrBelow } from '../model/points.js';
import { IN_REACH, type Range } from '../model/range.js';
import { byteAxisTop, byteTicks, eventTicks, timeTicks } from './ticks.js';

Chart.register(LineController, LineElement, PointElement, LinearScale, Filler);

interface Point {
  x: number;
  y: number;
}

/** Single events show as points once they are this far apart, in pixels. */
const POINT_DISTANCE = 12;
const POINT_RADIUS = 2.5;
/** Fewer points than this chart.js draws in no time, also while they move. */
const FEW_POINTS = 500;
const NO_POINTS: Point[] = [];
/** A chart that is lower has no title under its axis, in letters. */
const MIN_TITLED = 15;
const LIVE_LINE = 1;
const RESERVED_LINE = 1;
const RESERVED_DASH = [6, 3];
/** Reserved memory with another setting: solid, and wider than all others. */
const CHANGED_LINE = 2;

/** The visible part of a history, and its form. */
interface ShownView {
  visible: Range;
  /** The visible byte range; null for automatic. */
  heights: Range | null;
  /** Reserved memory with another setting, on the axis of the curve; null for none. */
  changed: CurveWindow | null;
  /** True while one zooms and pans: speed matters more than the last detail then. */
  moving: boolean;
}

export class TimelineChart {
  private readonly chart: Chart<'line', Point[]>;
  private marks: readonly TimelineMark[] = [];
  /** The content of the datasets. */
  private curve: TimelineWindow | null = null;
  /** Replaces the datasets while the view moves. */
  private moving: { curve: TimelineWindow; visible: Range } | null = null;
  private changed: { line: CurveWindow; visible: Range } | null = null;
  private fill = true;
  private xAxis: { ticks: number[]; label: (value: number) => string } = { ticks: [], label: String };
  private yTicks: { value: number; label: string }[] = [];
  private fullTop = 1;
  /** The most reserved memory in view, where the axis ends below it. */
  private clipped: number | null = null;

  /**
   * @param canvas an empty canvas whose parent determines its size
   * @param onLayout called when the plot area may have moved
   * @param under draws below the curves
   */
  constructor(
    canvas: HTMLCanvasElement,
    private theme: ChartTheme,
    onLayout: (area: PlotArea | null) => void,
    under: (context: CanvasRenderingContext2D) => void,
  ) {
    const line = { stepped: true, pointRadius: 0, pointBorderWidth: 0 } as const;
    const ticks = { color: () => this.theme.text, font: () => this.font() };
    const lines = {
      grid: { color: () => this.theme.grid, tickColor: () => this.theme.grid },
      border: { display: false },
    };
    this.chart = new Chart<'line', Point[]>(canvas, {
      type: 'line',
      data: {
        datasets: [
          { ...line, data: [], borderWidth: 1, borderDash: [2, 4] },
          { ...line, data: [], borderWidth: RESERVED_LINE, borderDash: RESERVED_DASH },
          {
            ...line,
            data: [],
            borderWidth: LIVE_LINE,
            fill: 'origin',
            // Over the reserved one, as while it moves: where both are level, a dashed line would hide it.
            order: -1,
          },
        ],
      },
      options: {
        animation: false,
        parsing: false,
        normalized: true,
        responsive: true,
        maintainAspectRatio: false,
        events: [],
        layout: { padding: () => ({ top: this.theme.fontSize * 1.5, right: this.theme.fontSize }) },
        scales: {
          x: {
            type: 'linear',
            min: 0,
            max: 1,
            ...lines,
            ticks: { ...ticks, maxRotation: 0, callback: (value) => this.xAxis.label(Number(value)) },
            title: { display: true, font: ticks.font },
            afterBuildTicks: (axis) => {
              axis.ticks = this.xAxis.ticks.map((value) => ({ value }));
            },
          },
          y: {
            type: 'linear',
            min: 0,
            max: 1,
            ...lines,
            ticks: { ...ticks, callback: (_value, index) => this.yTicks[index]?.label },
            afterBuildTicks: (axis) => {
              axis.ticks = this.yTicks.map(({ value }) => ({ value }));
            },
            // An axis that grew with its labels would shift the curve sideways while one zooms.
            afterFit: (axis) => {
              axis.width = Math.max(axis.width, this.theme.fontSize * 6);
            },
          },
        },
      },
      plugins: [
        {
          id: 'leaklineMotion',
          beforeDatasetsDraw: (chart) => {
            under(chart.ctx);
            this.drawMoving(chart.ctx);
          },
        },
        {
          id: 'leaklineMarks',
          afterDatasetsDraw: (chart) => {
            const area = areaOf(chart);
            this.drawChanged(chart.ctx);
            const pixelOf = (x: number): number => chart.scales['x'].getPixelForValue(x);
            if (area === null) return;
            drawMarks(chart.ctx, area, this.marks, pixelOf, this.theme);
            this.drawClipped(chart.ctx, area);
          },
        },
        { id: 'leaklineLayout', afterLayout: (chart) => onLayout(areaOf(chart)) },
      ],
    });
  }

  /** Takes the colors and fonts of a theme; the next {@link show} draws with them. */
  restyle(theme: ChartTheme): void {
    this.theme = theme;
  }

  /** Draws a curve, which may cover more or less than the visible range. */
  show(curve: TimelineWindow, { visible, heights, changed, moving }: ShownView): void {
    const { data } = this.chart;
    const [capacity, reserved, live] = data.datasets;
    this.moving = moving && curve.x.length > FEW_POINTS ? { curve, visible } : null;
    if (this.moving !== null) {
      live.data = NO_POINTS;
      reserved.data = NO_POINTS;
      this.curve = null;
    } else if (curve !== this.curve) {
      live.data = pointsOf(curve, curve.live);
      reserved.data = curve.reserved === null ? [] : pointsOf(curve, curve.reserved);
      this.curve = curve;
    }
    live.pointRadius = isSparse(curve, visible, this.chart.width) ? POINT_RADIUS : 0;
    this.color(capacity, reserved, live);
    this.changed = changed === null ? null : { line: changed, visible };
    const max = highestOf({ x: curve.x, values: curve.live }, visible);
    const held = curve.reserved === null ? 0 : highestOf({ x: curve.x, values: curve.reserved }, visible);
    this.clipped = heights === null && held > max * IN_REACH ? held : null;
    const drawn = this.clipped === null ? Math.max(max, held) : max;
    const highest = Math.max(drawn, changed === null ? 0 : highestOf(changed, visible));
    const reach = curve.capacityBytes !== null && curve.capacityBytes <= highest * IN_REACH;
    const level = reach ? (curve.capacityBytes ?? 0) : 0;
    capacity.data = reach
      ? [
          { x: visible.from, y: level },
          { x: visible.to, y: level },
        ]
      : [];
    this.marks = curve.marks;
    this.setScales(curve, visible, heights, Math.max(highest, level));
    this.chart.update('none');
  }

  /** Redraws after a change below the curve. */
  redraw(): void {
    this.chart.draw();
  }

  /** Where the curve is drawn, in pixels of the canvas; null before the first layout or while it is hidden. */
  area(): PlotArea | null {
    return areaOf(this.chart);
  }

  /** Makes the area under the live curve transparent for the canvas below. */
  fillLive(fill: boolean): void {
    this.fill = fill;
    this.chart.data.datasets[2].fill = fill ? 'origin' : false;
  }

  /** The visible byte range. */
  bytes(): Range {
    const { min, max } = this.chart.scales['y'];
    return { from: min, to: max };
  }

  /** The top of the byte axis while all that is in view shows. */
  wholeHeight(): number {
    return this.fullTop;
  }

  /** The bytes at a height in pixels of the canvas. */
  bytesAt(pixel: number): number {
    return this.chart.scales['y'].getValueForPixel(pixel) ?? 0;
  }

  /** The height of an amount, in pixels of the canvas. */
  pixelOfBytes(bytes: number): number {
    return this.chart.scales['y'].getPixelForValue(bytes);
  }

  private drawMoving(context: CanvasRenderingContext2D): void {
    // chart.js draws first while it is being made.
    const area = this.moving === null ? null : this.area();
    if (this.moving === null || area === null) return;
    const { curve, visible } = this.moving;
    const { x, live, reserved, window } = curve;
    const { bottom } = this.chart.chartArea;
    const yOf = this.heightOf();
    this.clip(context);
    if (reserved !== null) {
      context.beginPath();
      traceSteps(context, { x, values: reserved, end: window.to }, visible, area, yOf);
      context.setLineDash(RESERVED_DASH);
      context.lineWidth = RESERVED_LINE;
      context.strokeStyle = this.theme.reserved;
      context.stroke();
      context.setLineDash([]);
    }
    const line = { x, values: live, end: window.to };
    if (this.fill) {
      context.beginPath();
      const drawn = traceSteps(context, line, visible, area, yOf);
      if (drawn !== null) {
        context.lineTo(drawn.right, bottom);
        context.lineTo(drawn.left, bottom);
        context.fillStyle = this.theme.liveFill;
        context.fill();
      }
    }
    const pen = new BarPen(context, LIVE_LINE);
    context.fillStyle = this.theme.live;
    traceSteps(pen, line, visible, area, yOf);
    pen.end();
    context.restore();
  }

  private drawChanged(context: CanvasRenderingContext2D): void {
    const area = this.changed === null ? null : this.area();
    if (this.changed === null || area === null) return;
    const { line, visible } = this.changed;
    this.clip(context);
    context.beginPath();
    traceSteps(context, line, visible, area, this.heightOf());
    context.lineWidth = CHANGED_LINE;
    context.strokeStyle = this.theme.changed;
    context.stroke();
    context.restore();
  }

  /** Says how far reserved memory goes beyond the axis. */
  private drawClipped(context: CanvasRenderingContext2D, { left, top, width }: PlotArea): void {
    if (this.clipped === null) return;
    const { family, size } = this.font();
    context.save();
    context.font = `${size}px ${family}`;
    context.textAlign = 'right';
    context.textBaseline = 'top';
    context.lineJoin = 'round';
    context.lineWidth = 3;
    context.strokeStyle = this.theme.background;
    context.fillStyle = this.theme.reserved;
    for (const draw of ['strokeText', 'fillText'] as const)
      context[draw](t('▲ up to {0} reserved', byteText(this.clipped)), left + width - size / 2, top + size / 2);
    context.restore();
  }

  /** Draws inside the plot only, until the context is restored. */
  private clip(context: CanvasRenderingContext2D): void {
    const { left, right, top, bottom } = this.chart.chartArea;
    context.save();
    context.beginPath();
    context.rect(left, top, right - left, bottom - top);
    context.clip();
  }

  /** The height of an amount, without a call of chart.js for each point. */
  private heightOf(): (bytes: number) => number {
    const { top, bottom } = this.chart.chartArea;
    const { min, max } = this.chart.scales['y'];
    const perByte = (bottom - top) / (max - min);
    return (bytes) => bottom - (bytes - min) * perByte;
  }

  /** Plain values: chart.js would call a function again for each point. */
  private color(...[capacity, reserved, live]: ChartDataset<'line', Point[]>[]): void {
    capacity.borderColor = this.theme.capacity;
    reserved.borderColor = this.theme.reserved;
    live.borderColor = this.theme.live;
    live.backgroundColor = this.theme.liveFill;
    live.pointBackgroundColor = this.theme.live;
  }

  private setScales(curve: TimelineWindow, visible: Range, heights: Range | null, highest: number): void {
    const { width, height } = this.chart;
    const { x, y } = this.chart.options.scales ?? {};
    const xCount = Math.max(2, Math.floor(width / (this.theme.fontSize * 9)));
    const yCount = Math.max(2, Math.floor(height / (this.theme.fontSize * 3.5)));
    this.fullTop = byteAxisTop(highest, yCount);
    const { from, to } = heights ?? { from: 0, to: this.fullTop };
    if (x !== undefined) Object.assign(x, { min: visible.from, max: visible.to });
    if (y !== undefined) Object.assign(y, { min: from, max: to });
    const yTicks = byteTicks(from, to, yCount);
    const labels = byteTickLabels(yTicks);
    this.yTicks = yTicks.map((value, i) => ({ value, label: labels[i] }));
    let title: string = curve.hasAllocations ? strings.axisTitle.events : strings.axisTitle.rows;
    if (curve.axis === 'time') {
      const unit = durationUnit(Math.max(Math.abs(visible.from), Math.abs(visible.to)));
      this.xAxis = { ticks: timeTicks(visible.from, visible.to, xCount), label: (value) => durationIn(value, unit) };
      title = strings.axisTitle.time(unit);
    } else {
      this.xAxis = { ticks: eventTicks(visible.from, visible.to, xCount), label: countText };
    }
    if (x !== undefined && 'title' in x) {
      // In a low panel the room is the curve's.
      const display = height > this.theme.fontSize * MIN_TITLED;
      Object.assign(x.title ?? {}, { text: title, color: this.theme.text, display });
    }
  }

  private font(): { family: string; size: number } {
    return { family: this.theme.fontFamily, size: this.theme.fontSize * 0.85 };
  }
}

function areaOf(chart: { chartArea?: Chart['chartArea'] }): PlotArea | null {
  const area = chart.chartArea;
  if (area === undefined || area.right <= area.left || area.bottom <= area.top) return null;
  return { left: area.left, top: area.top, width: area.right - area.left, height: area.bottom - area.top };
}

/** The points of a stepped line; the last value holds to the end of the window. */
function pointsOf(curve: TimelineWindow, values: Float64Array): Point[] {
  const points = Array.from(values, (y, index) => ({ x: curve.x[index], y }));
  const last = points.at(-1);
  if (last !== undefined && last.x < curve.window.to) points.push({ x: curve.window.to, y: last.y });
  return points;
}

function isSparse(curve: TimelineWindow, visible: Range, width: number): boolean {
  const points = lastAtOrBelow(curve.x, visible.to) - lastAtOrBelow(curve.x, visible.from);
  return points * POINT_DISTANCE < width;
}

function highestOf({ x, values }: Pick<CurveWindow, 'x' | 'values'>, visible: Range): number {
  const first = Math.max(0, lastAtOrBelow(x, visible.from));
  const last = lastAtOrBelow(x, visible.to);
  return values.subarray(first, last + 1).reduce((most, bytes) => Math.max(most, bytes), 0);
}
