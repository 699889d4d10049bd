import type { SnapshotDigest } from './digest.js';
import type { RunCurve, RunPart } from './runCurve.js';
import type { Run } from './runs.js';

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
export function stepScale(
  curve: RunCurve,
  { run, device }: { run: Pick<Run, 'snapshots'>; device: number },
): StepScale | null {
  const anchors: Anchor[] = [];
  const add = (anchor: Anchor): void => {
    const last = anchors.at(-1);
    if (last === undefined || (anchor.x > last.x && anchor.step > last.step)) anchors.push(anchor);
  };
  let before: number | null = null;
  for (const part of curve.parts) {
    const digest = run.snapshots.find(({ path }) => path === part.path);
    const starts = digest === undefined ? [] : startsOf(digest, device);
    const step = part.step ?? (curve.parts.length === 1 && starts.length > 0 ? starts.length : null);
    if (step === null) return null;
    const fresh = part.before === 'joined' && before !== null ? Math.max(0, step - before) : starts.length;
    for (let back = Math.min(fresh, starts.length, step); back > 0; back--) {
      const x = placeOf(starts[starts.length - back], part, curve);
      if (x !== null) add({ x, step: step - back });
    }
    add({ x: part.to, step });
    before = step;
  }
  if (anchors.length === 0) return null;
  if (anchors.length > 1) return (x) => stepAt(anchors, x);
  // A snapshot without a trace is a point.
  return curve.parts.every(({ events }) => events === 0) ? () => anchors[0].step : null;
}

function startsOf({ spans }: SnapshotDigest, device: number): ArrayLike<number> {
  return spans.find((span) => span.device === device)?.starts ?? [];
}

/** Where an event of a part's trace lies; null if it is before what the part has. */
function placeOf(ordinal: number, { first, end }: RunPart, { event, x }: RunCurve): number | null {
  let next = first;
  while (next < end && event[next] < ordinal) next++;
  if (next === end || (next === first && event[next] > ordinal)) return null;
  if (event[next] === ordinal) return x[next];
  const share = (ordinal - event[next - 1]) / (event[next] - event[next - 1]);
  return x[next - 1] + share * (x[next] - x[next - 1]);
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
