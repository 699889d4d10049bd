/** What moves over the curve: the pin, the cursor, the stretch being dragged over and the readout beside the cursor. */
import { el, setText } from '../dom.js';
import type { PlotArea, PlotBox } from './plot.js';

export class Overlay {
  readonly element = el('div', { class: 'overlay', attributes: { 'aria-hidden': 'true' } });
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

  /** @param point the pixels of the cursor, its height unless that is out of view, and the text beside it; null to hide */
  showCursor(point: { x: number; y: number | null; text: string } | null, area: PlotArea): void {
    for (const part of [this.cursor, this.readout]) part.hidden = point === null;
    this.dot.hidden = (point?.y ?? null) === null;
    if (point === null) return;
    place(this.cursor, point.x, area.top, undefined, area.height);
    if (point.y !== null) place(this.dot, point.x, point.y);
    setText(this.readout, point.text);
    const leftHalf = point.x < area.left + area.width / 2;
    this.readout.classList.toggle('to-left', !leftHalf);
    // Beside the cursor is so much room; longer lines would be cut off at the edge of the page.
    const room = leftHalf ? area.left + area.width - point.x : point.x;
    this.readout.style.maxWidth = `min(${room}px - 1em, 60em)`;
    place(this.readout, point.x, area.top);
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
