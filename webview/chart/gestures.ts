/** What the user does on the plot with mouse, wheel and keys, as wishes. Knows pixels, not curves. */
import { Pinch } from './pinch.js';
import { isInside, type PlotArea, type PlotPoint } from './plot.js';

export interface GestureHandlers {
  /** Where gestures count; null while nothing is drawn. */
  area(): PlotArea | null;
  hover(point: PlotPoint | null): void;
  /** A click. `open` if the largest line shall be opened straight away; `twice` for the second of a double click. */
  pick(point: PlotPoint, how: { open: boolean; twice: boolean }): void;
  /** Factors below 1 come closer. `pixel` is what stays where it is; null for the middle or the cursor. */
  zoom(pixel: number | null, factor: number): void;
  /** By a share of what is visible. */
  pan(share: number): void;
  whole(): void;
  /** While dragging over a stretch; null when that ends. */
  sweep(pixels: { from: number; to: number } | null): void;
  /** A stretch was dragged over. */
  choose(pixels: { from: number; to: number }): void;
  /** Moves the keyboard's cursor by points of the curve. */
  step(points: number): void;
  toPeak(): void;
  /** From band to band at the cursor's instant: 1 for the one above. */
  walk(bands: 1 | -1): void;
  /** The key for a click at the cursor. */
  pickAtCursor(open: boolean): void;
  dismiss(): void;
}

const CLICK_TOLERANCE = 4;
const KEY_ZOOM = 1.5;
const KEY_PAN = 0.1;

/** Listens on `plot`, which must be focusable. */
export function listenForGestures(plot: HTMLElement, on: GestureHandlers): void {
  listenForPointer(plot, on);
  listenForWheel(plot, on);
  plot.addEventListener('keydown', (event) => {
    if (pressed(event, on)) event.preventDefault();
  });
}

interface Drag {
  pointer: number;
  start: number;
  last: number;
  moved: boolean;
  panning: boolean;
}

function listenForPointer(plot: HTMLElement, on: GestureHandlers): void {
  let drag: Drag | null = null;
  /** True if what ends in a click was a drag. */
  let dragged = false;
  const pointOf = (event: MouseEvent): PlotPoint => {
    const { left, top } = plot.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  };
  const pixelOf = (event: MouseEvent): number => pointOf(event).x;
  const pinch = new Pinch();
  const clamped = (pixel: number, area: PlotArea): number =>
    Math.min(Math.max(pixel, area.left), area.left + area.width);

  plot.addEventListener('pointerdown', (event) => {
    const area = on.area();
    const pixel = pixelOf(event);
    if (area === null || event.button > 1 || !isInside(pixel, area)) return;
    if (pinch.down(event.pointerId, pixel)) {
      // The first finger's drag was the beginning of a pinch.
      drag = null;
      dragged = true;
      on.sweep(null);
      return;
    }
    const panning = event.button === 1 || event.shiftKey;
    drag = { pointer: event.pointerId, start: pixel, last: pixel, moved: false, panning };
    plot.setPointerCapture(event.pointerId);
    plot.focus({ preventScroll: true });
    event.preventDefault();
  });
  plot.addEventListener('pointermove', (event) => {
    const area = on.area();
    if (area === null) return;
    const pixel = pixelOf(event);
    const pinched = pinch.move(event.pointerId, pixel);
    if (pinched !== null) {
      on.zoom(pinched.centre, pinched.factor);
      on.pan(-pinched.moved / area.width);
      return;
    }
    if (drag === null) {
      on.hover(isInside(pixel, area) ? pointOf(event) : null);
      return;
    }
    drag.moved ||= Math.abs(pixel - drag.start) > CLICK_TOLERANCE;
    if (!drag.moved) return;
    on.hover(null);
    if (drag.panning) on.pan((drag.last - pixel) / area.width);
    else on.sweep(ordered(drag.start, clamped(pixel, area)));
    drag.last = pixel;
  });
  plot.addEventListener('pointerup', (event) => {
    const area = on.area();
    const ended = drag;
    drag = null;
    pinch.up(event.pointerId);
    if (ended === null || area === null) return;
    dragged = ended.moved;
    if (!ended.moved || ended.panning) return;
    on.sweep(null);
    on.choose(ordered(ended.start, clamped(pixelOf(event), area)));
  });
  plot.addEventListener('click', (event) => {
    const area = on.area();
    const point = pointOf(event);
    if (area === null || dragged || !isInside(point.x, area)) return;
    on.pick(point, { open: event.ctrlKey || event.metaKey, twice: event.detail > 1 });
  });
  plot.addEventListener('pointercancel', (event) => {
    drag = null;
    pinch.up(event.pointerId);
    on.sweep(null);
  });
  plot.addEventListener('pointerleave', () => {
    on.hover(null);
  });
  plot.addEventListener('dblclick', () => {
    on.whole();
  });
}

function listenForWheel(plot: HTMLElement, on: GestureHandlers): void {
  const listener = (event: WheelEvent): void => {
    const area = on.area();
    const pixel = event.clientX - plot.getBoundingClientRect().left;
    if (area === null) return;
    event.preventDefault();
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : 30;
    const sideways = event.shiftKey ? event.deltaX || event.deltaY : event.deltaX;
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) on.pan((sideways * unit) / area.width);
    // A pinch on a touchpad comes as a wheel with Control, in finer steps.
    else on.zoom(pixel, Math.exp(event.deltaY * unit * (event.ctrlKey ? 0.01 : 0.0015)));
  };
  plot.addEventListener('wheel', listener, { passive: false });
}

/** @returns true if the key means something here */
function pressed(event: KeyboardEvent, on: GestureHandlers): boolean {
  const command = event.ctrlKey || event.metaKey;
  const sign = event.key === 'ArrowLeft' ? -1 : 1;
  switch (event.key) {
    case 'ArrowLeft':
    case 'ArrowRight':
      if (event.shiftKey) on.pan(sign * KEY_PAN);
      else on.step(sign * (command ? 20 : 1));
      return true;
    case 'ArrowUp':
    case 'ArrowDown':
      if (event.altKey) on.walk(event.key === 'ArrowUp' ? 1 : -1);
      else if (event.key === 'ArrowUp') on.toPeak();
      else return false;
      return true;
    case 'PageUp':
    case 'PageDown':
      on.pan(event.key === 'PageUp' ? -1 : 1);
      return true;
    case '+':
    case '=':
      if (command) return false;
      on.zoom(null, 1 / KEY_ZOOM);
      return true;
    case '-':
      if (command) return false;
      on.zoom(null, KEY_ZOOM);
      return true;
    case 'Home':
      on.whole();
      return true;
    case 'Enter':
      on.pickAtCursor(command);
      return true;
    case 'Escape':
      on.dismiss();
      return true;
    default:
      return false;
  }
}

function ordered(a: number, b: number): { from: number; to: number } {
  return a < b ? { from: a, to: b } : { from: b, to: a };
}
