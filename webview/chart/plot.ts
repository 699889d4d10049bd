/** The geometry of the plot: pixels of its element to units of the x axis and back. */
import type { Range } from '../model/range.js';

/** Where the curve is drawn, in pixels of the plot's element. */
export interface PlotArea {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** What of it the x axis needs. */
type Along = Pick<PlotArea, 'left' | 'width'>;

/** Pixels of the plot's element. */
export interface PlotPoint {
  x: number;
  y: number;
}

/** A stretch of pixels from left to right; with heights, from top to bottom, a box. */
export interface PlotBox {
  from: number;
  to: number;
  heights: { from: number; to: number } | null;
}

/** The value on the x axis at a pixel, which may lie beside the area. */
export function valueAt(pixel: number, area: Along, visible: Range): number {
  return visible.from + ((pixel - area.left) / area.width) * (visible.to - visible.from);
}

/** The pixel at which a value of the x axis is drawn, perhaps beside the area. */
export function pixelOf(value: number, area: Along, visible: Range): number {
  return area.left + ((value - visible.from) / (visible.to - visible.from)) * area.width;
}

/** True if the pixel is inside the area, its edges included. */
export function isInside(pixel: number, area: Along): boolean {
  return pixel >= area.left && pixel <= area.left + area.width;
}

/** True if the height is beside the area, its edges included. */
export function isLevelWith(height: number, area: PlotArea): boolean {
  return height >= area.top && height <= area.top + area.height;
}
