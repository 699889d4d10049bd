import { Action, EMPTY_STACK, type Snapshot } from '../model/snapshot.js';
import type { Recording } from '../model/recording.js';
import type { EventIndex, StackId } from '../model/units.js';
import { countUpTo } from '../model/ascending.js';
import { frameKind } from './frameKind.js';

/** Where the steps of a trace begin. */
export interface Steps {
  source: 'recorder' | 'annotations' | 'period';
  /** The device whose trace they were found in. */
  device: number;
  /** Ordinals in that trace at which a step begins, ascending. */
  starts: Uint32Array;
}

const OPTIMIZER = 'Optimizer.step#';
const PROFILER = 'ProfilerStep#';
/** Fewer beginnings than this are no rhythm. */
const FEWEST_STARTS = 4;
/** Deviation of the gaps over their mean: above it, a stack comes when it likes. */
const MOST_IRREGULAR = 0.6;
/** Share of the trace's allocations that the rhythm must span. */
const LEAST_SPAN = 0.5;
/** A stack belongs to the step if it allocates in this share of the periods. */
const IN_PERIODS = 0.5;
/** Share of the repeating stacks that must belong to the step. */
const WHOLE_STEP = 0.4;
/** What allocates in this first share of the trace only sets the training up. */
const SET_UP = 0.1;
/** Share of the stacks of the commonest rhythm that another must have. */
const SHARED_RHYTHM = 0.5;
/** Rhythms that are looked at, the fastest first. */
const MOST_CANDIDATES = 16;

/**
 * Finds the training steps of a snapshot's busiest device: from the recorder, which counts one for a round of several
 * optimizers and obeys the program's own marks, else from the scopes that optimizers and the profiler open, else from the
 * most regular user stack, which allocates once per step.
 * @returns null if the trace shows no steps
 */
export function findSteps(snapshot: Snapshot, recording: Recording | null = null): Steps | null {
  const trace = snapshot.traces.reduce<(typeof snapshot.traces)[number] | null>(
    (busiest, candidate) => (candidate.count > (busiest?.count ?? 0) ? candidate : busiest),
    null,
  );
  if (trace === null) return null;
  const recorded = recording === null ? null : recordedStarts(snapshot, trace, recording);
  if (recorded !== null) return { source: 'recorder', device: trace.device, starts: recorded };
  const annotated = annotatedStarts(snapshot, trace);
  if (annotated !== null) return { source: 'annotations', device: trace.device, starts: annotated };
  const marker = mostRegularStack(snapshot, trace);
  if (marker === null) return null;
  const starts: number[] = [];
  for (let ordinal = 0; ordinal < trace.count; ordinal++) {
    const event = trace.first + ordinal;
    if (snapshot.events.stack[event] === marker && snapshot.events.action[event] === Action.Alloc) starts.push(ordinal);
  }
  return { source: 'period', device: trace.device, starts: Uint32Array.from(starts) };
}

/** The same steps in the trace of another device of the process, by their times; null where there are none. */
export function stepsOnDevice(snapshot: Snapshot, steps: Steps, device: number): Steps | null {
  if (device === steps.device) return steps;
  const from = snapshot.traces.find((trace) => trace.device === steps.device);
  const to = snapshot.traces.find((trace) => trace.device === device);
  const { timeUs } = snapshot.events;
  if (from === undefined || to === undefined || to.count === 0 || timeUs[to.first] === 0) return null;
  let ordinal = 0;
  const starts = steps.starts.map((start) => {
    while (ordinal < to.count && timeUs[to.first + ordinal] < timeUs[from.first + start]) ordinal++;
    return ordinal;
  });
  return { source: steps.source, device, starts };
}

/** The step in which an event falls: steps begun at or before it. */
export function stepAt(steps: Steps, ordinal: number): number {
  return countUpTo(steps.starts, ordinal);
}

function annotatedStarts(snapshot: Snapshot, trace: { first: EventIndex; count: number }): Uint32Array | null {
  const { annotations, strings, events } = snapshot;
  const byName = new Map<number, number[]>();
  for (let i = 0; i < annotations.count; i++) {
    if (annotations.isStart[i] === 0) continue;
    const text = strings.text(annotations.name[i]);
    if (!text.startsWith(OPTIMIZER) && !text.startsWith(PROFILER)) continue;
    // Every profiler step has a name of its own.
    const name = text.startsWith(PROFILER) ? -1 : annotations.name[i];
    const times = byName.get(name);
    if (times === undefined) byName.set(name, [annotations.timeUs[i]]);
    else times.push(annotations.timeUs[i]);
  }
  // Of several optimizers the busiest counts the steps; the others step with it or less often.
  const times = [...byName.values()].reduce<number[]>((most, one) => (one.length > most.length ? one : most), []);
  if (times.length < FEWEST_STARTS) return null;
  const starts: number[] = [];
  let ordinal = 0;
  for (const time of times.sort((a, b) => a - b)) {
    while (ordinal < trace.count && events.timeUs[trace.first + ordinal] < time) ordinal++;
    if (ordinal < trace.count && starts.at(-1) !== ordinal) starts.push(ordinal);
  }
  return starts.length >= FEWEST_STARTS ? Uint32Array.from(starts) : null;
}

/** A step begins where the one before it ended; the first begins with the trace. */
function recordedStarts(
  snapshot: Snapshot,
  trace: { first: EventIndex; count: number },
  recording: Recording,
): Uint32Array | null {
  const { timeUs } = snapshot.events;
  if (recording.stepEndsUs.length + 1 < FEWEST_STARTS || timeUs[trace.first] === 0) return null;
  const starts = [0];
  let ordinal = 0;
  for (const end of recording.stepEndsUs) {
    while (ordinal < trace.count && timeUs[trace.first + ordinal] <= end) ordinal++;
    if (ordinal < trace.count && starts[starts.length - 1] !== ordinal) starts.push(ordinal);
  }
  return starts.length >= FEWEST_STARTS ? Uint32Array.from(starts) : null;
}

function mostRegularStack(snapshot: Snapshot, trace: { first: EventIndex; count: number }): StackId | null {
  const { events, stacks } = snapshot;
  const first = new Uint32Array(stacks.count);
  const last = new Uint32Array(stacks.count);
  const gaps = new Uint32Array(stacks.count);
  const seen = new Uint8Array(stacks.count);
  const squares = new Float64Array(stacks.count);
  // Counted in allocations: a collector that frees a thousand blocks at once breaks no rhythm.
  let clock = 0;
  for (let event = trace.first; event < trace.first + trace.count; event++) {
    if (events.action[event] !== Action.Alloc) continue;
    clock++;
    const stack = events.stack[event];
    if (seen[stack] === 1) {
      gaps[stack]++;
      squares[stack] += (clock - last[stack]) ** 2;
    } else {
      seen[stack] = 1;
      first[stack] = clock;
    }
    last[stack] = clock;
  }
  const alike = sameCounts(gaps, seen);
  // Of stacks that allocate equally often, the most regular one.
  const candidates = new Map<number, Candidate>();
  for (let stack = EMPTY_STACK + 1; stack < stacks.count; stack++) {
    const count = gaps[stack] + 1;
    if (count < FEWEST_STARTS || last[stack] - first[stack] < LEAST_SPAN * clock) continue;
    const mean = (last[stack] - first[stack]) / gaps[stack];
    const irregularity = Math.sqrt(Math.max(0, squares[stack] / gaps[stack] - mean * mean)) / mean;
    if (irregularity >= (candidates.get(count)?.irregularity ?? MOST_IRREGULAR)) continue;
    if (isUserStack(snapshot, stack)) candidates.set(count, { stack, count, irregularity, alike: alike(count) });
  }
  const ofMost = Math.max(0, ...Array.from(candidates.values(), (candidate) => candidate.alike));
  // What happens every tenth step may be more regular than the step, and all of the step happens in its periods: so the
  // fastest rhythm that holds a step, among those that many stacks share.
  const best = [...candidates.values()]
    .filter((candidate) => candidate.alike >= SHARED_RHYTHM * ofMost)
    .sort((x, y) => y.count - x.count)
    .slice(0, MOST_CANDIDATES)
    .find(({ stack }) => isWholeStep(snapshot, trace, stack));
  return best?.stack ?? null;
}

interface Candidate {
  stack: StackId;
  /** Allocations. */
  count: number;
  irregularity: number;
  /** Stacks that allocate as often. */
  alike: number;
}

/** How many stacks allocate as often as a given number, give or take a step that the trace does not hold in full. */
function sameCounts(gaps: Uint32Array, seen: Uint8Array): (count: number) => number {
  const stacksOfCount = new Map<number, number>();
  for (let stack = EMPTY_STACK + 1; stack < gaps.length; stack++) {
    if (seen[stack] === 1) stacksOfCount.set(gaps[stack] + 1, (stacksOfCount.get(gaps[stack] + 1) ?? 0) + 1);
  }
  return (count) => [count - 1, count, count + 1].reduce((sum, one) => sum + (stacksOfCount.get(one) ?? 0), 0);
}

/**
 * True if most of what allocates again and again does so in most of the marker's periods. The rhythm of an inner loop
 * (the layers of a model, an optimizer that goes through the parameters) repeats only its own few stacks.
 */
function isWholeStep(snapshot: Snapshot, trace: { first: EventIndex; count: number }, marker: StackId): boolean {
  const { events, stacks } = snapshot;
  const periods = new Uint32Array(stacks.count);
  const lastPeriod = new Uint32Array(stacks.count);
  const allocations = new Uint32Array(stacks.count);
  const last = new Uint32Array(stacks.count);
  let period = 0;
  let clock = 0;
  for (let event = trace.first; event < trace.first + trace.count; event++) {
    if (events.action[event] !== Action.Alloc) continue;
    const stack = events.stack[event];
    if (stack === marker) period++;
    allocations[stack]++;
    last[stack] = ++clock;
    if (period > 0 && lastPeriod[stack] !== period) {
      lastPeriod[stack] = period;
      periods[stack]++;
    }
  }
  let repeating = 0;
  let inStep = 0;
  for (let stack = EMPTY_STACK + 1; stack < stacks.count; stack++) {
    if (allocations[stack] < 2 || last[stack] < SET_UP * clock) continue;
    repeating++;
    if (periods[stack] >= IN_PERIODS * period) inStep++;
  }
  return inStep >= WHOLE_STEP * repeating;
}

function isUserStack(snapshot: Snapshot, stack: StackId): boolean {
  const { stacks, frames, strings } = snapshot;
  for (let i = stacks.offset[stack]; i < stacks.offset[stack + 1]; i++) {
    if (frameKind(strings.text(frames.file[stacks.frames[i]])) === 'user') return true;
  }
  return false;
}
