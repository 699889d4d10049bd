/** The brush of the overview: what of it is in view. Dragging moves it, or draws another. */
import type { Range } from '../chart/range.js';

/** Less is a click, in pixels. */
const CLICK_TOLERANCE = 4;

export interface BrushHandlers {
  /** Pixels of the strip that the brush covers; null while all of it. */
  brush(): Range | null;
  move(pixels: Range): void;
  click(pixel: number): void;
}

/** Listens on a strip whose left edge is pixel 0. */
export function listenForBrush(strip: HTMLElement, on: BrushHandlers): void {
  let drag: { start: number; from: Range | null; moved: boolean } | null = null;
  const pixelOf = (event: PointerEvent): number => event.clientX - strip.getBoundingClientRect().left;
  strip.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    const start = pixelOf(event);
    const brush = on.brush();
    drag = { start, from: brush !== null && start >= brush.from && start <= brush.to ? brush : null, moved: false };
    strip.setPointerCapture(event.pointerId);
  });
  strip.addEventListener('pointermove', (event) => {
    if (drag === null) return;
    const pixel = pixelOf(event);
    const { start, from } = drag;
    drag.moved ||= Math.abs(pixel - start) > CLICK_TOLERANCE;
    if (!drag.moved) return;
    if (from === null) on.move({ from: Math.min(start, pixel), to: Math.max(start, pixel) });
    else on.move({ from: from.from + pixel - start, to: from.to + pixel - start });
  });
  strip.addEventListener('pointerup', (event) => {
    const ended = drag;
    drag = null;
    if (ended?.moved === false) on.click(pixelOf(event));
  });
  strip.addEventListener('pointercancel', () => {
    drag = null;
  });
}
