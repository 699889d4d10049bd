/** The whole history in a strip, and which part of it is in view. Dragging moves the view, as Shift and the arrows do. */
import { drawableExtent } from '../chart/range.js';
import { el, oncePerFrame } from '../dom.js';
import type { TimelineSession } from '../session.js';
import type { Store } from '../store.js';
import { strings } from '../strings.js';
import { readTheme, watchTheme } from '../theme.js';
import type { ViewState } from '../viewState.js';
import { paintsOf, rgbOfCss } from './palette.js';
import { rasterOf } from './rasterRenderer.js';

export function createMinimap(store: Store<ViewState>, session: TimelineSession): HTMLElement {
  const canvas = el('canvas', { attributes: { 'aria-hidden': 'true' } });
  const view = el('div', { class: 'in-view' });
  const strip = el(
    'div',
    { class: 'minimap', title: strings.minimap, attributes: { 'aria-hidden': 'true' } },
    canvas,
    view,
  );
  const draw = oncePerFrame(() => {
    const { wholePile } = store.get();
    if (wholePile === null || strip.clientHeight === 0) return;
    const { pixels, highest } = wholePile.bands;
    canvas.width = pixels;
    canvas.height = strip.clientHeight;
    const paints = paintsOf(wholePile, rgbOfCss(readTheme(strip).background));
    canvas
      .getContext('2d')
      ?.putImageData(rasterOf(wholePile, paints, canvas.height, { from: 0, to: Math.max(1, highest) }), 0, 0);
  });
  store.watch((state, before) => {
    const { curve, range, heights, wholePile } = state;
    strip.classList.toggle('whole', range === null && heights === null);
    if (wholePile !== before.wholePile) draw();
    if (curve === null) return;
    const { from, to } = drawableExtent(curve.extent);
    const share = (x: number): string => `${(100 * (x - from)) / (to - from)}%`;
    view.style.left = share(range?.from ?? from);
    view.style.right = `calc(100% - ${share(range?.to ?? to)})`;
    const highest = Math.max(1, wholePile?.bands.highest ?? 1);
    const height = (bytes: number): string => `${Math.min(100, (100 * bytes) / highest)}%`;
    view.style.top = heights === null ? '' : `calc(100% - ${height(heights.to)} - 1px)`;
    view.style.bottom = heights === null ? '' : `calc(${height(heights.from)} - 1px)`;
  });
  watchTheme(draw);
  new ResizeObserver(draw).observe(strip);

  const moveTo = (event: PointerEvent): void => {
    const { curve, range } = store.get();
    if (curve === null || range === null) return;
    const { left, width } = strip.getBoundingClientRect();
    const { from, to } = drawableExtent(curve.extent);
    const centre = from + ((event.clientX - left) / width) * (to - from);
    const half = (range.to - range.from) / 2;
    session.setRange({ from: centre - half, to: centre + half });
  };
  strip.addEventListener('pointerdown', (event) => {
    strip.setPointerCapture(event.pointerId);
    moveTo(event);
  });
  strip.addEventListener('pointermove', (event) => {
    if (strip.hasPointerCapture(event.pointerId)) moveTo(event);
  });
  return strip;
}
