/** What the user does on the plot with mouse, wheel and keys, as wishes. Knows pixels, not curves. */
import { isInside, isLevelWith, type PlotArea, type PlotBox, type PlotPoint } from './plot.js';

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
  /** Like {@link zoom}, of the byte axis; `pixel` is a height. */
  zoomBytes(pixel: number | null, factor: number): void;
  /** By a share of the visible heights; positive is higher. */
  panBytes(share: number): void;
  wholeBytes(): void;
  /** While dragging over a stretch, or a box; null when that ends. */
  sweep(box: PlotBox | null): void;
  /** A stretch or a box was dragged over. */
  choose(box: PlotBox): void;
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
  pointer: number;
  start: PlotPoint;
  last: number;
  moved: boolean;
  panning: boolean;
  /** True if heights are chosen as well. */
  boxed: boolean;
}

function listenForPointer(plot: HTMLElement, on: GestureHandlers): void {
  let drag: Drag | null = null;
  /** True if what ends in a click was a drag. */
  let dragged = false;
  /** Where the pointer was released: a click tells whole pixels only. */
  let released: PlotPoint | null = null;
  const pointOf = (event: MouseEvent): PlotPoint => {
    const { left, top } = plot.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  };
  const pixelOf = (event: MouseEvent): number => pointOf(event).x;
  const pinch = new Pinch();
  const clamped = (pixel: number, area: PlotArea): number =>
    Math.min(Math.max(pixel, area.left), area.left + area.width);
  const boxOf = ({ start, boxed }: Drag, event: MouseEvent, area: PlotArea): PlotBox => {
    const { x, y } = pointOf(event);
    const lowest = area.top + area.height;
    const stretch = ordered(start.x, clamped(x, area));
    const heights = ordered(start.y, Math.min(Math.max(y, area.top), lowest));
    // A box without width, or without height, means all of it.
    const isThin = ({ from, to }: { from: number; to: number }): boolean => to - from <= CLICK_TOLERANCE;
    if (boxed && isThin(stretch)) return { from: area.left, to: area.left + area.width, heights };
    return { ...stretch, heights: boxed && !isThin(heights) ? heights : null };
  };

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
    const boxed = event.altKey && !panning;
    drag = { pointer: event.pointerId, start: pointOf(event), last: pixel, moved: false, panning, boxed };
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
    pinch.up(event.pointerId);
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
  plot.addEventListener('pointercancel', (event) => {
    drag = null;
    pinch.up(event.pointerId);
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
      else on.zoomBytes(isLevelWith(height, area) ? height : null, Math.exp(delta * WHEEL_ZOOM));
      return;
    }
    const sideways = event.shiftKey ? event.deltaX || event.deltaY : event.deltaX;
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) on.pan((sideways * unit) / area.width);
    // A pinch on a touchpad comes as a wheel with Control, in finer steps.
    else on.zoom(pixel, Math.exp(event.deltaY * unit * (event.ctrlKey ? 0.01 : WHEEL_ZOOM)));
  };
  plot.addEventListener('wheel', listener, { passive: false });
}

/** @returns true if the key means something here */
function pressed(event: KeyboardEvent, on: GestureHandlers): boolean {
  const command = event.ctrlKey || event.metaKey;
  if (event.altKey && !command && pressedWithAlt(event, on)) return true;
  const sign = event.key === 'ArrowLeft' ? -1 : 1;
  switch (event.key) {
    case 'ArrowLeft':
    case 'ArrowRight':
      if (event.shiftKey) on.pan(sign * KEY_PAN);
      else on.step(sign * (command ? 20 : 1));
      return true;
    case 'ArrowUp':
    case 'ArrowDown':
      if (event.key === 'ArrowUp') on.toPeak();
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

/** The byte axis, and the bands. Signs go by their place: with Alt, some keyboards make letters of them. */
function pressedWithAlt(event: KeyboardEvent, on: GestureHandlers): boolean {
  switch (event.code) {
    case 'ArrowUp':
    case 'ArrowDown':
      on.walk(event.code === 'ArrowUp' ? 1 : -1);
      return true;
    case 'PageUp':
    case 'PageDown':
      on.panBytes(event.code === 'PageUp' ? KEY_PAN_BYTES : -KEY_PAN_BYTES);
      return true;
    case 'Equal':
    case 'NumpadAdd':
      on.zoomBytes(null, 1 / KEY_ZOOM);
      return true;
    case 'Minus':
    case 'NumpadSubtract':
      on.zoomBytes(null, KEY_ZOOM);
      return true;
    case 'Home':
      on.wholeBytes();
      return true;
    default:
      return false;
  }
}

function ordered(a: number, b: number): { from: number; to: number } {
  return a < b ? { from: a, to: b } : { from: b, to: a };
}

/** Two fingers on the plot: how far they spread, and where between them. Pixels along the x axis. */
export class Pinch {
  private readonly fingers = new Map<number, number>();

  /** @returns true if this is the second finger: what the first one began is over */
  down(pointer: number, x: number): boolean {
    this.fingers.set(pointer, x);
    return this.fingers.size === 2;
  }

  up(pointer: number): void {
    this.fingers.delete(pointer);
  }

  /** @returns null unless two fingers are down; `factor` is below 1 where they spread, `moved` is how far their middle went */
  move(pointer: number, x: number): { centre: number; factor: number; moved: number } | null {
    const before = this.fingers.get(pointer);
    if (before === undefined) return null;
    this.fingers.set(pointer, x);
    if (this.fingers.size !== 2) return null;
    const other = [...this.fingers].find(([finger]) => finger !== pointer)?.[1] ?? x;
    const spread = Math.max(NARROWEST, Math.abs(x - other));
    const centre = (x + other) / 2;
    return { centre, factor: Math.max(NARROWEST, Math.abs(before - other)) / spread, moved: (x - before) / 2 };
  }
}

/** Fingers closer together than this would zoom without end. */
const NARROWEST = 20;
