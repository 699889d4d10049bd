/** Draws the overview of a run: its curve, its gaps, and its snapshots. */
import type { RunCurve } from '../../src/protocol/runData.js';
import { lastAtOrBelow } from '../model/points.js';
import { IN_REACH } from '../model/range.js';
import { apart, drawLabeled, type LabeledMark } from '../chart/marks.js';
import { pixelOf, valueAt, type PlotArea } from '../chart/plot.js';
import { traceSteps } from '../chart/steppedCurve.js';
import { MARK_SIGNS } from '../text/strings.js';
import type { ChartTheme } from '../ui/theme.js';
import { partName, stepName } from './runText.js';

/** The place of the curve, in pixels of the page. */
interface RunArea {
  width: number;
  height: number;
  /** Height of the labels above the curve. */
  top: number;
}

/** Distance of the lines of a hatching, in pixels. */
const HATCH = 6;
const DOT = 2.5;

/** The snapshot and the event that cover a pixel; the nearest snapshot where nothing was recorded. */
export function placeAt(run: RunCurve, pixel: number, width: number): { part: number; event: number | null } {
  const x = valueAt(pixel, { left: 0, width }, run.extent);
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
  { width, height, top }: RunArea,
  shown: number,
): void {
  const highest = run.live.reduce((most, bytes) => Math.max(most, bytes), 1);
  const reserved = run.reserved?.reduce((most, bytes) => Math.max(most, bytes), 1) ?? 1;
  const ceiling = (reserved > highest * IN_REACH ? highest : Math.max(highest, reserved)) * 1.05;
  const area = { left: 0, top, width, height: height - top };
  const xOf = (x: number): number => pixelOf(x, area, run.extent);
  // Lines in the middle of pixels are sharp. Any value above zero is at least a pixel high.
  const floor = height - 0.5;
  const yOf = (bytes: number): number =>
    Math.max(top, Math.min(floor - (bytes / ceiling) * (floor - top), bytes > 0 ? floor - 1 : floor));
  ink.clearRect(0, 0, width, height);
  ink.lineWidth = 1;
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
    if (part.end === part.first) return;
    const trace = (values: Float64Array): ReturnType<typeof traceSteps> => {
      const of = (column: Float64Array): Float64Array => column.subarray(part.first, part.end);
      ink.beginPath();
      return traceSteps(ink, { x: of(run.x), values: of(values), end: part.to }, run.extent, area, yOf);
    };
    if (run.reserved !== null) {
      trace(run.reserved);
      ink.setLineDash([6, 3]);
      ink.strokeStyle = theme.reserved;
      ink.stroke();
      ink.setLineDash([]);
    }
    const drawn = trace(run.live);
    ink.strokeStyle = theme.live;
    ink.stroke();
    if (drawn === null) return;
    ink.lineTo(drawn.right, floor);
    ink.lineTo(drawn.left, floor);
    ink.fillStyle = theme.liveFill;
    ink.fill();
  });
  drawRunMarks(ink, run, theme, area, shown);
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

function drawRunMarks(
  ink: CanvasRenderingContext2D,
  run: RunCurve,
  theme: ChartTheme,
  area: PlotArea,
  shown: number,
): void {
  const pixel = (x: number): number => pixelOf(x, area, run.extent);
  const of = (kind: LabeledMark['kind'], x: number, text: string, rank: number): LabeledMark => ({
    kind,
    pixel: pixel(x),
    text,
    rank,
  });
  const snapshots = run.parts.map((part, index) =>
    of('snapshot', part.to, `${MARK_SIGNS.snapshot} ${partName(part)}`, index === shown ? 3 : 1),
  );
  const marks = [
    ...apart(run.steps, ({ x }) => pixel(x)).map((step) => of('step', step.x, stepName(step), 0)),
    ...run.collected.map(({ x }) => of('collector', x, MARK_SIGNS.collector, 0.5)),
    ...run.outOfMemory.map(({ x }) => of('outOfMemory', x, MARK_SIGNS.outOfMemory, 2)),
    ...snapshots,
  ];
  drawLabeled(ink, area, marks, theme);
}
