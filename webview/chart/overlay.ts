/** The overlay of the curve: pin, cursor, drag selection, and the readout beside the cursor. */
import { el, setText } from '../ui/dom.js';
import type { PlotArea, PlotBox } from './plot.js';

/** With less space than this beside the cursor, in pixels, the readout is placed across the plot. */
const ROOM_BESIDE = 220;

/** The cursor: its pixels, the curve's height if in view, and the readout. */
export interface CursorPoint {
  x: number;
  y: number | null;
  /** The height in view. */
  lookedAt: number;
  text: string;
}

export class Overlay {
  readonly element = el('div', { class: 'overlay', 'aria-hidden': 'true' });
  private readonly pin = el('div', { class: 'pin-line' });
  private readonly cursor = el('div', { class: 'cursor-line' });
  private readonly dot = el('div', { class: 'cursor-dot' });
  private readonly sweep = el('div', { class: 'sweep' });
  private readonly readout = el('div', { class: 'readout' });

  constructor() {
    this.element.append(this.sweep, this.pin, this.cursor, this.dot, this.readout);
    for (const part of [this.pin, this.cursor, this.dot, this.sweep, this.readout]) part.hidden = true;
  }

  /** @param pixel null to hide it */
  showPin(pixel: number | null, area: PlotArea): void {
    this.pin.hidden = pixel === null;
    if (pixel !== null) place(this.pin, pixel, area.top, undefined, area.height);
  }

  /** @param point null to hide it */
  showCursor(point: CursorPoint | null, area: PlotArea): void {
    for (const part of [this.cursor, this.readout]) part.hidden = point === null;
    this.dot.hidden = (point?.y ?? null) === null;
    if (point === null) return;
    place(this.cursor, point.x, area.top, undefined, area.height);
    if (point.y !== null) place(this.dot, point.x, point.y);
    setText(this.readout, point.text);
    this.placeReadout(point, area);
  }

  private placeReadout({ x, lookedAt }: CursorPoint, area: PlotArea): void {
    const leftHalf = x < area.left + area.width / 2;
    const room = leftHalf ? area.left + area.width - x : x;
    const across = room < ROOM_BESIDE;
    const below = across && lookedAt < area.top + area.height / 2;
    const { classList, style } = this.readout;
    classList.toggle('to-left', !across && !leftHalf);
    classList.toggle('below', below);
    // Longer lines end in an ellipsis: the card of a band shows them in full.
    style.maxWidth = across ? `${area.left + area.width}px` : `min(${room}px - 1em, 34em)`;
    if (across) place(this.readout, 0, below ? area.top + area.height : area.top);
    else place(this.readout, x, area.top);
  }

  /** @param box null to hide it */
  showSweep(box: PlotBox | null, area: PlotArea): void {
    this.sweep.hidden = box === null;
    if (box === null) return;
    const { from, to } = box.heights ?? { from: area.top, to: area.top + area.height };
    place(this.sweep, box.from, from, box.to - box.from, to - from);
  }
}

/** Positions by properties of the style object, which a strict content security policy allows. */
function place(element: HTMLElement, left: number, top: number, width?: number, height?: number): void {
  const { style } = element;
  style.left = `${left}px`;
  style.top = `${top}px`;
  if (width !== undefined) style.width = `${width}px`;
  if (height !== undefined) style.height = `${height}px`;
}
