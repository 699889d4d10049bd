/** Draws the overview of a run: its curve, what no trace has, and where its snapshots were taken. */
import type { RunCurve } from '../../src/protocol/runData.js';
import { apart } from '../chart/apart.js';
import { lastAtOrBelow } from '../chart/points.js';
import { placeLabels } from '../chart/labels.js';
import { MARK_DASHES } from '../chart/marks.js';
import { MARK_SIGNS } from '../strings.js';
import type { ChartTheme } from '../theme.js';
import { partName, stepName } from './runText.js';

/** Where the curve lies, in pixels of the page. */
export interface RunArea {
  width: number;
  height: number;
  /** Height of the labels above the curve. */
  top: number;
}

/** Distance of the lines of a hatching, in pixels. */
const HATCH = 6;
const DOT = 2.5;

export function pixelOfRun({ extent }: RunCurve, x: number, width: number): number {
  return ((x - extent.from) / (extent.to - extent.from)) * width;
}

/** The snapshot and the event that cover a pixel; the nearest snapshot where nothing was recorded. */
export function placeAt(run: RunCurve, pixel: number, width: number): { part: number; event: number | null } {
  const x = run.extent.from + (pixel / width) * (run.extent.to - run.extent.from);
  const within = run.parts.findIndex(({ from, to, end, first }) => from <= x && x <= to && end > first);
  if (within >= 0) {
    const { first, end, events } = run.parts[within];
    const index = lastAtOrBelow(run.x.subarray(first, end), x);
    return { part: within, event: events === 0 ? null : run.event[first + Math.max(0, index)] };
  }
  const far = run.parts.map(({ from, to }) => Math.min(Math.abs(from - x), Math.abs(to - x)));
  const part = far.indexOf(Math.min(...far));
  const { from, first, end, events } = run.parts[part];
  const begins = events > 0 && end > first && x < from;
  return { part, event: begins ? run.event[first] : null };
}

/** @param shown index of the snapshot that is shown below, -1 for none */
export function drawRun(
  ink: CanvasRenderingContext2D,
  run: RunCurve,
  theme: ChartTheme,
  area: RunArea,
  shown: number,
): void {
  const { width, height, top } = area;
  const highest = run.live.reduce((most, bytes) => Math.max(most, bytes), 1);
  const reserved = run.reserved?.reduce((most, bytes) => Math.max(most, bytes), 1) ?? 1;
  const ceiling = Math.max(highest, reserved) * 1.05;
  const xOf = (x: number): number => pixelOfRun(run, x, width);
  // Lines in the middle of pixels are sharp; what is not nothing is a pixel above it, however little it is.
  const floor = height - 0.5;
  const yOf = (bytes: number): number =>
    Math.min(floor - (bytes / ceiling) * (floor - top), bytes > 0 ? floor - 1 : floor);
  ink.clearRect(0, 0, width, height);
  run.parts.forEach((part, index) => {
    const before = index === 0 ? run.extent.from : run.parts[index - 1].to;
    if (part.before !== 'joined' && part.from > before) {
      hatch(ink, { from: xOf(before), to: xOf(part.from), top, bottom: height }, theme);
    }
    if (part.events === 0) {
      ink.fillStyle = theme.live;
      ink.beginPath();
      ink.arc(xOf(part.from), yOf(part.liveBytes), DOT, 0, 2 * Math.PI);
      ink.fill();
      return;
    }
    const values = { first: part.first, end: part.end, xOf, to: xOf(part.to) };
    if (run.reserved !== null) {
      ink.setLineDash([6, 3]);
      ink.strokeStyle = theme.reserved;
      strokeSteps(ink, run.x, run.reserved, { ...values, yOf });
      ink.setLineDash([]);
    }
    fillSteps(ink, run, theme, { ...values, yOf, floor: height });
    ink.strokeStyle = theme.live;
    strokeSteps(ink, run.x, run.live, { ...values, yOf });
  });
  drawMarks(ink, run, theme, area, shown);
}

interface Steps {
  first: number;
  end: number;
  to: number;
  xOf: (x: number) => number;
  yOf: (bytes: number) => number;
}

function trace(ink: CanvasRenderingContext2D, x: Float64Array, values: Float64Array, steps: Steps): void {
  const { first, end, to, xOf, yOf } = steps;
  for (let point = first; point < end; point++) {
    if (point === first) ink.moveTo(xOf(x[point]), yOf(values[point]));
    else {
      ink.lineTo(xOf(x[point]), yOf(values[point - 1]));
      ink.lineTo(xOf(x[point]), yOf(values[point]));
    }
  }
  if (end > first) ink.lineTo(to, yOf(values[end - 1]));
}

function strokeSteps(ink: CanvasRenderingContext2D, x: Float64Array, values: Float64Array, steps: Steps): void {
  ink.lineWidth = 1;
  ink.beginPath();
  trace(ink, x, values, steps);
  ink.stroke();
}

function fillSteps(
  ink: CanvasRenderingContext2D,
  run: RunCurve,
  theme: ChartTheme,
  steps: Steps & { floor: number },
): void {
  if (steps.end === steps.first) return;
  ink.fillStyle = theme.liveFill;
  ink.beginPath();
  trace(ink, run.x, run.live, steps);
  ink.lineTo(steps.to, steps.floor);
  ink.lineTo(steps.xOf(run.x[steps.first]), steps.floor);
  ink.fill();
}

function hatch(
  ink: CanvasRenderingContext2D,
  { from, to, top, bottom }: { from: number; to: number; top: number; bottom: number },
  theme: ChartTheme,
): void {
  ink.save();
  ink.beginPath();
  ink.rect(from, top, to - from, bottom - top);
  ink.clip();
  ink.strokeStyle = theme.step;
  ink.lineWidth = 1;
  ink.beginPath();
  const height = bottom - top;
  for (let x = Math.floor((from - height) / HATCH) * HATCH; x < to; x += HATCH) {
    ink.moveTo(x, bottom);
    ink.lineTo(x + height, top);
  }
  ink.stroke();
  ink.restore();
}

function drawMarks(
  ink: CanvasRenderingContext2D,
  run: RunCurve,
  theme: ChartTheme,
  { width, height, top }: RunArea,
  shown: number,
): void {
  ink.font = `${theme.fontSize * 0.85}px ${theme.fontFamily}`;
  ink.textBaseline = 'bottom';
  const line = (x: number, colour: string, dash: number[]): void => {
    ink.strokeStyle = colour;
    ink.setLineDash(dash);
    ink.beginPath();
    ink.moveTo(x, top);
    ink.lineTo(x, height);
    ink.stroke();
    ink.setLineDash([]);
  };
  const told = apart(run.steps, ({ x }) => pixelOfRun(run, x, width));
  const steps = told.map((step) => ({
    x: step.x,
    text: stepName(step),
    rank: 0,
    colour: theme.step,
    dash: MARK_DASHES.step,
  }));
  const failures = run.outOfMemory.map(({ x }) => ({
    x,
    text: MARK_SIGNS.outOfMemory,
    rank: 2,
    colour: theme.outOfMemory,
    dash: MARK_DASHES.outOfMemory,
  }));
  const collections = run.collected.map(({ x }) => ({
    x,
    text: MARK_SIGNS.collector,
    rank: 0.5,
    colour: theme.collector,
    dash: MARK_DASHES.collector,
  }));
  const snapshots = run.parts.map((part, index) => ({
    x: part.to,
    text: `${MARK_SIGNS.snapshot} ${partName(part)}`,
    rank: index === shown ? 3 : 1,
    colour: theme.snapshot,
    dash: MARK_DASHES.snapshot,
  }));
  const marks = [...steps, ...collections, ...failures, ...snapshots];
  for (const { x, colour, dash } of marks) line(pixelOfRun(run, x, width), colour, dash);
  const wishes = marks.map(({ x, text, rank }) => ({
    centre: pixelOfRun(run, x, width),
    width: ink.measureText(text).width,
    rank,
  }));
  if (top === 0) return;
  placeLabels(wishes, 0, width, theme.fontSize / 2).forEach((left, index) => {
    if (left === null) return;
    ink.fillStyle = marks[index].colour;
    ink.fillText(marks[index].text, left, top - 2);
  });
}
