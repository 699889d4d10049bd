/** The overview of a run: the place of the view in it, and access to other snapshots. */
import { visibleLines } from '../../src/core/text/plainText.js';
import type { RunCurve } from '../../src/protocol/runData.js';
import type { TimelineWindow } from '../../src/protocol/timelineData.js';
import { pixelOf, valueAt } from '../chart/plot.js';
import type { Range } from '../model/range.js';
import { el, oncePerFrame } from '../ui/dom.js';
import { createFailure } from '../parts/message.js';
import type { Store } from '../model/store.js';
import { t } from '../../src/core/text/translate.js';
import { readTheme, watchTheme } from '../ui/theme.js';
import { resize, type ViewState } from '../model/viewState.js';
import type { TimelineSession } from '../actions/session.js';
import { drawRun, placeAt } from './runPicture.js';
import type { Question } from '../model/question.js';
import { runOf } from '../model/questions.js';
import { partText, runSummary } from './runText.js';

export function createRunView(
  store: Store<ViewState>,
  session: TimelineSession,
  runs: Question<'runCurve'>,
): HTMLElement {
  const label = t('The whole run');
  const hint = t(
    'Drag: choose the view · Click: show the snapshot of that instant · Arrow keys: from snapshot to snapshot',
  );
  const failure = createFailure(() => runs.retry());
  const canvas = el('canvas', { 'aria-hidden': 'true' });
  const shown = el('div', { class: 'shown' });
  // A slider over the snapshots: assistive technology knows its keys, and reads its value when it changes.
  const strip = el(
    'div',
    {
      class: 'run-strip',
      title: hint,
      role: 'slider',
      tabindex: '0',
      'aria-label': label,
      'aria-roledescription': t('snapshots of the run'),
      'aria-valuemin': '1',
    },
    canvas,
    shown,
  );
  const view = el('section', { class: 'run', 'aria-label': label }, failure.element, strip);
  const current = (): number => {
    const run = runOf(runs);
    const { selection } = store.get();
    return run?.parts.findIndex(({ path }) => path === selection?.path) ?? -1;
  };
  const along = () => ({ left: 0, width: strip.clientWidth });
  const placeBrush = (): void => {
    const run = runOf(runs);
    const brush = run === null ? null : brushOf(run, current(), store.get());
    shown.hidden = brush === null;
    if (run === null || brush === null) return;
    const area = along();
    const left = Math.max(0, pixelOf(brush.from, area, run.extent));
    shown.style.left = `${left}px`;
    shown.style.width = `${Math.min(area.width, pixelOf(brush.to, area, run.extent)) - left}px`;
  };
  // Each frame of a zoom moves the brush; the picture under it stays.
  const moveBrush = oncePerFrame(placeBrush);
  const draw = oncePerFrame(() => {
    const run = runOf(runs);
    const { clientWidth: width, clientHeight: height } = strip;
    if (run === null || width === 0 || height === 0) return;
    const scale = window.devicePixelRatio;
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    const ink = canvas.getContext('2d');
    const theme = readTheme(strip);
    // The one snapshot of a run is named in the toolbar.
    const top = run.parts.length === 1 ? 0 : Math.round(theme.fontSize * 1.5);
    const index = current();
    if (ink !== null) {
      ink.scale(scale, scale);
      drawRun(ink, run, theme, { width, height, top }, index);
    }
    shown.style.top = `${top}px`;
    placeBrush();
  });
  const describe = (): void => {
    const run = runOf(runs);
    const { error } = runs.store.get();
    failure.show(error === null ? null : t('The whole run could not be shown: {0}', error));
    // An empty strip occupies its place during the request, so that the chart does not move.
    const { choices, selection, curve } = store.get();
    const own = choices?.find(({ path }) => path === selection?.path);
    const alone = choices?.filter((choice) => choice.run === own?.run).length === 1;
    view.classList.toggle('alone', alone);
    view.hidden = own?.kind !== 'snapshot' || (alone && curve?.events === 0);
    const index = current();
    if (run === null) return;
    strip.title = visibleLines(`${runSummary(run)}\n${hint}`);
    strip.setAttribute('aria-valuemax', String(run.parts.length));
    strip.setAttribute('aria-valuenow', String(index + 1));
    strip.setAttribute('aria-valuetext', index < 0 ? '' : partText(run, index));
    draw();
  };
  runs.store.watch(describe);
  store.follow(({ selection, choices, curve }) => [selection, choices, curve?.events], describe);
  store.follow(({ range, curve }) => [range, curve], moveBrush);
  watchTheme(draw);
  new ResizeObserver(() => {
    resize(store, { runPixels: view.clientWidth });
    draw();
  }).observe(view);

  const shownRun = (): { run: RunCurve; index: number } | null => {
    const run = runOf(runs);
    const index = current();
    return run === null || index < 0 ? null : { run, index };
  };
  listenForBrush(strip, {
    brush: () => {
      const of = shownRun();
      const brush = of === null || store.get().range === null ? null : brushOf(of.run, of.index, store.get());
      if (of === null || brush === null) return null;
      const pixel = (x: number): number => pixelOf(x, along(), of.run.extent);
      return { from: pixel(brush.from), to: pixel(brush.to) };
    },
    move: (pixels) => {
      const of = shownRun();
      const { curve } = store.get();
      const shift = of === null || curve === null ? null : shiftOf(of.run, of.index, curve);
      if (of === null || shift === null) return;
      const x = (pixel: number): number => valueAt(pixel, along(), of.run.extent) - shift;
      session.setRange({ from: x(pixels.from), to: x(pixels.to) });
    },
    click: (pixel) => {
      const run = runOf(runs);
      if (run === null) return;
      const place = placeAt(run, pixel, strip.clientWidth);
      session.showPart(run, place.part, place.event);
    },
  });
  strip.addEventListener('keydown', (event) => {
    const run = runOf(runs);
    const index = current();
    const next = {
      ArrowLeft: index - 1,
      ArrowDown: index - 1,
      ArrowRight: index + 1,
      ArrowUp: index + 1,
      Home: 0,
      End: run === null ? 0 : run.parts.length - 1,
    }[event.key];
    if (next === undefined || run === null) return;
    event.preventDefault();
    const to = Math.min(Math.max(next, 0), run.parts.length - 1);
    if (to !== index) session.showPart(run, to);
  });
  return view;
}

/** The offset from a snapshot's own axis to the run's; null without a common unit. */
function shiftOf(run: RunCurve, part: number, curve: TimelineWindow): number | null {
  if (run.axis !== curve.axis || run.parts[part].path !== curve.path) return null;
  if (run.axis === 'events') return run.parts[part].to - (curve.events - 1);
  return run.startUs === null || curve.startUs === null ? null : curve.startUs - run.startUs;
}

/** The visible part of the run; of a snapshot on another axis, its own part. */
function brushOf(run: RunCurve, part: number, { curve, range }: ViewState): Range | null {
  if (part < 0) return null;
  const shift = curve === null ? null : shiftOf(run, part, curve);
  if (curve === null || shift === null) return run.parts[part];
  const { from, to } = range ?? curve.extent;
  return { from: from + shift, to: to + shift };
}

/** Less is a click, in pixels. */
const CLICK_TOLERANCE = 4;

interface BrushHandlers {
  /** Pixels of the strip that the brush covers; null while all of it. */
  brush(): Range | null;
  move(pixels: Range): void;
  click(pixel: number): void;
}

/** The brush of the overview: its visible part. Dragging moves it, or draws another. */
function listenForBrush(strip: HTMLElement, on: BrushHandlers): void {
  let drag: { start: number; from: Range | null; moved: boolean } | null = null;
  const pixelOf = (event: PointerEvent): number => event.clientX - strip.getBoundingClientRect().left;
  strip.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    const start = pixelOf(event);
    const brush = on.brush();
    drag = { start, from: brush !== null && start >= brush.from && start <= brush.to ? brush : null, moved: false };
    strip.setPointerCapture(event.pointerId);
  });
  strip.addEventListener('pointermove', (event) => {
    if (drag === null) return;
    const pixel = pixelOf(event);
    const { start, from } = drag;
    drag.moved ||= Math.abs(pixel - start) > CLICK_TOLERANCE;
    if (!drag.moved) return;
    if (from === null) on.move({ from: Math.min(start, pixel), to: Math.max(start, pixel) });
    else on.move({ from: from.from + pixel - start, to: from.to + pixel - start });
  });
  strip.addEventListener('pointerup', (event) => {
    const ended = drag;
    drag = null;
    if (ended?.moved === false) on.click(pixelOf(event));
  });
  strip.addEventListener('pointercancel', () => {
    drag = null;
  });
}
