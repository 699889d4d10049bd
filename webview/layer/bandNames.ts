/** Names of bands, each drawn once with a rim that keeps it readable on any colour, and then only copied. */
import type { ChartTheme } from '../theme.js';

export interface NameStamp {
  image: OffscreenCanvas;
  /** Pixels of the page. */
  width: number;
  height: number;
}

const RIM = 3;
/** A page that shows more different names than this begins anew. */
const MOST = 512;

export class BandNames {
  private stamps = new Map<string, NameStamp>();
  private madeFor = '';

  /** @param scale pixels of the canvas per pixel of the page */
  stampOf(name: string, theme: ChartTheme, scale: number): NameStamp {
    const look = [theme.fontSize, theme.fontFamily, theme.text, theme.background, scale].join();
    if (look !== this.madeFor || this.stamps.size >= MOST) this.stamps = new Map();
    this.madeFor = look;
    let stamp = this.stamps.get(name);
    if (stamp === undefined) {
      stamp = stampOf(name, theme, scale);
      this.stamps.set(name, stamp);
    }
    return stamp;
  }
}

function stampOf(name: string, theme: ChartTheme, scale: number): NameStamp {
  const font = `${theme.fontSize * 0.85}px ${theme.fontFamily}`;
  const image = new OffscreenCanvas(1, 1);
  const context = image.getContext('2d');
  if (context === null) throw new Error('This browser draws on no canvas.');
  context.font = font;
  const width = Math.ceil(context.measureText(name).width) + 2 * RIM;
  const height = Math.ceil(theme.fontSize * 1.2);
  // Another size empties the canvas and its settings.
  image.width = Math.ceil(width * scale);
  image.height = Math.ceil(height * scale);
  context.scale(scale, scale);
  context.font = font;
  context.textBaseline = 'middle';
  context.lineJoin = 'round';
  context.lineWidth = RIM;
  context.strokeStyle = theme.background;
  context.strokeText(name, RIM, height / 2);
  context.fillStyle = theme.text;
  context.fillText(name, RIM, height / 2);
  return { image, width, height };
}
