/** The bands under the curve: a canvas of their own, redrawn for each view, filled again for each answer. */
import type { PlotArea } from '../chart/plot.js';
import { el } from '../ui/dom.js';
import type { ChartTheme } from '../ui/theme.js';
import { BandInk, type BandMark } from './bandInk.js';
import type { StackedBands } from '../model/stackedBands.js';
import { RasterRenderer, type BandView } from './rasterRenderer.js';

interface BandScene extends BandView {
  area: PlotArea;
  /** True while one zooms and pans. */
  moving: boolean;
  /** The bands of the visible window. They may be missing or old. */
  window: StackedBands | null;
  whole: StackedBands | null;
  /** Names of the series of the series in front. */
  names: readonly string[];
  marks: readonly BandMark[];
}

export class BandLayer {
  readonly element = el('div', { class: 'bands', 'aria-hidden': 'true' });
  private readonly canvas = el('canvas');
  private readonly ink = new BandInk();
  private readonly renderer = new RasterRenderer(this.canvas);

  constructor(private theme: ChartTheme) {
    this.element.append(this.canvas);
  }

  restyle(theme: ChartTheme): void {
    this.theme = theme;
  }

  /** Draws, or shows nothing. @param over gets names and outlines: the canvas of the curve */
  show(scene: BandScene | null, over: CanvasRenderingContext2D): void {
    this.element.hidden = scene === null;
    if (scene === null) return;
    const { area } = scene;
    const scale = window.devicePixelRatio;
    const { style } = this.element;
    const width = Math.max(1, Math.round(area.width * scale));
    const height = Math.max(1, Math.round(area.height * scale));
    // On whole pixels of the screen, to prevent blur.
    style.left = `${Math.round(area.left * scale) / scale}px`;
    style.top = `${Math.round(area.top * scale) / scale}px`;
    style.width = `${width / scale}px`;
    style.height = `${height / scale}px`;
    if (this.canvas.width !== width) this.canvas.width = width;
    if (this.canvas.height !== height) this.canvas.height = height;
    this.renderer.draw(scene, scene, scene.moving, this.theme);
    const front = scene.window ?? scene.whole;
    if (front !== null) this.ink.draw(over, { ...scene, stacked: front, scale, theme: this.theme });
  }
}
