/** The interactive plot: the curve, its overlays, and the effects of mouse and keys. */
import type { TimelineWindow } from '../../src/protocol/timelineData.js';
import type { ReservedAnswer } from '../../src/protocol/whatIfData.js';
import { afterQuiet, el, oncePerFrame, setText } from '../ui/dom.js';
import { byteText } from '../../src/core/text/numberText.js';
import { formatExactBytes } from '../text/format.js';
import { BandLayer } from '../layer/bandLayer.js';
import {
  bandLines,
  BandPointer,
  heightOf,
  marksIn,
  ownerOf,
  refOf,
  spokenBand,
  type PointedBand,
} from '../layer/bandPointer.js';
import { seriesNames } from '../layer/bandText.js';
import { isShown } from '../model/question.js';
import type { TimelineSession } from '../actions/session.js';
import type { Store } from '../model/store.js';
import { t } from '../../src/core/text/translate.js';
import { strings } from '../text/strings.js';
import { readTheme, watchTheme } from '../ui/theme.js';
import { resize, type ViewState } from '../model/viewState.js';
import { listenForGestures } from '../chart/gestures.js';
import { Overlay, type CursorPoint } from '../chart/overlay.js';
import { isLevelWith, pixelOf, valueAt, type PlotArea, type PlotBox, type PlotPoint } from '../chart/plot.js';
import { lastAtOrBelow, pickPoint } from '../model/points.js';
import { drawableExtent, fitRange, NARROWEST, panRange, revealInRange, zoomRange, type Range } from '../model/range.js';
import { TimelineChart } from '../chart/timelineChart.js';

/** A click means the peak this near, in pixels. */
const REACH = 3;
/** A mark this near to the cursor is named in the readout, in pixels. */
const MARK_REACH = 5;

/** Time without change after which the view counts as still, in milliseconds. */
const STILL_MS = 150;

/** The target of the cursor. */
interface Cursor {
  event: number;
  x: number;
  /** Where the mouse is; null for a cursor that keys move. */
  pixel: number | null;
}

export class ChartView {
  readonly element: HTMLElement;
  private readonly plot: HTMLElement;
  private readonly canvas = el('canvas', { class: 'curve', 'aria-hidden': 'true' });
  private readonly spoken = el('div', { class: 'visually-hidden', role: 'status' });
  private readonly overlay = new Overlay();
  private readonly chart: TimelineChart;
  private readonly layer: BandLayer;
  private readonly pointer: BandPointer;
  private cursor: Cursor | null = null;
  /** The band under the cursor. */
  private band: PointedBand | null = null;
  private laidOutAt: PlotArea = { left: 0, top: 0, width: 0, height: 0 };
  private sweep: PlotBox | null = null;
  /** True while one zooms and pans. */
  private moving = false;
  private readonly settle = afterQuiet(STILL_MS, () => {
    this.moving = false;
    this.drawCurve();
  });
  private readonly drawCurve = oncePerFrame(() => {
    const { curve, heights } = this.store.get();
    if (curve !== null) {
      const [visible, changed] = [this.visible(curve), this.changed(curve)];
      this.chart.show(curve, { visible, heights, changed, moving: this.moving });
    }
    this.placeOverlay();
  });
  private readonly drawBands = oncePerFrame(() => {
    this.chart.redraw();
    this.placeOverlay();
  });
  private readonly drawOverlay = oncePerFrame(() => this.placeOverlay());

  constructor(
    private readonly store: Store<ViewState>,
    private readonly session: TimelineSession,
  ) {
    this.pointer = new BandPointer(store);
    const help = el(
      'p',
      { class: 'visually-hidden', id: 'plot-help' },
      t(
        'Left and right arrows move from point to point, with Control by twenty; with Shift they move the view. Up goes to the peak in view. Alt with up and down goes from allocation to allocation at the cursor. Plus and minus zoom, Home shows the whole history. Alt with plus and minus zooms the byte axis, with page up and page down it moves, Alt and Home shows all of it. Enter shows the live memory at the cursor; Enter again, or Control and Enter, opens its largest line, or that of the allocation.',
      ),
    );
    const surface = el('div', { class: 'surface' }, this.canvas);
    this.plot = el(
      'div',
      {
        class: 'plot',
        role: 'application',
        tabindex: '0',
        'aria-label': strings.chart,
        'aria-roledescription': t('memory timeline'),
        'aria-describedby': 'plot-help',
      },
      surface,
      this.overlay.element,
    );
    this.element = el('div', { class: 'chart' }, this.plot, help, this.spoken);
    // The theme and the size of a canvas are known only inside the document.
    document.body.append(this.element);
    this.layer = new BandLayer(readTheme(this.element));
    surface.append(this.layer.element);
    this.chart = new TimelineChart(
      this.canvas,
      readTheme(this.element),
      (area) => this.laidOut(area),
      (context) => this.placeBands(context),
    );
    watchTheme(() => {
      this.chart.restyle(readTheme(this.element));
      this.layer.restyle(readTheme(this.element));
      this.drawCurve();
    });
    this.listen();
    store.follow(
      ({ layer, curve }) => [!layer || curve?.hasAllocations === false],
      ([isFilled]) => this.chart.fillLive(isFilled),
    );
    store.follow(
      ({ selection }) => [selection],
      () => {
        this.cursor = null;
        this.band = null;
      },
    );
    store.follow(
      ({ range, heights }) => [range, heights],
      () => {
        this.moving = true;
        this.settle();
      },
    );
    store.follow(
      ({ curve, reservedWith, layer, range, heights }) => [curve, reservedWith, layer, range, heights],
      this.drawCurve,
    );
    store.follow(
      ({ stacked, wholeBands, selected, highlight, cursorLine: line }) => [
        stacked,
        wholeBands,
        selected,
        highlight,
        line,
      ],
      this.drawBands,
    );
    store.follow(({ pin, looked }) => [pin, looked], this.drawOverlay);
    store.watch((state) =>
      this.element.classList.toggle('stale', state.curve !== null && !isShown(state.curve, state)),
    );
  }

  /** The drawn allocations, and the curve over them; null while nothing is drawn. */
  picture(): HTMLCanvasElement | null {
    const area = this.area();
    if (this.store.get().curve === null || area === null) return null;
    const { width, height } = this.canvas;
    const picture = el('canvas', { width: String(width), height: String(height) });
    const ink = picture.getContext('2d');
    if (ink === null) return null;
    ink.fillStyle = readTheme(this.element).background;
    ink.fillRect(0, 0, width, height);
    const scale = window.devicePixelRatio;
    const layers = this.layer.element.hidden ? [] : this.layer.element.querySelectorAll('canvas');
    for (const layer of layers) ink.drawImage(layer, Math.round(area.left * scale), Math.round(area.top * scale));
    ink.drawImage(this.canvas, 0, 0);
    return picture;
  }

  /** The page has another size: there is room for more or fewer ticks, and for more or fewer points. */
  private laidOut(area: PlotArea | null): void {
    if (area === null) return;
    const { left, top, width, height } = this.laidOutAt;
    this.laidOutAt = area;
    // Each frame of a zoom lays it out again, nearly always as it was.
    if (width !== area.width || height !== area.height) this.drawCurve();
    else if (left !== area.left || top !== area.top) this.drawOverlay();
    resize(this.store, { plotWidth: area.width, plotHeight: area.height });
  }

  private listen(): void {
    listenForGestures(this.plot, {
      area: () => (this.store.get().curve === null ? null : this.area()),
      hover: (point) => this.hover(point),
      pick: ({ x: pixel, y }, { open, twice }) => {
        // A double click on a part of the history shows all of it, and must not open a file.
        if (twice && (this.store.get().range !== null || this.store.get().heights !== null)) return;
        // A click selects the item that the readout describes.
        this.hover({ x: pixel, y });
        this.pickAtCursor(open);
      },
      zoom: (factor, pixel) => this.zoom(factor, pixel),
      pan: (share) => this.pan(share),
      whole: () => this.session.showWhole(),
      zoomBytes: (factor, pixel) => {
        const shown = this.heights();
        const center =
          pixel === undefined ? (this.cursorBytes() ?? (shown.from + shown.to) / 2) : this.chart.bytesAt(pixel);
        this.setHeights(zoomRange(shown, center, factor));
      },
      panBytes: (share) => this.setHeights(panRange(this.heights(), share)),
      wholeBytes: () => this.session.setHeights(null),
      sweep: (box) => {
        this.sweep = box;
        this.drawOverlay();
      },
      choose: ({ from, to, heights }) =>
        this.withCurve((_curve, area, visible) => {
          if (heights !== null) {
            this.setHeights({ from: this.chart.bytesAt(heights.to), to: this.chart.bytesAt(heights.from) });
          }
          this.session.setRange({ from: valueAt(from, area, visible), to: valueAt(to, area, visible) });
        }),
      step: (points) => this.step(points),
      toPeak: () =>
        this.withCurve((curve, area, visible) => {
          const index = pickPoint(
            curve,
            valueAt(area.left, area, visible),
            valueAt(area.left + area.width, area, visible),
          );
          if (index >= 0) this.moveCursor(curve, index, visible);
        }),
      walk: (by) => this.walk(by),
      pickAtCursor: (open) => {
        if (this.cursor === null) this.step(1);
        else this.pickAtCursor(open);
      },
      dismiss: () => {
        this.cursor = null;
        this.lookAt(null);
        this.store.update({ selected: null });
        this.session.unpin();
        this.drawBands();
      },
    });
    this.plot.addEventListener('blur', () => {
      if (this.cursor?.pixel === null) {
        this.cursor = null;
        this.lookAt(null);
      }
      this.drawOverlay();
    });
  }

  /** @returns false if it is no single line's */
  private pickBand(band: PointedBand, x: number, open: boolean): boolean {
    const ref = refOf(band);
    const owner = ownerOf(band);
    if (ref === null || owner === null) return false;
    const { selected } = this.store.get();
    const again = selected?.series === ref.series && selected.row === ref.row;
    this.store.update({ selected: ref });
    this.session.lookInto({ event: ref.event, axis: band.stacked.bands.axis, x });
    if (again || open) this.session.openBand(owner);
    return true;
  }

  private lookAt(band: PointedBand | null): void {
    const before = this.band;
    this.band = band;
    this.store.update({ pointed: band === null ? null : refOf(band) });
    const same = band?.stacked === before?.stacked && band?.piece.series === before?.piece.series;
    if (!same || band?.piece.block !== before?.piece.block) this.drawBands();
  }

  private walk(by: 1 | -1): void {
    if (this.cursor === null) this.step(1);
    const x = this.cursor?.x;
    const band = x === undefined ? null : this.pointer.next(x, this.band, by);
    if (band === null) return;
    this.cursor = { event: band.stacked.event[band.sample], x: x ?? 0, pixel: null };
    this.lookAt(band);
    setText(this.spoken, spokenBand(band));
  }

  /** @param over the canvas of the curve, before the curve is drawn */
  private placeBands(over: CanvasRenderingContext2D): void {
    const { curve, layer, stacked, wholeBands, selected, highlight, cursorLine } = this.store.get();
    // chart.js draws first while it is being made: no curve is known then.
    const area = curve === null ? null : this.area();
    const of = (one: typeof stacked): typeof stacked => (one?.bands.axis === curve?.axis ? one : null);
    const front = of(stacked) ?? of(wholeBands);
    if (!layer || curve === null || area === null || front === null) {
      this.layer.show(null, over);
      return;
    }
    const scene = {
      area,
      range: this.visible(curve),
      bytes: this.chart.bytes(),
      moving: this.moving,
      window: of(stacked),
      whole: of(wholeBands),
      names: seriesNames(front),
      marks: marksIn(front, this.band, selected, [highlight, cursorLine]),
    };
    this.layer.show(scene, over);
  }

  private pickAtCursor(open: boolean): void {
    this.withCurve((curve) => {
      if (this.cursor === null) return;
      const { event, x } = this.cursor;
      if (this.band !== null && this.pickBand(this.band, x, open)) return;
      this.store.update({ selected: null });
      this.session.pin({ event, axis: curve.axis, x }, open);
    });
  }

  private hover(point: PlotPoint | null): void {
    if (point === null) {
      if (this.cursor !== null && this.cursor.pixel !== null) {
        this.cursor = null;
        this.lookAt(null);
      }
    } else {
      this.withCurve((curve, area, visible) => {
        const x = valueAt(point.x, area, visible);
        const band = this.pointer.at(x, this.chart.bytesAt(point.y));
        this.lookAt(band);
        if (band !== null) this.cursor = { event: band.stacked.event[band.sample], x, pixel: point.y };
        else {
          const reach = (by: number): number => valueAt(point.x + by, area, visible);
          const index = pickPoint(curve, reach(-REACH), reach(REACH));
          // A plateau is meant where the pointer is, not where it began, which may be out of view.
          const at = index >= 0 && curve.x[index] < reach(-REACH) ? x : curve.x[index];
          this.cursor = index < 0 ? null : { event: curve.event[index], x: at, pixel: point.y };
        }
      });
    }
    this.drawOverlay();
  }

  private step(points: number): void {
    this.withCurve((curve, _area, visible) => {
      const from = this.cursor?.event ?? this.store.get().pin?.event;
      const count = curve.x.length;
      if (count === 0) return;
      const at = from === undefined ? -1 : lastAtOrBelow(curve.event, from);
      const start = at >= 0 ? at : lastAtOrBelow(curve.event, curve.peak.event) - points;
      this.moveCursor(curve, Math.min(Math.max(start + points, 0), count - 1), visible);
    });
  }

  private moveCursor(curve: TimelineWindow, index: number, visible: Range, x = curve.x[index]): void {
    this.cursor = { event: curve.event[index], x, pixel: null };
    this.session.setRange(revealInRange(visible, x));
    const { heights } = this.store.get();
    if (heights !== null) this.setHeights(revealInRange(heights, curve.live[index]));
    this.lookAt(null);
    this.drawOverlay();
    setText(this.spoken, this.textOf(curve, index));
  }

  /** Looks into the instant under the cursor. */
  mark(): void {
    this.withCurve((curve) => {
      if (this.cursor === null) this.step(0);
      if (this.cursor !== null) this.session.lookInto({ event: this.cursor.event, axis: curve.axis, x: this.cursor.x });
    });
  }

  /** Moves the cursor to the next training step, or the previous one. */
  toStep(by: 1 | -1): void {
    this.withCurve((curve, _area, visible) => {
      const here = this.cursor?.x ?? this.store.get().pin?.x ?? (by === 1 ? -Infinity : Infinity);
      const steps = curve.marks.filter(({ kind }) => kind === 'step');
      const next = by === 1 ? steps.find(({ x }) => x > here) : steps.findLast(({ x }) => x < here);
      if (next !== undefined) this.moveCursor(curve, Math.max(0, lastAtOrBelow(curve.x, next.x)), visible, next.x);
    });
  }

  /** Zooms by a factor (below 1: in) around a pixel, by default the cursor or the selected instant. */
  zoom(factor: number, pixel?: number): void {
    const { curve, pin } = this.store.get();
    if (curve === null) return;
    const visible = this.visible(curve);
    const area = pixel === undefined ? null : this.area();
    const x = area === null ? (this.cursor?.x ?? pin?.x) : valueAt(pixel ?? 0, area, visible);
    const isInView = x !== undefined && x >= visible.from && x <= visible.to;
    this.session.setRange(zoomRange(visible, isInView ? x : (visible.from + visible.to) / 2, factor));
  }

  /** Moves the view by a share of it. */
  pan(share: number): void {
    const { curve } = this.store.get();
    if (curve !== null) this.session.setRange(panRange(this.visible(curve), share));
  }

  /** Where on the byte axis the cursor is, if that is in view. */
  private cursorBytes(): number | null {
    const { curve } = this.store.get();
    if (curve === null || this.cursor === null) return null;
    const bytes = curve.live[Math.max(0, lastAtOrBelow(curve.event, this.cursor.event))];
    const { from, to } = this.heights();
    return bytes >= from && bytes <= to ? bytes : null;
  }

  /** The visible byte range; the chart applies it with the next frame. */
  private heights(): Range {
    return this.store.get().heights ?? { from: 0, to: this.chart.wholeHeight() };
  }

  private setHeights(heights: Range): void {
    const whole = { from: 0, to: this.chart.wholeHeight() };
    this.session.setHeights(fitRange(heights, whole, NARROWEST.bytes));
  }

  private placeOverlay(): void {
    this.withCurve((curve, area, visible) => {
      const { pin } = this.store.get();
      const inView = (x: number): number | null => {
        const pixel = pixelOf(x, area, visible);
        return pixel >= area.left - 1 && pixel <= area.left + area.width + 1 ? pixel : null;
      };
      this.overlay.showPin(pin?.axis === curve.axis ? inView(pin.x) : null, area);
      this.overlay.showSweep(this.sweep, area);
      this.overlay.showCursor(this.cursorPoint(curve, area, visible, inView), area);
    });
  }

  private cursorPoint(
    curve: TimelineWindow,
    area: PlotArea,
    visible: Range,
    inView: (x: number) => number | null,
  ): CursorPoint | null {
    if (this.cursor === null || this.sweep !== null) return null;
    const index = Math.max(0, lastAtOrBelow(curve.event, this.cursor.event));
    const live = this.band === null ? curve.live[index] : heightOf(this.band);
    const pixel = inView(this.cursor.x);
    if (pixel === null || curve.x.length === 0) return null;
    const marks = curve.marks.filter((mark) => Math.abs(pixelOf(mark.x, area, visible) - pixel) <= MARK_REACH);
    const band = this.band === null ? [] : bandLines(this.band, this.store.get().looked);
    const at = { event: this.cursor.event, x: this.cursor.x, live };
    const text = [...band, this.textOf(curve, index, at), ...marks.map(strings.mark)].join('\n');
    const height = this.chart.pixelOfBytes(live);
    return { x: pixel, y: isLevelWith(height, area) ? height : null, lookedAt: this.cursor.pixel ?? height, text };
  }

  /** The readout. The last parameter replaces the values of the point. */
  private textOf(
    curve: TimelineWindow,
    index: number,
    { event, x, live } = { event: curve.event[index], x: curve.x[index], live: curve.live[index] },
  ): string {
    // On a small part of the byte axis, three digits do not distinguish values.
    const amount = this.store.get().heights === null ? byteText : formatExactBytes;
    const amounts = [`${amount(live)} ${strings.live.toLowerCase()}`];
    if (curve.reserved !== null) amounts.push(`${amount(curve.reserved[index])} ${strings.reserved.toLowerCase()}`);
    const changed = this.changed(curve);
    const at = changed === null || x > changed.end ? -1 : lastAtOrBelow(changed.x, x);
    const other =
      changed === null || at < 0 ? [] : [t('{0} reserved with {1}', amount(changed.values[at]), changed.name)];
    const { from, to } = this.visible(curve);
    const instant = strings.instant(curve.axis === 'time' ? x : null, event, !curve.hasAllocations, (to - from) / 1000);
    return [amounts.join(' \u00b7 '), ...other, instant].join('\n');
  }

  /** Reserved memory with the chosen change, if that is on the axis of the curve. */
  private changed(curve: TimelineWindow): ReservedAnswer | null {
    const { reservedWith } = this.store.get();
    return reservedWith !== null && isShown(reservedWith, { selection: curve }) && reservedWith.axis === curve.axis
      ? reservedWith
      : null;
  }

  private visible(curve: TimelineWindow): Range {
    return this.store.get().range ?? drawableExtent(curve.extent);
  }

  private area(): PlotArea | null {
    return this.chart.area();
  }

  private withCurve(use: (curve: TimelineWindow, area: PlotArea, visible: Range) => void): void {
    const { curve } = this.store.get();
    const area = this.area();
    if (curve !== null && area !== null) use(curve, area, this.visible(curve));
  }
}
