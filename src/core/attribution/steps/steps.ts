import { getOrAdd } from '../../maps.js';
import { eventTime } from '../../model/eventTime.js';
import { Action, type DeviceTrace, type Snapshot } from '../../model/snapshot.js';
import type { Recording } from '../../model/recording.js';
import { countUpTo } from '../../model/ascending.js';
import { StackRole, StackRoles } from '../stackRole.js';
import { MIN_TURNS, trainingLoop } from './trainingLoop.js';

/** Where the steps of a trace begin. */
export interface Steps {
  source: 'recorder' | 'annotations' | 'period';
  /** False for a rhythm that may be that of an inner loop: a short one, or one without an optimizer in it. */
  isSure: boolean;
  /** The device whose trace they were found in. */
  device: number;
  /** Ordinals in that trace at which a step begins, ascending. */
  starts: Uint32Array;
}

const OPTIMIZER = 'Optimizer.step#';
const PROFILER = 'ProfilerStep#';

/**
 * Finds the training steps of the busiest device: from the recorder, else from scopes of optimizers and profiler, else
 * from the loop around the outermost module call. @returns null if there are fewer than three
 */
export function findSteps(
  snapshot: Snapshot,
  recording: Recording | null = null,
  roles = new StackRoles(snapshot),
): Steps | null {
  const trace = snapshot.traces.reduce<DeviceTrace | null>(
    (busiest, candidate) => (candidate.count > (busiest?.count ?? 0) ? candidate : busiest),
    null,
  );
  if (trace === null) return null;
  const recorded = recording === null ? null : recordedStarts(snapshot, trace, recording);
  if (recorded !== null) return { source: 'recorder', isSure: true, device: trace.device, starts: recorded };
  const annotated = annotatedStarts(snapshot, trace, roles);
  if (annotated !== null) return { source: 'annotations', isSure: true, device: trace.device, starts: annotated };
  const loop = trainingLoop(snapshot, trace, roles);
  return loop === null ? null : { source: 'period', device: trace.device, ...loop };
}

/** The steps in the trace of another device of the process, by their times; null if there are none. */
export function stepsOnDevice(snapshot: Snapshot, steps: Steps, device: number): Steps | null {
  if (device === steps.device) return steps;
  const from = snapshot.traces.find((trace) => trace.device === steps.device);
  const to = snapshot.traces.find((trace) => trace.device === device);
  const { events } = snapshot;
  if (from === undefined || to === undefined || to.count === 0 || eventTime(events, to.first) === 0) return null;
  const { sinceUs } = events;
  let ordinal = 0;
  const starts = steps.starts.map((start) => {
    while (ordinal < to.count && sinceUs[to.first + ordinal] < sinceUs[from.first + start]) ordinal++;
    return ordinal;
  });
  return { ...steps, device, starts };
}

/** The step in which an event falls: steps begun at or before it. */
export function stepAt(steps: Steps, ordinal: number): number {
  return countUpTo(steps.starts, ordinal);
}

function annotatedStarts(snapshot: Snapshot, trace: DeviceTrace, roles: StackRoles): Uint32Array | null {
  const { annotations, strings } = snapshot;
  const byName = new Map<number, number[]>();
  for (let i = 0; i < annotations.count; i++) {
    if (annotations.isStart[i] === 0) continue;
    const text = strings.text(annotations.name[i]);
    if (!text.startsWith(OPTIMIZER) && !text.startsWith(PROFILER)) continue;
    // Each profiler step has its own name.
    const name = text.startsWith(PROFILER) ? -1 : annotations.name[i];
    getOrAdd(byName, name, () => []).push(annotations.timeUs[i]);
  }
  // The busiest of several optimizers counts the steps; the others step with it or less often.
  const times = [...byName.values()].reduce<number[]>((most, one) => (one.length > most.length ? one : most), []);
  if (times.length < MIN_TURNS) return null;
  const starts: number[] = [];
  const hasForward = forwardTest(snapshot, trace, roles);
  const { originUs, sinceUs } = snapshot.events;
  const { first, count } = trace;
  let ordinal = 0;
  for (const time of times.sort((a, b) => a - b)) {
    while (ordinal < count && sinceUs[first + ordinal] < time - originUs) ordinal++;
    const before = starts.at(-1);
    // An optimizer for every layer steps many times in one step.
    const isNew = before === undefined || (before !== ordinal && hasForward(before, ordinal));
    if (ordinal < count && isNew) starts.push(ordinal);
  }
  return starts.length >= MIN_TURNS ? Uint32Array.from(starts) : null;
}

/** True if a forward pass is between two events, in ascending calls; always without any in the trace. */
function forwardTest(
  { events }: Snapshot,
  { first, count }: DeviceTrace,
  roles: StackRoles,
): (from: number, to: number) => boolean {
  const nextForward = (from: number): number => {
    let at = from;
    while (
      at < count &&
      (events.action[first + at] !== Action.Alloc || roles.of(events.stack[first + at]) !== StackRole.Forward)
    )
      at++;
    return at;
  };
  const showsNone = nextForward(0) === count;
  let next = 0;
  return (from, to) => {
    next = nextForward(Math.max(next, from));
    return showsNone || next < to;
  };
}

/** A step begins where the previous one ended; the first begins with the trace. */
function recordedStarts(snapshot: Snapshot, trace: DeviceTrace, recording: Recording): Uint32Array | null {
  const { events } = snapshot;
  // A trace that continues an earlier one may have a single step.
  const fewest = recording.behindUs.some((time) => time !== null) ? 1 : MIN_TURNS;
  if (recording.stepEndsUs.length + 1 < fewest || eventTime(events, trace.first) === 0) return null;
  const starts = [0];
  let ordinal = 0;
  for (const end of recording.stepEndsUs) {
    while (ordinal < trace.count && eventTime(events, trace.first + ordinal) <= end) ordinal++;
    if (ordinal < trace.count && starts[starts.length - 1] !== ordinal) starts.push(ordinal);
  }
  return starts.length >= fewest ? Uint32Array.from(starts) : null;
}
