/** Draws snapshots, out-of-memory events, the garbage collector and steps over the curve. Each kind has its own line, sign and place. */
import type { TimelineMark } from '../../src/protocol/timelineData.js';
import type { ChartTheme } from '../ui/theme.js';
import { MARK_SIGNS } from '../text/strings.js';
import type { PlotArea } from './plot.js';

type Kind = TimelineMark['kind'];

/** Each kind has its own dashes: no meaning depends on color alone. */
const MARK_DASHES: Record<Kind, number[]> = { outOfMemory: [], snapshot: [4, 3], collector: [8, 3], step: [1, 3] };
/** The higher rank has priority without space for two labels. */
const RANKS: Record<Kind, number> = { outOfMemory: 3, snapshot: 2, collector: 1, step: 0 };

export function drawMarks(
  ctx: CanvasRenderingContext2D,
  area: PlotArea,
  marks: readonly TimelineMark[],
  pixelOf: (x: number) => number,
  theme: ChartTheme,
): void {
  const visible = marks
    .map((mark) => ({ mark, pixel: pixelOf(mark.x) }))
    .filter(({ pixel }) => pixel >= area.left - 0.5 && pixel <= area.left + area.width + 0.5);
  const steps = visible.filter(({ mark }) => mark.kind === 'step');
  const drawn = [...visible.filter(({ mark }) => mark.kind !== 'step'), ...apart(steps, ({ pixel }) => pixel)];
  const labeled = drawn.map(({ mark, pixel }, index): LabeledMark => {
    const { kind } = mark;
    // A label that each of many steps repeats has no information.
    const repeated = kind === 'step' && drawn.slice(0, index).some((other) => other.mark.label === mark.label);
    // Readout and table show the garbage collector's frees; here they would hide the steps.
    const label = kind === 'collector' ? '' : mark.label;
    const text = repeated ? '' : [MARK_SIGNS[kind], label].filter(Boolean).join(' ');
    return { kind, pixel, text, rank: RANKS[kind] };
  });
  drawLabeled(ctx, area, labeled, theme);
}

export interface LabeledMark {
  kind: Kind;
  /** Along the x axis. */
  pixel: number;
  text: string;
  /** The higher has its label first. */
  rank: number;
}

/** Draws lines over an area, and their labels above it as far as there is room. */
export function drawLabeled(
  ctx: CanvasRenderingContext2D,
  { left, top, width, height }: PlotArea,
  marks: readonly LabeledMark[],
  theme: ChartTheme,
): void {
  ctx.save();
  ctx.lineWidth = 1;
  for (const { kind, pixel } of marks) {
    const x = Math.round(pixel) + 0.5;
    ctx.beginPath();
    ctx.strokeStyle = theme[kind];
    ctx.setLineDash(MARK_DASHES[kind]);
    ctx.moveTo(x, top);
    ctx.lineTo(x, top + height);
    ctx.stroke();
  }
  ctx.font = `${theme.fontSize * 0.85}px ${theme.fontFamily}`;
  ctx.textAlign = 'left';
  ctx.textBaseline = 'bottom';
  const wishes = marks.map(({ pixel, text, rank }) => ({ center: pixel, width: ctx.measureText(text).width, rank }));
  const places = top === 0 ? [] : placeLabels(wishes, left, left + width, theme.fontSize / 2);
  places.forEach((at, index) => {
    if (at === null) return;
    ctx.fillStyle = theme[marks[index].kind];
    ctx.fillText(marks[index].text, at, top - 2);
  });
  ctx.restore();
}

interface LabelWish {
  /** Pixels. */
  center: number;
  width: number;
  /** The higher comes first. */
  rank: number;
}

/**
 * The labels that fit between `left` and `right`. A label near an end moves inside; of two that touch, the higher rank,
 * then the earlier, is shown.
 * @returns the left edge of each label in pixels, or null if it is omitted
 */
export function placeLabels(wishes: readonly LabelWish[], left: number, right: number, gap: number): (number | null)[] {
  const taken: { from: number; to: number }[] = [];
  const places = new Array<number | null>(wishes.length).fill(null);
  const order = wishes.map((_, index) => index).sort((a, b) => wishes[b].rank - wishes[a].rank || a - b);
  for (const index of order) {
    const { center, width } = wishes[index];
    if (width > right - left) continue;
    const from = Math.min(Math.max(center - width / 2, left), right - width);
    const to = from + width;
    if (taken.some((other) => from < other.to + gap && to > other.from - gap)) continue;
    taken.push({ from, to });
    places[index] = from;
  }
  return places;
}

/** Lines closer together than this would be a gray wall, in pixels. */
const NARROWEST = 5;

/** The items of a list, ascending by pixels, without those that are too close to the previous one. */
export function apart<Item>(items: readonly Item[], pixelOf: (item: Item) => number): Item[] {
  let last = Number.NEGATIVE_INFINITY;
  return items.filter((item) => {
    const pixel = pixelOf(item);
    if (pixel - last < NARROWEST) return false;
    last = pixel;
    return true;
  });
}
