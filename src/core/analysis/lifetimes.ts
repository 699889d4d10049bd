import { Action, type Snapshot } from '../model/snapshot.js';
import type { Bytes, StackId } from '../model/units.js';
import type { DeviceHistory } from './history.js';
import type { Steps } from './steps.js';

/** How the allocations of one stack lived, in steps. */
export interface StackLifetimes {
  stack: StackId;
  forwardStack: StackId;
  /** Live bytes at the end of every bin of steps: the lowest of the bin's steps. See `LifetimeTable.binSteps`. */
  floors: Float64Array;
  /** Step of birth of every allocation still live at the end, ascending. */
  survivorBirths: Uint32Array;
  /** Age in steps below which 95 % of the freed allocations were freed; null if none was. */
  usualFreedAge: number | null;
  /** Age in steps of the oldest freed allocation, null if none was freed. */
  oldestFreedAge: number | null;
  /** Stacks at which much was let go at once. */
  drops: readonly Drop[];
}

/** Allocations of several steps that were freed within one. */
export interface Drop {
  step: number;
  bytes: Bytes;
  /** The stack that let go of them, where it is known. */
  freeStack: StackId;
}

export interface LifetimeTable {
  /** Steps that the trace shows. */
  steps: number;
  /** Steps per bin of the floors. */
  binSteps: number;
  stacks: readonly StackLifetimes[];
}

/** Floors are kept in at most so many bins. */
const MOST_BINS = 256;
/** Share of the freed allocations that makes an age the usual one: a single long-lived block hides no leak. */
const USUAL = 0.95;
/** A drop frees allocations born on at least so many different steps. */
const DROP_BIRTHS = 3;

/**
 * Lifetimes per stack, of the stacks whose allocations outlive the step that they were born in. Stacks of temporaries,
 * nearly all of them, are left out.
 */
export function lifetimesOf(snapshot: Snapshot, history: DeviceHistory, steps: Steps): LifetimeTable {
  const { allocations, trace } = history;
  const stepCount = steps.starts.length;
  const binSteps = Math.max(1, Math.ceil(stepCount / MOST_BINS));
  const stepOfOrdinal = stepTable(steps, trace.count);
  const groups = new Map<string, number[]>();
  for (let row = 0; row < allocations.count; row++) {
    const birth = allocations.birth[row];
    if (birth < 0) continue;
    const death = allocations.death[row];
    const outlives = death >= trace.count || stepOfOrdinal[death] > stepOfOrdinal[birth];
    if (!outlives) continue;
    const key = `${allocations.stack[row]}/${allocations.forwardStack[row]}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  const freeStackOf = freeStacks(snapshot, history);
  return {
    steps: stepCount,
    binSteps,
    stacks: [...groups.values()].map((rows) =>
      stackLifetimes(history, rows, stepOfOrdinal, stepCount, binSteps, freeStackOf),
    ),
  };
}

/** The step in which each event falls, and the state after the last: steps begun at or before it. */
export function stepTable(steps: Steps, events: number): Uint32Array {
  const table = new Uint32Array(events + 1);
  for (let ordinal = 0, step = 0; ordinal <= events; ordinal++) {
    while (step < steps.starts.length && steps.starts[step] <= ordinal) step++;
    table[ordinal] = step;
  }
  return table;
}

function stackLifetimes(
  history: DeviceHistory,
  rows: readonly number[],
  stepOfOrdinal: Uint32Array,
  stepCount: number,
  binSteps: number,
  freeStackOf: (ordinal: number) => StackId,
): StackLifetimes {
  const { allocations, trace } = history;
  const change = new Float64Array(stepCount + 2);
  const births: number[] = [];
  const ages: number[] = [];
  const freed = new Map<number, { births: Set<number>; bytes: Bytes; freeStack: StackId }>();
  for (const row of rows) {
    const birth = stepOfOrdinal[allocations.birth[row]];
    const death = allocations.death[row];
    change[birth] += allocations.bytes[row];
    if (death >= trace.count) {
      births.push(birth);
      continue;
    }
    const end = stepOfOrdinal[death];
    change[end] -= allocations.bytes[row];
    ages.push(end - birth);
    const drop = freed.get(end);
    if (drop === undefined) {
      freed.set(end, { births: new Set([birth]), bytes: allocations.bytes[row], freeStack: freeStackOf(death) });
    } else {
      drop.births.add(birth);
      drop.bytes += allocations.bytes[row];
    }
  }
  ages.sort((a, b) => a - b);
  return {
    stack: allocations.stack[rows[0]],
    forwardStack: allocations.forwardStack[rows[0]],
    floors: floorsOf(change, stepCount, binSteps),
    survivorBirths: Uint32Array.from(births.sort((a, b) => a - b)),
    usualFreedAge: ages.length === 0 ? null : ages[Math.min(ages.length - 1, Math.floor(ages.length * USUAL))],
    oldestFreedAge: ages.at(-1) ?? null,
    drops: [...freed]
      .filter(([, drop]) => drop.births.size >= DROP_BIRTHS)
      .map(([step, drop]) => ({ step, bytes: drop.bytes, freeStack: drop.freeStack }))
      .sort((a, b) => a.step - b.step),
  };
}

/** Live bytes at the ends of steps, lowest per bin. `change[s]` is what step `s` added or took. */
function floorsOf(change: Float64Array, stepCount: number, binSteps: number): Float64Array {
  const bins = Math.ceil((stepCount + 1) / binSteps);
  const floors = new Float64Array(bins).fill(Number.POSITIVE_INFINITY);
  let live = 0;
  for (let step = 0; step <= stepCount; step++) {
    live += change[step];
    const bin = Math.floor(step / binSteps);
    floors[bin] = Math.min(floors[bin], live);
  }
  return floors;
}

/** The stack of the request that a completed free answers: the completion may carry that of an unrelated call. */
export function freeStacks(snapshot: Snapshot, history: DeviceHistory): (ordinal: number) => StackId {
  const { events } = snapshot;
  const { first } = history.trace;
  return (ordinal) => {
    const event = first + ordinal;
    for (let back = event; back >= first && back > event - 8; back--) {
      const same = events.addrLow[back] === events.addrLow[event] && events.addrHigh[back] === events.addrHigh[event];
      if (same && events.action[back] === Action.FreeRequested) return events.stack[back];
    }
    return events.stack[event];
  };
}
