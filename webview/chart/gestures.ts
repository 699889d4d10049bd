/** Translates mouse, wheel and keys on the plot into requests. Knows pixels, not curves. */
import { isInside, isLevelWith, type PlotArea, type PlotBox, type PlotPoint } from './plot.js';

interface GestureHandlers {
  /** The area for gestures, or null. */
  area(): PlotArea | null;
  hover(point: PlotPoint | null): void;
  /** A click. `open` if the largest line shall be opened straight away; `twice` for the second of a double click. */
  pick(point: PlotPoint, how: { open: boolean; twice: boolean }): void;
  /** Factors below 1 zoom in. `pixel` is the fixed point, by default the middle or the cursor. */
  zoom(factor: number, pixel?: number): void;
  /** Moves the view by a share of the visible range. */
  pan(share: number): void;
  whole(): void;
  /** Like {@link zoom}, of the byte axis; `pixel` is a height. */
  zoomBytes(factor: number, pixel?: number): void;
  /** Moves the view by a share of the visible heights; positive is up. */
  panBytes(share: number): void;
  wholeBytes(): void;
  /** While dragging over a stretch, or a box; null when that ends. */
  sweep(box: PlotBox | null): void;
  /** A stretch or a box was dragged over. */
  choose(box: PlotBox): void;
  /** Moves the keyboard's cursor by points of the curve. */
  step(points: number): void;
  toPeak(): void;
  /** Moves the cursor to the next band at its instant: 1 is up. */
  walk(bands: 1 | -1): void;
  /** The key for a click at the cursor. */
  pickAtCursor(open: boolean): void;
  dismiss(): void;
}

const CLICK_TOLERANCE = 4;
const KEY_ZOOM = 1.5;
/** Per pixel that the wheel is turned. */
const WHEEL_ZOOM = 0.0015;
const KEY_PAN = 0.1;
const KEY_PAN_BYTES = 0.5;

/** Listens on `plot`, which must be focusable. */
export function listenForGestures(plot: HTMLElement, on: GestureHandlers): void {
  listenForPointer(plot, on);
  listenForWheel(plot, on);
  plot.addEventListener('keydown', (event) => {
    if (pressed(event, on)) event.preventDefault();
  });
}

interface Drag {
  start: PlotPoint;
  last: number;
  moved: boolean;
  panning: boolean;
  /** True if heights are chosen as well. */
  boxed: boolean;
}

function listenForPointer(plot: HTMLElement, on: GestureHandlers): void {
  let drag: Drag | null = null;
  /** True if the click ended a drag. */
  let dragged = false;
  /** Where the pointer was released: click events have whole pixels only. */
  let released: PlotPoint | null = null;
  const pointOf = (event: MouseEvent): PlotPoint => {
    const { left, top } = plot.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  };
  const pixelOf = (event: MouseEvent): number => pointOf(event).x;
  const clamped = (pixel: number, area: PlotArea): number =>
    Math.min(Math.max(pixel, area.left), area.left + area.width);
  const boxOf = ({ start, boxed }: Drag, event: MouseEvent, area: PlotArea): PlotBox => {
    const { x, y } = pointOf(event);
    const lowest = area.top + area.height;
    const stretch = ordered(start.x, clamped(x, area));
    const heights = ordered(start.y, Math.min(Math.max(y, area.top), lowest));
    // A box without width or height selects the full range.
    const isThin = ({ from, to }: { from: number; to: number }): boolean => to - from <= CLICK_TOLERANCE;
    if (boxed && isThin(stretch)) return { from: area.left, to: area.left + area.width, heights };
    return { ...stretch, heights: boxed && !isThin(heights) ? heights : null };
  };

  plot.addEventListener('pointerdown', (event) => {
    const area = on.area();
    const pixel = pixelOf(event);
    if (area === null || event.button > 1 || !isInside(pixel, area)) return;
    const panning = event.button === 1 || event.shiftKey;
    const boxed = event.altKey && !panning;
    drag = { start: pointOf(event), last: pixel, moved: false, panning, boxed };
    plot.setPointerCapture(event.pointerId);
    plot.focus({ preventScroll: true });
    event.preventDefault();
  });
  plot.addEventListener('pointermove', (event) => {
    const area = on.area();
    if (area === null) return;
    const pixel = pixelOf(event);
    if (drag === null) {
      on.hover(isInside(pixel, area) ? pointOf(event) : null);
      return;
    }
    drag.moved ||= Math.abs(pixel - drag.start.x) > CLICK_TOLERANCE;
    drag.moved ||= drag.boxed && Math.abs(pointOf(event).y - drag.start.y) > CLICK_TOLERANCE;
    if (!drag.moved) return;
    on.hover(null);
    if (drag.panning) on.pan((drag.last - pixel) / area.width);
    else on.sweep(boxOf(drag, event, area));
    drag.last = pixel;
  });
  plot.addEventListener('pointerup', (event) => {
    const area = on.area();
    const ended = drag;
    drag = null;
    released = pointOf(event);
    if (ended === null || area === null) return;
    dragged = ended.moved;
    if (!ended.moved || ended.panning) return;
    on.sweep(null);
    on.choose(boxOf(ended, event, area));
  });
  plot.addEventListener('click', (event) => {
    const area = on.area();
    const point = released ?? pointOf(event);
    if (area === null || dragged || !isInside(point.x, area)) return;
    on.pick(point, { open: event.ctrlKey || event.metaKey, twice: event.detail > 1 });
  });
  plot.addEventListener('pointercancel', () => {
    drag = null;
    on.sweep(null);
  });
  plot.addEventListener('pointerleave', () => on.hover(null));
  plot.addEventListener('dblclick', (event) => {
    const area = on.area();
    if (area !== null && pixelOf(event) < area.left) on.wholeBytes();
    else on.whole();
  });
}

function listenForWheel(plot: HTMLElement, on: GestureHandlers): void {
  const listener = (event: WheelEvent): void => {
    const area = on.area();
    if (area === null) return;
    const { left, top } = plot.getBoundingClientRect();
    const pixel = event.clientX - left;
    const height = event.clientY - top;
    event.preventDefault();
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : 30;
    // Over the byte axis, or with Alt, the wheel is the byte axis's. With Shift, browsers turn it sideways.
    if (event.altKey || pixel < area.left) {
      const delta = (event.deltaY || event.deltaX) * unit;
      if (event.shiftKey) on.panBytes(-delta / area.height);
      else on.zoomBytes(Math.exp(delta * WHEEL_ZOOM), isLevelWith(height, area) ? height : undefined);
      return;
    }
    const sideways = event.shiftKey ? event.deltaX || event.deltaY : event.deltaX;
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) on.pan((sideways * unit) / area.width);
    // A pinch on a touchpad comes as a wheel with Control, in finer steps.
    else on.zoom(Math.exp(event.deltaY * unit * (event.ctrlKey ? 0.01 : WHEEL_ZOOM)), pixel);
  };
  plot.addEventListener('wheel', listener, { passive: false });
}

/** @returns true if the key means something here */
function pressed(event: KeyboardEvent, on: GestureHandlers): boolean {
  const { shiftKey, altKey, key, code } = event;
  const command = event.ctrlKey || event.metaKey;
  const along = (sign: 1 | -1) => (): void => (shiftKey ? on.pan(sign * KEY_PAN) : on.step(sign * (command ? 20 : 1)));
  const zoom = (factor: number) => (command ? undefined : (): void => on.zoom(factor));
  const plain: Partial<Record<string, () => void>> = {
    ArrowLeft: along(-1),
    ArrowRight: along(1),
    ArrowUp: () => on.toPeak(),
    PageUp: () => on.pan(-1),
    PageDown: () => on.pan(1),
    '+': zoom(1 / KEY_ZOOM),
    '=': zoom(1 / KEY_ZOOM),
    '-': zoom(KEY_ZOOM),
    Home: () => on.whole(),
    Enter: () => on.pickAtCursor(command),
    Escape: () => on.dismiss(),
  };
  // The byte axis, and the bands. Signs go by their place: with Alt, some keyboards make letters of them.
  const withAlt: Partial<Record<string, () => void>> = {
    ArrowUp: () => on.walk(1),
    ArrowDown: () => on.walk(-1),
    PageUp: () => on.panBytes(KEY_PAN_BYTES),
    PageDown: () => on.panBytes(-KEY_PAN_BYTES),
    Equal: () => on.zoomBytes(1 / KEY_ZOOM),
    NumpadAdd: () => on.zoomBytes(1 / KEY_ZOOM),
    Minus: () => on.zoomBytes(KEY_ZOOM),
    NumpadSubtract: () => on.zoomBytes(KEY_ZOOM),
    Home: () => on.wholeBytes(),
  };
  const action = (altKey && !command ? withAlt[code] : undefined) ?? plain[key];
  action?.();
  return action !== undefined;
}

function ordered(a: number, b: number): { from: number; to: number } {
  return a < b ? { from: a, to: b } : { from: b, to: a };
}
