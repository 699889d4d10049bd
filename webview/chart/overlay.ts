/** What moves over the curve: the pin, the cursor, the stretch being dragged over and the readout beside the cursor. */
import { el, setText } from '../dom.js';
import type { PlotArea } from './plot.js';

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

  /** @param point the pixels of the cursor, and the text beside it; null to hide both */
  showCursor(point: { x: number; y: number; text: string } | null, area: PlotArea): void {
    for (const part of [this.cursor, this.dot, this.readout]) part.hidden = point === null;
    if (point === null) return;
    place(this.cursor, point.x, area.top, undefined, area.height);
    place(this.dot, point.x, point.y);
    setText(this.readout, point.text);
    const leftHalf = point.x < area.left + area.width / 2;
    this.readout.classList.toggle('to-left', !leftHalf);
    place(this.readout, point.x, area.top);
  }

  /** @param pixels null to hide it */
  showSweep(pixels: { from: number; to: number } | null, area: PlotArea): void {
    this.sweep.hidden = pixels === null;
    if (pixels !== null) place(this.sweep, pixels.from, area.top, pixels.to - pixels.from, area.height);
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
