/** The overview of a snapshot on its own: its whole history, and the brush that is the view. */
import { drawableExtent, type Range } from '../chart/range.js';
import { listenForBrush } from '../run/brush.js';
import { el, oncePerFrame } from '../dom.js';
import type { TimelineSession } from '../session.js';
import type { Store } from '../store.js';
import { strings } from '../strings.js';
import { readTheme, watchTheme } from '../theme.js';
import type { ViewState } from '../viewState.js';
import { paintsOf } from './palette.js';
import { rasterOf } from './rasterRenderer.js';

export function createMinimap(store: Store<ViewState>, session: TimelineSession): HTMLElement {
  const canvas = el('canvas', { attributes: { 'aria-hidden': 'true' } });
  const view = el('div', { class: 'in-view' });
  const strip = el(
    'div',
    {
      class: 'minimap',
      title: strings.minimap,
      attributes: { 'aria-hidden': 'true' },
    },
    canvas,
    view,
  );
  const draw = oncePerFrame(() => {
    const { wholePile } = store.get();
    if (wholePile === null || strip.clientHeight === 0) return;
    const { pixels, highest } = wholePile.bands;
    canvas.width = pixels;
    canvas.height = strip.clientHeight;
    const paints = paintsOf(wholePile, readTheme(strip));
    canvas.getContext('2d')?.putImageData(
      rasterOf(wholePile, paints, canvas.height, {
        from: 0,
        to: Math.max(1, highest),
      }),
      0,
      0,
    );
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

  const extentOf = (): Range => drawableExtent(store.get().curve?.extent ?? { from: 0, to: 1 });
  listenForBrush(strip, {
    brush: () => {
      const { range } = store.get();
      const { from, to } = extentOf();
      const pixel = (x: number): number => ((x - from) / (to - from)) * strip.clientWidth;
      return range === null ? null : { from: pixel(range.from), to: pixel(range.to) };
    },
    move: (pixels) => {
      const { from, to } = extentOf();
      const x = (pixel: number): number => from + (pixel / strip.clientWidth) * (to - from);
      session.setRange({ from: x(pixels.from), to: x(pixels.to) });
    },
    click: (pixel) => {
      const { range } = store.get();
      if (range === null) return;
      const { from, to } = extentOf();
      const half = (range.to - range.from) / 2;
      const centre = from + (pixel / strip.clientWidth) * (to - from);
      session.setRange({ from: centre - half, to: centre + half });
    },
  });
  return strip;
}
