import type { Snapshot } from '../../model/snapshot.js';
import { hasLostEvents } from '../../model/lostEvents.js';
import type { DeviceHistory } from '../../model/history.js';
import { HistoryAxis, type Stretch } from '../../model/historyAxis.js';
import { doneBefore, type CountedSteps } from './stepNumbers.js';
import type { Steps } from './steps.js';

/** Where a step begins. */
interface StepMark {
  x: number;
  kind: 'step';
  /**
   * The recorder's number, else a number from 1, with `~` if steps come from a rhythm; for too few steps, the scope's
   * name.
   */
  label: string;
  /** If the trace lost an unknown number of first steps, the last step is −1. */
  fromEnd?: true;
}

/** Marks closer together than this would be a gray wall. */
const PIXELS_PER_MARK = 12;

/**
 * The steps that begin in a window: all, or every second, fifth, tenth… to keep them distinguishable.
 * @param known `steps` of the device, null if too few for numbers; `done` steps at the snapshot, null if unknown
 */
export function stepMarks(
  snapshot: Snapshot,
  history: DeviceHistory,
  { steps, recording, done = null }: { steps: Steps | null; recording: CountedSteps | null; done?: number | null },
  axis: HistoryAxis,
  window: Stretch,
  pixels: number,
): StepMark[] {
  const { device } = history.trace;
  const lostFirst = hasLostEvents(snapshot.warnings, device);
  const all =
    steps === null
      ? namedSteps(snapshot, history, axis)
      : numberedSteps(steps, history, recording, axis, lostFirst ? firstNumber(steps.starts.length, done) : 1);
  const marks = all.filter(({ x }) => x >= window.from && x <= window.to);
  return everySo(marks, pixels).map(({ x, label, number }) => ({
    x,
    kind: 'step',
    label,
    ...(number < 0 && { fromEnd: true }),
  }));
}

/** Steps of round numbers, as many as are distinguishable over these pixels. */
export function everySo<Step extends { number: number }>(steps: readonly Step[], pixels: number): Step[] {
  const every = roundUp(steps.length / Math.max(1, pixels / PIXELS_PER_MARK));
  return steps.filter(({ number }) => number % every === 0);
}

interface Begun {
  x: number;
  /** Among all steps, so that each window omits the same ones. */
  number: number;
  label: string;
}

function numberedSteps(
  { starts, source }: Steps,
  { startUs, time }: DeviceHistory,
  recording: CountedSteps | null,
  axis: HistoryAxis,
  first: number,
): Begun[] {
  const timed = startUs !== null && time !== null;
  const counted = timed
    ? doneBefore(
        Float64Array.from(starts, (ordinal) => startUs + time[ordinal]),
        recording,
      )
    : null;
  return Array.from(starts, (ordinal, i) => {
    const number = counted === null ? first + i : counted[i] + 1;
    const digits = number < 0 ? `\u2212${-number}` : String(number);
    return { x: axis.xOf(ordinal), number, label: `${source === 'period' ? '~' : ''}${digits}` };
  });
}

/** Number of the first step that a trace shows which lost those before: below 0, counted back from the last, if unknown. */
function firstNumber(shown: number, done: number | null): number {
  return done === null || done < shown ? -shown : done - shown + 1;
}

function namedSteps({ annotations, strings }: Snapshot, history: DeviceHistory, axis: HistoryAxis): Begun[] {
  const { startUs, time } = history;
  if (startUs === null || time === null) return [];
  const times = new HistoryAxis(history, 'time');
  const begun: Begun[] = [];
  for (let i = 0; i < annotations.count; i++) {
    if (annotations.isStart[i] === 0) continue;
    const label = strings.text(annotations.name[i]);
    if (!/^(Optimizer\.step#|ProfilerStep#)/.test(label)) continue;
    const at = annotations.timeUs[i] - startUs;
    begun.push({ x: axis.axis === 'time' ? at : times.lowerBound(at), number: begun.length + 1, label });
  }
  return begun;
}

/** The next of 1, 2, 5, 10, 20, 50… */
function roundUp(min: number): number {
  let power = 1;
  while (power * 10 < min) power *= 10;
  return power * ([1, 2, 5, 10].find((factor) => factor * power >= min) ?? 10);
}
