import { getOrAdd } from '../../maps.js';
import { Action, type Snapshot } from '../../model/snapshot.js';
import type { Bytes, StackId } from '../../model/units.js';
import type { DeviceHistory } from '../../model/history.js';
import { stepAt, type Steps } from '../steps/steps.js';

/** How the allocations of one stack lived, in steps. @template Freed what a drop has besides step and bytes */
export interface LifeSummary<Freed> {
  /** Live bytes at the end of every bin of steps: the lowest of the bin's steps. See {@link binStepsOf}. */
  floors: Float64Array;
  /** Step of birth of every allocation still live at the end, ascending. */
  survivorBirths: Uint32Array;
  /** Age in steps below which 95 % of the freed allocations were freed; null if none was. */
  usualFreedAge: number | null;
  /** Age in steps of the oldest freed allocation, null if none was freed. */
  oldestFreedAge: number | null;
  /** Allocations of several steps that were freed within one. */
  drops: readonly ({ step: number; bytes: Bytes } & Freed)[];
}

/** `freeStack` is the stack that freed the allocations of a drop, where it is known. */
interface StackLifetimes extends LifeSummary<{ freeStack: StackId }> {
  stack: StackId;
  forwardStack: StackId;
}

/** Rows of memory that is older than the trace, and of allocations that outlive their step. */
export interface LongRows {
  readonly olderRows: readonly number[];
  readonly longLived: readonly number[];
}

/** Maximum number of bins for floors. */
const MAX_BINS = 256;
/** Share of the freed allocations that makes an age the usual one: a single long-lived block hides no leak. */
const USUAL = 0.95;
/** A drop frees allocations of at least this many steps. */
const DROP_BIRTHS = 3;

/** Lifetimes by stack, for stacks with allocations in the trace that outlive their step. */
export function lifetimesOf(
  snapshot: Snapshot,
  history: DeviceHistory,
  steps: Steps,
  { longLived, olderRows }: LongRows,
): StackLifetimes[] {
  const { allocations, trace } = history;
  const rowsOf = new Map<StackId, Map<StackId, number[]>>();
  for (const row of longLived) {
    const ofStack = getOrAdd(rowsOf, allocations.stack[row], () => new Map<StackId, number[]>());
    getOrAdd(ofStack, allocations.forwardStack[row], () => []).push(row);
  }
  // A trace that lost its oldest events does not begin with nothing.
  for (const row of olderRows) {
    if (allocations.death[row] < trace.count) continue;
    rowsOf.get(allocations.stack[row])?.get(allocations.forwardStack[row])?.push(row);
  }
  const freeStackOf = freeStacks(snapshot, history);
  return [...rowsOf.values()]
    .flatMap((ofStack) => [...ofStack.values()])
    .map((group) => {
      const lives = group.map((row) => {
        const death = allocations.death[row];
        const birth = stepAt(steps, allocations.birth[row]);
        return {
          birth,
          death: death < trace.count ? stepAt(steps, death) : null,
          bytes: allocations.bytes[row],
          row,
        };
      });
      const { drops, ...summary } = summarizeLives(lives, steps.starts.length);
      return {
        ...summary,
        stack: allocations.stack[group[0]],
        forwardStack: allocations.forwardStack[group[0]],
        drops: drops.map(({ step, bytes, first }) => ({
          step,
          bytes,
          freeStack: freeStackOf(allocations.death[first.row]),
        })),
      };
    });
}

/** One allocation that outlives its step, in steps. */
export interface Life {
  birth: number;
  /** null while it lives. */
  death: number | null;
  bytes: Bytes;
}

/** Steps per bin of the floors. */
export function binStepsOf(steps: number): number {
  return Math.max(1, Math.ceil(steps / MAX_BINS));
}

/** Sums the lives of one stack up. @param steps that were seen in all */
export function summarizeLives<One extends Life>(lives: readonly One[], steps: number): LifeSummary<{ first: One }> {
  const sums = new LifeSums<One>();
  lives.forEach((life, order) => {
    sums.add(life, order);
  });
  return sums.summary(steps);
}

/** The first and the last of some steps. */
type StepRange = readonly [first: number, last: number];

/** The lifetimes of one stack as sums: a freed allocation adds only its age. */
export class LifeSums<One extends Life> {
  /** The changes by step. */
  private readonly change = new Map<number, Bytes>();
  /** Survivors by step of birth, freed ones by age in steps. */
  private readonly births = new Map<number, number>();
  private readonly ages = new Map<number, number>();
  /** Freed allocations by the step in which they were freed. */
  private readonly freed = new Map<number, { births: number[]; bytes: Bytes; first: One; order: number }>();

  get isEmpty(): boolean {
    return this.births.size + this.ages.size === 0;
  }

  /** @param order of several that are freed in one step, the lowest is the first */
  add(life: One, order: number): void {
    const { birth, death, bytes } = life;
    addTo(this.change, birth, bytes);
    if (death === null) {
      addTo(this.births, birth, 1);
      return;
    }
    addTo(this.change, death, 0 - bytes);
    addTo(this.ages, death - birth, 1);
    const drop = getOrAdd(this.freed, death, () => ({ births: [], bytes: 0, first: life, order }));
    if (drop.births.length < DROP_BIRTHS && !drop.births.includes(birth)) drop.births.push(birth);
    drop.bytes += bytes;
    if (order < drop.order) Object.assign(drop, { first: life, order });
  }

  /** Takes a survivor out again, as it was added. */
  remove({ birth, bytes }: One): void {
    addTo(this.change, birth, 0 - bytes);
    addTo(this.births, birth, -1);
  }

  /** All frees before a step are known. */
  settle(step: number): void {
    for (const [death, { births }] of this.freed) {
      if (death < step && births.length < DROP_BIRTHS) this.freed.delete(death);
    }
  }

  /**
   * @param steps in all @param unseen ranges of steps whose ends no trace shows, ascending
   * @returns drops with the first of the allocations that were freed
   */
  summary(steps: number, unseen: readonly StepRange[] = []): LifeSummary<{ first: One }> {
    const change = new Float64Array(steps + 2);
    for (const [step, bytes] of this.change) change[step] = bytes;
    const ages = eachOf(this.ages);
    return {
      floors: floorsOf(change, steps, unseen),
      survivorBirths: eachOf(this.births),
      usualFreedAge: ages.length === 0 ? null : ages[Math.min(ages.length - 1, Math.floor(ages.length * USUAL))],
      oldestFreedAge: ages.at(-1) ?? null,
      drops: [...this.freed]
        .filter(([, { births }]) => births.length >= DROP_BIRTHS)
        .map(([step, { bytes, first }]) => ({ step, bytes, first }))
        .sort((a, b) => a.step - b.step),
    };
  }
}

function addTo(sums: Map<number, number>, key: number, amount: number): void {
  const sum = (sums.get(key) ?? 0) + amount;
  if (sum === 0) sums.delete(key);
  else sums.set(key, sum);
}

/** Each key as often as was counted, ascending. */
function eachOf(counts: ReadonlyMap<number, number>): Uint32Array {
  const all = new Uint32Array([...counts.values()].reduce((sum, count) => sum + count, 0));
  let at = 0;
  for (const [key, count] of counts) all.fill(key, at, (at += count));
  return all.sort();
}

/** Live bytes at the ends of seen steps, as minimum per bin; else as before. `change[s]` is the change in step `s`. */
function floorsOf(change: Float64Array, stepCount: number, unseen: readonly StepRange[]): Float64Array {
  const binSteps = binStepsOf(stepCount);
  const floors = new Float64Array(Math.ceil((stepCount + 1) / binSteps));
  let live = 0;
  let step = 0;
  let range = 0;
  for (let bin = 0; bin < floors.length; bin++) {
    let lowest = Number.POSITIVE_INFINITY;
    for (const end = Math.min(stepCount + 1, step + binSteps); step < end; step++) {
      live += change[step];
      while (range < unseen.length && unseen[range][1] < step) range++;
      const isSeen = range === unseen.length || step < unseen[range][0];
      if (isSeen && live < lowest) lowest = live;
    }
    floors[bin] = Number.isFinite(lowest) ? lowest : bin > 0 ? floors[bin - 1] : live;
  }
  return floors;
}

/** The stack of the request that a completed free answers: the completion may carry that of an unrelated call. */
export function freeStacks(snapshot: Snapshot, history: DeviceHistory): (ordinal: number) => StackId {
  const { action, addrLow, addrHigh, stack } = snapshot.events;
  const { first } = history.trace;
  return (ordinal) => {
    const event = first + ordinal;
    const low = addrLow[event];
    const high = addrHigh[event];
    for (let back = event; back >= first && back > event - 8; back--) {
      if (addrLow[back] === low && addrHigh[back] === high && action[back] === Action.FreeRequested) return stack[back];
    }
    return stack[event];
  };
}
