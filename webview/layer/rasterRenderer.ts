/** Draws bands: pixels are filled once for each answer and view, and stretched while one zooms and pans. */
import type { Range } from '../model/range.js';
import type { ChartTheme } from '../ui/theme.js';
import { paintsOf, type BandPaint, type Rgb } from './palette.js';
import { forEachPiece, type StackedBands } from '../model/stackedBands.js';

/** The view of a canvas: a stretch of the x axis by a stretch of the byte axis. */
export interface BandView {
  range: Range;
  bytes: Range;
}

/** The series of the whole history are below those of the window, for parts without an answer yet. */
const SLOTS = ['whole', 'window'] as const;
type BandSlot = (typeof SLOTS)[number];

interface Raster {
  image: OffscreenCanvas;
  /** The range of its height. */
  bytes: Range;
}

interface Slot {
  stacked: StackedBands;
  /** The colors of the theme for which the paints were made. */
  colors: string;
  paints: readonly BandPaint[];
  /** Null until it is drawn. */
  raster: Raster | null;
}

/** Rows of a band that is high enough for an edge that shows. */
const EDGED = 4;
/** Stripes: their distance, and their dark part, in pixels. */
const STRIPE = 8;
const DARK = 2;

export class RasterRenderer {
  private readonly slots = new Map<BandSlot, Slot>();
  private readonly context: CanvasRenderingContext2D;

  constructor(private readonly canvas: HTMLCanvasElement) {
    const context = canvas.getContext('2d');
    if (context === null) throw new Error('This browser draws on no canvas.');
    this.context = context;
  }

  /**
   * Draws the bands of the window over those of the whole history, in canvas pixels; either may be missing or old.
   * @param moving true during zoom and pan: a picture of another view may be stretched
   */
  draw(view: BandView, bands: Record<BandSlot, StackedBands | null>, moving: boolean, theme: ChartTheme): void {
    const { context, canvas } = this;
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.imageSmoothingEnabled = false;
    const front = bands.window?.bands.window;
    const covered = front !== undefined && front.from <= view.range.from && front.to >= view.range.to;
    for (const name of SLOTS) {
      const slot = this.slotOf(name, bands[name], theme);
      if (slot === null || (name === 'whole' && covered)) continue;
      const { from, to } = slot.stacked.bands.window;
      if (to < view.range.from || from > view.range.to) continue;
      this.place(slot.stacked, this.rasterFor(slot, view, moving), view);
    }
  }

  private slotOf(name: BandSlot, stacked: StackedBands | null, theme: ChartTheme): Slot | null {
    const colors = `${theme.background} ${theme.leak}`;
    const before = this.slots.get(name);
    if (before?.stacked === stacked && before.colors === colors) return before;
    this.slots.delete(name);
    if (stacked === null) return null;
    const slot = { stacked, colors, paints: paintsOf(stacked, theme), raster: null };
    this.slots.set(name, slot);
    return slot;
  }

  private rasterFor(slot: Slot, { bytes }: BandView, moving: boolean): Raster {
    const { stacked, paints, raster } = slot;
    const { height } = this.canvas;
    if (raster !== null) {
      const fits = raster.image.height === height && raster.bytes.from === bytes.from && raster.bytes.to === bytes.to;
      if (fits || moving) return raster;
    }
    const image = new OffscreenCanvas(stacked.bands.pixels, height);
    image.getContext('2d')?.putImageData(rasterOf(stacked, paints, height, bytes), 0, 0);
    slot.raster = { image, bytes };
    return slot.raster;
  }

  private place({ bands }: StackedBands, raster: Raster, { range, bytes }: BandView): void {
    const { context, canvas } = this;
    const { width, height } = canvas;
    const { from, to } = bands.window;
    const { image } = raster;
    // Only the visible part is stretched: in a deep zoom, the image would exceed the maximum size of a canvas.
    const columnOf = (x: number): number => ((x - from) / (to - from)) * image.width;
    const first = Math.max(0, Math.floor(columnOf(range.from)));
    const end = Math.min(image.width, Math.ceil(columnOf(range.to)));
    const pixelOf = (column: number): number =>
      ((from + (column / image.width) * (to - from) - range.from) / (range.to - range.from)) * width;
    const left = pixelOf(first);
    const right = pixelOf(end);
    const rowOf = (value: number): number =>
      ((raster.bytes.to - value) / (raster.bytes.to - raster.bytes.from)) * image.height;
    const top = Math.max(0, Math.floor(rowOf(bytes.to)));
    const bottom = Math.min(image.height, Math.ceil(rowOf(bytes.from)));
    if (end <= first || bottom <= top) return;
    const yOf = (row: number): number => {
      const value = raster.bytes.to - (row / image.height) * (raster.bytes.to - raster.bytes.from);
      return ((bytes.to - value) / (bytes.to - bytes.from)) * height;
    };
    context.clearRect(left, 0, right - left, height);
    context.drawImage(
      image,
      first,
      top,
      end - first,
      bottom - top,
      left,
      yOf(top),
      right - left,
      yOf(bottom) - yOf(top),
    );
  }
}

/** The series as pixels, one column each. @param bytes the range of the height */
function rasterOf(stacked: StackedBands, paints: readonly BandPaint[], height: number, bytes: Range): ImageData {
  const width = stacked.bands.pixels;
  const image = new ImageData(width, height);
  const pixels = new Uint32Array(image.data.buffer);
  const { edges, blocks } = stacked;
  const fills = Uint32Array.from(paints, ({ fill }) => wordOf(fill));
  const alternates = Uint32Array.from(paints, ({ alternate }) => wordOf(alternate));
  const darks = Uint32Array.from(paints, ({ edge }) => wordOf(edge));
  const perByte = height / (bytes.to - bytes.from);
  forEachPiece(stacked, (sample, { series, block, from, to }) => {
    const lower = height - Math.round((from - bytes.from) * perByte);
    const exact = height - Math.round((to - bytes.from) * perByte);
    // Where anything is live there is a pixel, however little it is beside the highest.
    const upper = from === 0 ? Math.min(exact, lower - 1) : exact;
    if (lower <= upper || lower <= 0 || upper >= height) return;
    const top = Math.max(0, upper);
    const bottom = Math.min(height, lower);
    const left = edges[sample];
    const right = edges[sample + 1];
    const color = block >= 0 && blocks.row[block] % 2 === 1 ? alternates[series] : fills[series];
    const dark = darks[series];
    const edged = lower - upper >= EDGED;
    const opens = edged && block >= 0 && blocks.from[block] === sample;
    // Most pieces are a pixel wide, and as high as the canvas: the inner loop goes down.
    const last = bottom * width;
    for (let x = left; x < right; x++) {
      const word = opens && x === left ? dark : color;
      for (let at = top * width + x; at < last; at += width) pixels[at] = word;
    }
    if (edged && top === upper) pixels.fill(dark, top * width + left, top * width + right);
    if (paints[series].striped) stripe(pixels, width, left, right, top, bottom, dark);
  });
  return image;
}

function stripe(
  pixels: Uint32Array,
  width: number,
  left: number,
  right: number,
  top: number,
  bottom: number,
  color: number,
): void {
  for (let y = top; y < bottom; y++) {
    for (let x = left; x < right; x++) if ((x + y) % STRIPE < DARK) pixels[y * width + x] = color;
  }
}

/** A color as a word of image data, on the little-endian machines that browsers run on. */
function wordOf([red, green, blue]: Rgb): number {
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}
