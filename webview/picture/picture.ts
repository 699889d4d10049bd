/** A picture as shapes, drawn on the page and saved from the same description. All in pixels. */

export interface RectShape {
  kind: 'rect';
  x: number;
  y: number;
  width: number;
  height: number;
  fill?: string;
  stroke?: string;
  dash?: readonly number[];
}

export interface PathShape {
  kind: 'path';
  /** As a `Path2D` takes it: `M`, `L`, `H`, `V` and `Z` with absolute places. */
  d: string;
  fill?: string;
  stroke?: string;
  strokeWidth?: number;
  dash?: readonly number[];
}

export interface TextShape {
  kind: 'text';
  x: number;
  /** Of its middle. */
  y: number;
  text: string;
  fill: string;
  anchor?: 'start' | 'middle' | 'end';
  bold?: boolean;
  /** Size of the letters; that of the picture if not given. */
  size?: number;
  /** What of the text shows; all if not given. */
  clip?: { x: number; width: number };
}

export interface ImageShape {
  kind: 'image';
  x: number;
  y: number;
  width: number;
  height: number;
  image: HTMLCanvasElement;
}

export type Shape = RectShape | PathShape | TextShape | ImageShape;

export interface Picture {
  width: number;
  height: number;
  background: string;
  fontFamily: string;
  fontSize: number;
  shapes: readonly Shape[];
}

/** Lines at 45 degrees over a rectangle. @param slope 1 rises to the right, -1 falls */
export function hatching(
  { x, y, width, height }: Pick<RectShape, 'x' | 'y' | 'width' | 'height'>,
  step: number,
  slope: 1 | -1,
): string {
  const lines: string[] = [];
  for (let at = step; at < width + height; at += step) {
    // From where the line leaves the left or the bottom edge to where it leaves the top or the right one.
    const from = at <= height ? [0, at] : [at - height, height];
    const to = at <= width ? [at, 0] : [width, at - width];
    const place = ([left, top]: number[]): string =>
      `${round(x + left)} ${round(slope === 1 ? y + top : y + height - top)}`;
    lines.push(`M${place(from)}L${place(to)}`);
  }
  return lines.join('');
}

/** Hundredths of a pixel, without trailing zeros. */
export function round(value: number): number {
  return Math.round(value * 100) / 100;
}
