import type { Recording } from '../model/recording.js';
import type { RunCurve, RunPart } from './runCurve.js';
import type { Run } from './runs.js';
import { everySo } from '../attribution/steps/stepMarks.js';
import { doneBefore } from '../attribution/steps/stepNumbers.js';
import type { TraceSpan } from '../digest/traceSpan.js';

/** The start of a step in a snapshot's own part of its run. */
interface PlacedStep {
  x: number;
  /** How many steps were done before it. */
  done: number;
}

/** Where a step of a run begins. */
export interface RunStep {
  x: number;
  /** The number of the step, from 1 on, as the snapshots count. */
  number: number;
  /** True where steps are identified by their rhythm. */
  isGuess: boolean;
}

/** A run and the examined part. */
export interface RunOfDevice {
  run: Pick<Run, 'snapshots'>;
  device: number;
}

/** The first step of a trace may have begun before it, and one after the last may just have. */
const SLACK = 1;

/**
 * The steps along a run's curve, if snapshots and traces count the same: all, or every second, fifth, tenth….
 * @param pixels width of the curve
 */
export function runSteps(curve: RunCurve, of: RunOfDevice, pixels: number): RunStep[] {
  const all: RunStep[] = [];
  for (const { span, steps, areCounted } of stepsByPart(curve, of)) {
    const isGuess = span?.stepSource === 'period';
    if (areCounted) for (const { x, done } of steps) all.push({ x, number: done + 1, isGuess });
  }
  return everySo(all, pixels);
}

/** A part of a run's curve with its steps. */
interface PartWithSteps {
  readonly part: RunPart;
  readonly span: TraceSpan | null;
  /** How many steps were done when its snapshot was taken; null if unknown. */
  readonly step: number | null;
  /** The steps that begin in it, ascending; none if their number or the trace is not known. */
  readonly steps: readonly PlacedStep[];
  /** True if its snapshot counts the steps of its trace. */
  readonly areCounted: boolean;
}

/** The parts of a run's curve, each with its steps. */
export function* stepsByPart(curve: RunCurve, { run, device }: RunOfDevice): Generator<PartWithSteps> {
  let before: number | null = null;
  for (const part of curve.parts) {
    const digest = run.snapshots.find(({ path }) => path === part.path);
    const span = digest?.spans.find((one) => one.device === device) ?? null;
    const step = stepsDone(curve, part, span);
    const known = span === null || step === null ? null : { span, step, before };
    yield {
      ...{ part, span, step },
      steps: known === null ? [] : stepsOfPart(curve, part, known, digest?.recording ?? null),
      areCounted: known !== null && countsSteps(part, known.span, known.step, before),
    };
    before = step;
  }
}

/**
 * False if the snapshots count something other than the steps of the trace, such as epochs. A trace that begins later
 * may show fewer steps.
 */
function countsSteps(part: RunPart, { starts }: TraceSpan, step: number, before: number | null): boolean {
  const shown = starts.reduce((sum, ordinal) => sum + Number(ordinal >= part.fresh), 0);
  const counted = step - (before ?? 0);
  return shown <= counted + SLACK && (part.before !== 'joined' || before === null || shown >= counted - SLACK);
}

/** How many steps were done when a snapshot was taken; a snapshot on its own is counted from its trace. */
function stepsDone({ parts }: RunCurve, { step }: RunPart, span: TraceSpan | null): number | null {
  if (step !== null) return step;
  return parts.length === 1 && span !== null && span.starts.length > 0 ? span.starts.length : null;
}

/**
 * The steps that begin in a part, ascending.
 * @param known `step`: at its snapshot; `before`: at the previous one, null if unknown
 */
function stepsOfPart(
  curve: RunCurve,
  part: RunPart,
  { span, step, before }: { span: TraceSpan; step: number; before: number | null },
  recording: Recording | null,
): PlacedStep[] {
  const { starts, startsUs } = span;
  const counted = startsUs === null ? null : doneBefore(startsUs, recording);
  const fresh = part.before === 'joined' && before !== null ? Math.max(0, step - before) : starts.length;
  const placed: PlacedStep[] = [];
  // Who counted them knows of one that was not over yet when the snapshot was taken.
  for (let back = counted === null ? Math.min(fresh, starts.length, step) : starts.length; back > 0; back--) {
    const x = placeOf(starts.length - back, span, part, curve);
    if (x !== null) placed.push({ x, done: counted?.[starts.length - back] ?? step - back });
  }
  return placed;
}

/** Where one of the steps of a part's trace begins; null if the part has it not. */
function placeOf(index: number, { starts, startsUs }: TraceSpan, part: RunPart, curve: RunCurve): number | null {
  const { fresh, from, to, events } = part;
  const ordinal = starts[index];
  if (ordinal < fresh) return null;
  // Each snapshot has its own clock: times before the end of the previous part are moved to it.
  if (curve.startUs !== null && startsUs !== null) return Math.min(to, Math.max(from, startsUs[index] - curve.startUs));
  return Math.max(from, to - (events - 1 - ordinal));
}
