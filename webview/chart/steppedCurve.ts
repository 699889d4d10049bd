/**
 * A stepped curve, drawn from its columns with a few strokes per pixel: while the curve moves, and for comparisons.
 * chart.js stores an object per point.
 */
import type { PlotArea } from './plot.js';
import { lastAtOrBelow } from '../model/points.js';
import type { Range } from '../model/range.js';

/** A stepped line: `values[i]` holds from `x[i]` to `x[i + 1]`, the last one to `end`. */
interface SteppedLine {
  x: Float64Array;
  values: Float64Array;
  end: number;
}

/** Receives corners of a line in pixels, from left to right. */
interface Pen {
  moveTo(x: number, y: number): void;
  lineTo(x: number, y: number): void;
}

/**
 * Draws the visible part of the line, with minimum and maximum per pixel.
 * @param yOf the height of a value, in pixels
 * @returns its ends in pixels; null if it is out of view
 */
export function traceSteps(
  pen: Pen,
  { x, values, end }: SteppedLine,
  visible: Range,
  area: PlotArea,
  yOf: (value: number) => number,
): { left: number; right: number } | null {
  const first = Math.max(0, lastAtOrBelow(x, visible.from));
  const last = lastAtOrBelow(x, visible.to);
  if (last < first || end < visible.from) return null;
  const perUnit = area.width / (visible.to - visible.from);
  const pixelOf = (value: number): number => area.left + (value - visible.from) * perUnit;
  const left = Math.max(area.left, pixelOf(x[first]));
  const right = Math.min(area.left + area.width, pixelOf(end));
  let held = values[first];
  pen.moveTo(left, yOf(held));
  for (let index = first + 1; index <= last;) {
    const column = Math.floor(pixelOf(x[index]));
    const at = Math.max(left, pixelOf(x[index]));
    const before = held;
    let lowest = held;
    let highest = held;
    for (; index <= last && pixelOf(x[index]) < column + 1; index++) {
      held = values[index];
      lowest = Math.min(lowest, held);
      highest = Math.max(highest, held);
    }
    if (lowest === highest) continue;
    pen.lineTo(at, yOf(before));
    // The nearer end first, so that no stroke is drawn twice as long as it must be.
    const upFirst = highest - before < before - lowest;
    pen.lineTo(at, yOf(upFirst ? highest : lowest));
    pen.lineTo(at, yOf(upFirst ? lowest : highest));
    pen.lineTo(at, yOf(held));
  }
  pen.lineTo(right, yOf(held));
  return { left, right };
}

/** The target of {@link BarPen}. */
interface Bars {
  fillRect(left: number, top: number, width: number, height: number): void;
}

/** Draws the lines of {@link traceSteps} as bars: without a GPU, a smooth stroke of spikes costs most of a frame. */
export class BarPen implements Pen {
  private x = 0;
  private y = 0;
  private top = 0;
  private bottom = 0;

  /** @param width of a line, in pixels */
  constructor(
    private readonly bars: Bars,
    private readonly width: number,
  ) {}

  moveTo(x: number, y: number): void {
    this.x = x;
    this.y = this.top = this.bottom = y;
  }

  lineTo(x: number, y: number): void {
    if (x === this.x) {
      // A rise and a fall at one place are one bar.
      this.top = Math.min(this.top, y);
      this.bottom = Math.max(this.bottom, y);
      this.y = y;
      return;
    }
    this.end();
    const half = this.width / 2;
    this.bars.fillRect(this.x - half, y - half, x - this.x + this.width, this.width);
    this.moveTo(x, y);
  }

  /** Draws the pending last vertical line. */
  end(): void {
    const half = this.width / 2;
    if (this.bottom > this.top) {
      this.bars.fillRect(this.x - half, this.top - half, this.width, this.bottom - this.top + this.width);
    }
    this.top = this.bottom = this.y;
  }
}
