/** What draws bands: one interface, two back ends. */
import type { Range } from '../chart/range.js';
import type { BandPaint } from './palette.js';
import type { Pile } from './pile.js';

/** What a canvas shows: a stretch of the x axis over its width, a stretch of the byte axis over its height. */
export interface BandView {
  range: Range;
  bytes: Range;
}

export interface BandRenderer {
  readonly kind: 'gpu' | 'cpu';
  /** Takes a pile for {@link draw}. It is not drawn yet. */
  upload(slot: PileSlot, pile: Pile, paints: readonly BandPaint[]): void;
  /**
   * Draws what was uploaded, the window's pile over the whole history's, in pixels of the canvas.
   * @param moving true while one zooms and pans: a picture of another view may be stretched then
   */
  draw(view: BandView, moving: boolean): void;
  /** Forgets a pile. */
  drop(slot: PileSlot): void;
  dispose(): void;
}

/** Under the series of the window lies that of the whole history, for what the window has not answered yet. */
export type PileSlot = 'whole' | 'window';
export const PILE_SLOTS: readonly PileSlot[] = ['whole', 'window'];
