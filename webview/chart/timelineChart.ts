/** The drawn curve: windows of a history, ranges and themes become pixels of one canvas. */
import type { TimelineWindow } from '../../src/protocol/timelineData.js';
import { strings } from '../strings.js';
import type { ChartTheme } from '../theme.js';
import { byteTickCount, drawAxes, heightOfBytes } from './axes.js';
import { drawMarks } from './marks.js';
import { pixelOf, type PlotArea } from './plot.js';
import { lastAtOrBelow } from './points.js';
import type { Range } from './range.js';
import { BarPen, traceSteps } from './steppedCurve.js';
import { byteAxisTop } from './ticks.js';

/** A capacity this many times above everything else in view would flatten the curve: it is told, not drawn. */
const CAPACITY_IN_REACH = 2.5;
/** Single events show as points once they are this far apart, in pixels. */
const POINT_DISTANCE = 12;
const POINT_RADIUS = 2.5;
/** A chart that is lower has no title under its axis, in letters. */
const LEAST_TITLED = 15;
const RESERVED_DASH = [6, 3];
const CAPACITY_DASH = [2, 4];

/** What of a history is in view. */
export interface ShownView {
  curve: TimelineWindow;
  visible: Range;
  /** What of the byte axis; null for as much as is needed. */
  heights: Range | null;
}

export class TimelineChart {
  private shown: ShownView | null = null;
  private fill = true;
  private heights: Range = { from: 0, to: 1 };
  private fullTop = 1;
  private size = { width: 0, height: 0 };
  private readonly context: CanvasRenderingContext2D;

  /**
   * @param canvas an empty canvas whose parent decides its size
   * @param onLayout called when the plot area may have changed its place or size
   * @param under draws what lies under the curves
   */
  constructor(
    private readonly canvas: HTMLCanvasElement,
    private theme: ChartTheme,
    private readonly onLayout: (area: PlotArea | null) => void,
    private readonly under: (context: CanvasRenderingContext2D) => void,
  ) {
    const context = canvas.getContext('2d');
    if (context === null) throw new Error('This browser draws on no canvas.');
    this.context = context;
    const holder = canvas.parentElement ?? canvas;
    new ResizeObserver(() => {
      this.size = { width: holder.clientWidth, height: holder.clientHeight };
      this.redraw();
    }).observe(holder);
  }

  /** Takes the colours and fonts of a theme; the next {@link show} draws with them. */
  restyle(theme: ChartTheme): void {
    this.theme = theme;
  }

  /** Draws a curve, which may cover more or less than what is visible. */
  show(view: ShownView): void {
    this.shown = view;
    this.redraw();
  }

  /** Draws the same once more: what lies under it has changed. */
  redraw(): void {
    const { shown, canvas, context, theme } = this;
    const area = this.area();
    this.onLayout(area);
    if (shown === null || area === null) return;
    const scale = window.devicePixelRatio;
    const [width, height] = [this.size.width, this.size.height].map((size) => Math.round(size * scale));
    if (canvas.width !== width) canvas.width = width;
    if (canvas.height !== height) canvas.height = height;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, this.size.width, this.size.height);
    const { curve, visible } = shown;
    const capacity = this.setHeights(shown, area);
    const unit = curve.hasAllocations ? strings.axisTitle.events : strings.axisTitle.rows;
    const axes = { visible, bytes: this.heights, hasTitle: this.hasTitle() };
    drawAxes(context, area, { ...axes, unit: curve.axis === 'time' ? 'time' : { title: unit } }, theme);
    this.under(context);
    context.save();
    context.beginPath();
    context.rect(area.left, area.top, area.width, area.height);
    context.clip();
    this.drawCurves(shown, area, capacity);
    context.restore();
    drawMarks(context, area, curve.marks, (x) => pixelOf(x, area, visible), theme);
  }

  /** Where the curve is drawn, in pixels of the canvas; null before the first layout or while it is hidden. */
  area(): PlotArea | null {
    const { fontSize } = this.theme;
    const [left, top] = [fontSize * 6, fontSize * 1.5];
    const width = this.size.width - left - fontSize;
    const height = this.size.height - top - fontSize * (this.hasTitle() ? 3.3 : 1.8);
    return width <= 0 || height <= 0 ? null : { left, top, width, height };
  }

  /** Leaves the area under the live curve to what lies below the canvas. */
  fillLive(fill: boolean): void {
    this.fill = fill;
  }

  /** What of the byte axis is in view. */
  bytes(): Range {
    return this.heights;
  }

  /** The top of the byte axis while all that is in view shows. */
  wholeHeight(): number {
    return this.fullTop;
  }

  /** The bytes at a height in pixels of the canvas. */
  bytesAt(pixel: number): number {
    const area = this.area();
    const { from, to } = this.heights;
    return area === null ? 0 : to - ((pixel - area.top) / area.height) * (to - from);
  }

  /** The height of so many bytes, in pixels of the canvas. */
  pixelOfBytes(bytes: number): number {
    const area = this.area();
    return area === null ? 0 : heightOfBytes(bytes, area, this.heights);
  }

  private hasTitle(): boolean {
    return this.size.height > this.theme.fontSize * LEAST_TITLED;
  }

  /** @returns the capacity if it is in reach of what is in view */
  private setHeights({ curve, visible, heights }: ShownView, area: PlotArea): number | null {
    const highest = highestIn(curve, visible);
    const { capacityBytes } = curve;
    const capacity = capacityBytes !== null && capacityBytes <= highest * CAPACITY_IN_REACH ? capacityBytes : null;
    this.fullTop = byteAxisTop(Math.max(highest, capacity ?? 0), byteTickCount(area, this.theme));
    this.heights = heights ?? { from: 0, to: this.fullTop };
    return capacity;
  }

  private drawCurves({ curve, visible }: ShownView, area: PlotArea, capacity: number | null): void {
    const { context, theme } = this;
    const { x, live, reserved, window } = curve;
    const yOf = (bytes: number): number => heightOfBytes(bytes, area, this.heights);
    const dashed = (colour: string, dash: number[], trace: () => void): void => {
      context.beginPath();
      trace();
      context.setLineDash(dash);
      context.lineWidth = 1;
      context.strokeStyle = colour;
      context.stroke();
      context.setLineDash([]);
    };
    if (capacity !== null) {
      dashed(theme.capacity, CAPACITY_DASH, () => {
        context.moveTo(area.left, yOf(capacity));
        context.lineTo(area.left + area.width, yOf(capacity));
      });
    }
    if (reserved !== null) {
      dashed(theme.reserved, RESERVED_DASH, () => {
        traceSteps(context, { x, values: reserved, end: window.to }, visible, area, yOf);
      });
    }
    // Over the reserved one: where both are level, a dashed line would hide it.
    const line = { x, values: live, end: window.to };
    if (this.fill) {
      context.beginPath();
      const drawn = traceSteps(context, line, visible, area, yOf);
      if (drawn !== null) {
        context.lineTo(drawn.right, yOf(0));
        context.lineTo(drawn.left, yOf(0));
        context.fillStyle = theme.liveFill;
        context.fill();
      }
    }
    const pen = new BarPen(context, 1);
    context.fillStyle = theme.live;
    traceSteps(pen, line, visible, area, yOf);
    pen.end();
    const [first, last] = [lastAtOrBelow(x, visible.from), lastAtOrBelow(x, visible.to)];
    if ((last - first) * POINT_DISTANCE >= area.width) return;
    for (let point = Math.max(0, first); point <= last; point++) {
      context.beginPath();
      context.arc(pixelOf(x[point], area, visible), yOf(live[point]), POINT_RADIUS, 0, 2 * Math.PI);
      context.fill();
    }
  }
}

function highestIn(curve: TimelineWindow, visible: Range): number {
  const first = Math.max(0, lastAtOrBelow(curve.x, visible.from));
  const last = lastAtOrBelow(curve.x, visible.to);
  let highest = 0;
  for (let index = first; index <= last; index++) {
    highest = Math.max(highest, curve.live[index], curve.reserved?.[index] ?? 0);
  }
  return highest;
}
