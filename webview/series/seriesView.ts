/** Curves over each other: the picture, where a cursor reads all of them, and the same as a table. */
import type { SeriesAnswer, SeriesRef } from '../../src/protocol/compareData.js';
import { lastAtOrBelow } from '../model/points.js';
import { pixelOf, valueAt } from '../chart/plot.js';
import { el, oncePerFrame, setText } from '../ui/dom.js';
import { formatDuration } from '../text/duration.js';
import { byteText, countText } from '../../src/core/text/numberText.js';
import { strings } from '../text/strings.js';
import { readTheme, watchTheme } from '../ui/theme.js';
import { drawSeries, letterOf, plotArea } from './seriesPicture.js';
import { t } from '../../src/core/text/translate.js';

/** A key moves the cursor by this share of the axis. */
const KEY_STEP = 0.01;
const LARGE_KEY_STEP = 0.1;

interface SeriesView {
  readonly element: HTMLElement;
  show(answer: SeriesAnswer | null): void;
  /** The drawn series, or null. */
  picture(): HTMLCanvasElement | null;
}

/** @param nameOf the user's name of a series */
export function createSeriesView(nameOf: (series: SeriesRef) => string): SeriesView {
  const canvas = el('canvas', { 'aria-hidden': 'true' });
  const line = el('div', { class: 'cursor-line' });
  const readout = el('div', { class: 'readout' });
  // A slider over the axis: assistive technology knows its keys, and reads the values when it moves.
  const plot = el(
    'div',
    { class: 'series-plot', role: 'slider', tabindex: '0', 'aria-label': strings.series, 'aria-valuemin': '0' },
    canvas,
    el('div', { class: 'overlay', 'aria-hidden': 'true' }, line, readout),
  );
  let answer: SeriesAnswer | null = null;
  let cursor: number | null = null;

  const layout = (): { width: number; height: number } => ({ width: plot.clientWidth, height: plot.clientHeight });
  const placeCursor = (): void => {
    line.hidden = readout.hidden = answer === null || cursor === null;
    if (answer === null) return;
    const at = cursor ?? answer.extent.to;
    const text = readoutText(answer, at, nameOf);
    plot.setAttribute('aria-valuemax', '100');
    const { from, to } = answer.extent;
    plot.setAttribute('aria-valuenow', String(Math.round(((at - from) / (to - from)) * 100)));
    plot.setAttribute('aria-valuetext', text.join('; '));
    if (cursor === null) return;
    const area = plotArea(layout(), readTheme(plot));
    const x = pixelOf(cursor, area, answer.extent);
    line.style.left = readout.style.left = `${x}px`;
    line.style.top = readout.style.top = `${area.top}px`;
    line.style.height = `${area.height}px`;
    readout.classList.toggle('to-left', x > area.left + area.width / 2);
    setText(readout, text.join('\n'));
  };
  const draw = oncePerFrame(() => {
    const { width, height } = layout();
    const ink = canvas.getContext('2d');
    if (answer === null || width === 0 || ink === null) return;
    const scale = window.devicePixelRatio;
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    ink.scale(scale, scale);
    drawSeries(ink, answer, { width, height }, readTheme(plot));
    placeCursor();
  });
  const moveTo = (x: number | null): void => {
    if (answer === null) return;
    cursor = x === null ? null : Math.min(Math.max(x, answer.extent.from), answer.extent.to);
    placeCursor();
  };
  plot.addEventListener('mousemove', (event) => {
    if (answer === null) return;
    const area = plotArea(layout(), readTheme(plot));
    moveTo(valueAt(event.clientX - plot.getBoundingClientRect().left, area, answer.extent));
  });
  plot.addEventListener('mouseleave', () => {
    if (document.activeElement !== plot) moveTo(null);
  });
  plot.addEventListener('blur', () => moveTo(null));
  plot.addEventListener('focus', () => {
    if (answer !== null && cursor === null) moveTo(answer.extent.to);
  });
  plot.addEventListener('keydown', (event) => {
    if (answer === null) return;
    const { from, to } = answer.extent;
    const here = cursor ?? to;
    const step = (to - from) * (event.ctrlKey || event.metaKey ? LARGE_KEY_STEP : KEY_STEP);
    const next = {
      ArrowLeft: here - step,
      ArrowDown: here - step,
      ArrowRight: here + step,
      ArrowUp: here + step,
      PageDown: here - (to - from) * LARGE_KEY_STEP,
      PageUp: here + (to - from) * LARGE_KEY_STEP,
      Home: from,
      End: to,
    }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    moveTo(next);
  });
  watchTheme(draw);
  new ResizeObserver(draw).observe(plot);
  return {
    element: plot,
    show: (next) => {
      if (next === answer) return;
      answer = next;
      cursor = answer !== null && document.activeElement === plot ? answer.extent.to : null;
      draw();
    },
    picture: () => (answer === null ? null : canvas),
  };
}

/** The live bytes of a series at a place of the axis, null if unknown. */
function liveAtPlace({ x, live, parts }: SeriesAnswer['curves'][number], at: number): number | null {
  for (const { first, end, to, hasTrace, liveBytes } of parts) {
    if (!hasTrace) {
      if (at === to) return liveBytes;
      continue;
    }
    if (end === first || at < x[first] || at > to) continue;
    return live[first + Math.max(0, lastAtOrBelow(x.subarray(first, end), at))];
  }
  return null;
}

function readoutText(answer: SeriesAnswer, at: number, nameOf: (series: SeriesRef) => string): string[] {
  const number = countText(Math.round(at));
  const place = { time: formatDuration(at), step: t('step {0}', number), events: t('event {0}', number) }[answer.axis];
  const values = answer.curves.map((curve, index) => {
    const bytes = liveAtPlace(curve, at);
    return `${letterOf(index)} ${nameOf(curve)}: ${bytes === null ? strings.unknown : byteText(bytes)}`;
  });
  return [place, ...values];
}
