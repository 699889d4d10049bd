import type { RunCurve } from './runCurve.js';
import { recordingOf, spanOf, stepsDone, stepsOfPart, type RunOfDevice } from './runSteps.js';

/** From a place on the axis of a run's curve to steps: as many as were done there. */
export type StepScale = (x: number) => number;

interface Anchor {
  x: number;
  step: number;
}

/**
 * The steps along a run's curve: known where snapshots were taken and where a trace shows steps begin, in proportion
 * between them.
 * @returns null where fewer than two places are known
 */
export function stepScale(curve: RunCurve, { run, device }: RunOfDevice): StepScale | null {
  const anchors: Anchor[] = [];
  const add = (anchor: Anchor): void => {
    const last = anchors.at(-1);
    if (last === undefined || (anchor.x > last.x && anchor.step > last.step)) anchors.push(anchor);
  };
  let before: number | null = null;
  for (const part of curve.parts) {
    const span = spanOf(run, part, device);
    const step = stepsDone(curve, part, span);
    if (step === null) return null;
    if (span !== null) {
      const steps = stepsOfPart(curve, part, { span, step, before }, recordingOf(run, part));
      for (const { x, done } of steps) add({ x, step: done });
    }
    add({ x: part.to, step });
    before = step;
  }
  if (anchors.length === 0) return null;
  if (anchors.length > 1) return (x) => stepAt(anchors, x);
  // A snapshot without a trace is a point.
  return curve.parts.every(({ events }) => events === 0) ? () => anchors[0].step : null;
}

/** In proportion between two anchors, and on beyond the outermost as between the two next to them. */
function stepAt(anchors: readonly Anchor[], x: number): number {
  let next = 1;
  while (next + 1 < anchors.length && anchors[next].x < x) next++;
  const [low, high] = [anchors[next - 1], anchors[next]];
  const step = low.step + ((x - low.x) / (high.x - low.x)) * (high.step - low.step);
  // What sets a training up may take long: it has the room of one step.
  return Math.max(anchors[0].step - 1, step);
}
