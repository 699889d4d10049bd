/** Draws bands without a GPU: pixels are filled once for each pile, and scaled while one zooms and pans. */
import type { BandPaint, Rgb } from './palette.js';
import { forEachPiece, type Pile } from './pile.js';
import { PILE_SLOTS, type BandRenderer, type BandView, type PileSlot } from './renderer.js';

interface Raster {
  image: OffscreenCanvas;
  from: number;
  to: number;
  topBytes: number;
}

/** Rows of a band that is high enough for an edge that shows. */
const EDGED = 4;
/** Stripes: so many pixels from one to the next, and so many dark ones. */
const STRIPE = 8;
const DARK = 2;

export class RasterRenderer implements BandRenderer {
  readonly kind = 'cpu';
  private readonly rasters = new Map<PileSlot, Raster>();
  private readonly context: CanvasRenderingContext2D;

  constructor(private readonly canvas: HTMLCanvasElement) {
    const context = canvas.getContext('2d');
    if (context === null) throw new Error('This browser draws on no canvas.');
    this.context = context;
  }

  upload(slot: PileSlot, pile: Pile, paints: readonly BandPaint[], topBytes: number): void {
    const height = Math.max(1, this.canvas.height);
    const { window, pixels } = pile.bands;
    const image = new OffscreenCanvas(pixels, height);
    image.getContext('2d')?.putImageData(rasterOf(pile, paints, height, topBytes), 0, 0);
    this.rasters.set(slot, { image, from: window.from, to: window.to, topBytes });
  }

  draw({ range, topBytes }: BandView): void {
    const { context, canvas } = this;
    const { width, height } = canvas;
    context.clearRect(0, 0, width, height);
    context.imageSmoothingEnabled = false;
    const pixelOf = (x: number): number => ((x - range.from) / (range.to - range.from)) * width;
    for (const slot of PILE_SLOTS) {
      const raster = this.rasters.get(slot);
      if (raster === undefined || raster.to < range.from || raster.from > range.to) continue;
      // Only what is in view is scaled: a deep zoom would make the whole image larger than a canvas can be.
      const { image } = raster;
      const columnOf = (x: number): number => ((x - raster.from) / (raster.to - raster.from)) * image.width;
      const first = Math.max(0, Math.floor(columnOf(range.from)));
      const end = Math.min(image.width, Math.ceil(columnOf(range.to)));
      const xOf = (column: number): number => raster.from + (column / image.width) * (raster.to - raster.from);
      const left = pixelOf(xOf(first));
      const right = pixelOf(xOf(end));
      const scaled = (height * raster.topBytes) / topBytes;
      context.clearRect(left, 0, right - left, height);
      context.drawImage(image, first, 0, end - first, image.height, left, height - scaled, right - left, scaled);
    }
  }

  drop(slot: PileSlot): void {
    this.rasters.delete(slot);
  }

  dispose(): void {
    this.rasters.clear();
  }
}

/** The pile as pixels, a column for each of its columns. */
export function rasterOf(pile: Pile, paints: readonly BandPaint[], height: number, topBytes: number): ImageData {
  const width = pile.bands.pixels;
  const image = new ImageData(width, height);
  const pixels = new Uint32Array(image.data.buffer);
  const { edges, blocks } = pile;
  const words = paints.map(({ fill, alternate, edge }) => [wordOf(fill), wordOf(alternate), wordOf(edge)]);
  const perByte = height / topBytes;
  forEachPiece(pile, (sample, { strand, block, from, to }) => {
    const top = Math.max(0, height - Math.round(to * perByte));
    const bottom = height - Math.round(from * perByte);
    if (bottom <= top) return;
    const left = edges[sample];
    const right = edges[sample + 1];
    const [fill, alternate, edge] = words[strand];
    const colour = block >= 0 && blocks.row[block] % 2 === 1 ? alternate : fill;
    const edged = bottom - top >= EDGED;
    for (let y = top; y < bottom; y++) {
      const row = y * width;
      pixels.fill(edged && y === top ? edge : colour, row + left, row + right);
    }
    if (paints[strand].striped) stripe(pixels, width, left, right, top, bottom, edge);
    if (!edged || block < 0 || blocks.from[block] !== sample) return;
    for (let y = top; y < bottom; y++) pixels[y * width + left] = edge;
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
  colour: number,
): void {
  for (let y = top; y < bottom; y++) {
    for (let x = left; x < right; x++) if ((x + y) % STRIPE < DARK) pixels[y * width + x] = colour;
  }
}

/** A colour as a word of image data, on the little-endian machines that browsers run on. */
function wordOf([red, green, blue]: Rgb): number {
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}
