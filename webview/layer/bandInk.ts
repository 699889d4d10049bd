/** The ink over the bands: names where they fit, and outlines of highlighted bands. */
import { visibleText } from '../../src/core/text/plainText.js';
import type { PlotArea } from '../chart/plot.js';
import type { Range } from '../model/range.js';
import type { ChartTheme } from '../ui/theme.js';
import { outlineOf, sampleAt, samplesIn, xOfSample, type Outline, type StackedBands } from '../model/stackedBands.js';
import type { BandView } from './rasterRenderer.js';

/** A highlighted band: `looked` is under the cursor, `line` belongs to the line at the editor's cursor. */
export interface BandMark {
  kind: 'looked' | 'selected' | 'line';
  series: number;
  /** -1 for the series as a whole. */
  block: number;
}

/** The content and its place. */
interface InkScene extends BandView {
  stacked: StackedBands;
  area: PlotArea;
  /** Pixels of the canvas per pixel of the page. */
  scale: number;
  theme: ChartTheme;
  /** The names of the series. */
  names: readonly string[];
  marks: readonly BandMark[];
}

/** A name is tried at places this far apart, in pixels. */
const LABEL_STEP = 24;
/** Around a name, which makes it readable on any color. */
const RIM = 3;

export class BandInk {
  private outlines = new Map<string, Outline>();
  private outlinesOf: StackedBands | null = null;

  draw(context: CanvasRenderingContext2D, scene: InkScene): void {
    const { area, scale, marks } = scene;
    context.save();
    context.setTransform(scale, 0, 0, scale, Math.round(area.left * scale), Math.round(area.top * scale));
    context.beginPath();
    context.rect(0, 0, area.width, area.height);
    context.clip();
    for (const mark of marks) this.drawMark(context, scene, mark);
    this.drawNames(context, scene);
    context.restore();
  }

  private drawMark(context: CanvasRenderingContext2D, scene: InkScene, mark: BandMark): void {
    const { stacked, theme } = scene;
    const path = pathOf(this.outline(stacked, mark), scene);
    context.setLineDash(mark.kind === 'line' ? [5, 3] : []);
    context.lineJoin = 'round';
    context.strokeStyle = theme.background;
    context.lineWidth = mark.kind === 'selected' ? 4 : 3;
    if (mark.kind !== 'line') context.stroke(path);
    context.strokeStyle = theme.text;
    context.lineWidth = mark.kind === 'selected' ? 2 : 1.25;
    context.stroke(path);
  }

  private drawNames(context: CanvasRenderingContext2D, scene: InkScene): void {
    const { stacked, range, bytes, area, theme, names } = scene;
    const perByte = area.height / (bytes.to - bytes.from);
    const columns = Math.floor(area.width / LABEL_STEP);
    const sampleOf = Array.from({ length: columns }, (_, column) =>
      sampleAt(stacked, range.from + (((column + 0.5) * LABEL_STEP) / area.width) * (range.to - range.from)),
    );
    context.font = `${theme.fontSize * 0.85}px ${theme.fontFamily}`;
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    context.setLineDash([]);
    context.lineJoin = 'round';
    context.lineWidth = RIM;
    context.strokeStyle = theme.background;
    context.fillStyle = theme.text;
    names.forEach((name, series) => {
      if (tallest(stacked, series, sampleOf, bytes) * perByte < theme.fontSize * 1.2) return;
      const text = visibleText(name);
      const width = context.measureText(text).width + 2 * RIM;
      const place = roomiest(stacked, series, sampleOf, Math.ceil(width / LABEL_STEP), bytes);
      if (place === null || (place.top - place.bottom) * perByte < theme.fontSize * 1.2) return;
      const y = (bytes.to - (place.top + place.bottom) / 2) * perByte;
      context.strokeText(text, place.center * LABEL_STEP, y);
      context.fillText(text, place.center * LABEL_STEP, y);
    });
  }

  private outline(stacked: StackedBands, { series, block }: BandMark): Outline {
    if (this.outlinesOf !== stacked) this.outlines = new Map();
    this.outlinesOf = stacked;
    const key = `${series}/${block}`;
    let outline = this.outlines.get(key);
    if (outline === undefined) {
      outline = outlineOf(stacked, series, block);
      this.outlines.set(key, outline);
    }
    return outline;
  }
}

/** Every stretch of the outline in view as a closed path of steps. */
function pathOf(outline: Outline, { stacked, range, bytes, area }: InkScene): Path2D {
  const path = new Path2D();
  const { first, last } = samplesIn(stacked, range);
  const xOf = (sample: number): number =>
    ((xOfSample(stacked, sample) - range.from) / (range.to - range.from)) * area.width;
  const yOf = (value: number): number => (area.height * (bytes.to - value)) / (bytes.to - bytes.from);
  const { sample, from, to } = outline;
  let start = 0;
  while (start < sample.length && sample[start] < first) start++;
  while (start < sample.length && sample[start] <= last) {
    let end = start + 1;
    while (end < sample.length && sample[end] === sample[end - 1] + 1 && sample[end] <= last) end++;
    path.moveTo(xOf(sample[start]), yOf(from[start]));
    for (let at = start; at < end; at++) {
      path.lineTo(xOf(sample[at]), yOf(to[at]));
      path.lineTo(xOf(sample[at] + 1), yOf(to[at]));
    }
    for (let at = end - 1; at >= start; at--) {
      path.lineTo(xOf(sample[at] + 1), yOf(from[at]));
      path.lineTo(xOf(sample[at]), yOf(from[at]));
    }
    path.closePath();
    start = end;
  }
  return path;
}

/** The most of a series that is in view at any of the samples, in bytes. */
function tallest({ values, floors }: StackedBands, series: number, sampleOf: readonly number[], view: Range): number {
  let max = 0;
  for (const sample of sampleOf) {
    if (sample < 0) continue;
    const floor = floors[series][sample];
    max = Math.max(max, Math.min(floor + values[series][sample], view.to) - Math.max(floor, view.from));
  }
  return max;
}

/** The visible place in a series with the most space for a text of this many columns. */
function roomiest(
  { values, floors }: StackedBands,
  series: number,
  sampleOf: readonly number[],
  span: number,
  view: Range,
): { center: number; bottom: number; top: number } | null {
  let best: { center: number; bottom: number; top: number } | null = null;
  for (let first = 0; first + span <= sampleOf.length; first++) {
    let bottom = view.from;
    let top = view.to;
    for (let column = first; column < first + span && top > bottom; column++) {
      const sample = sampleOf[column];
      const floor = sample < 0 ? 0 : floors[series][sample];
      bottom = Math.max(bottom, floor);
      top = Math.min(top, sample < 0 ? 0 : floor + values[series][sample]);
    }
    if (top - bottom > (best === null ? 0 : best.top - best.bottom)) best = { center: first + span / 2, bottom, top };
  }
  return best;
}
