import { type Limit, type Retained, limitOf, retainedIn } from './holders/bounds.js';
import { cycles, releasedHolders, holders } from './holders/holders.js';
import { hasNewKeys, loopPlace, nextLoop } from './holders/loops.js';
import { type Finding, HolderSearch, best } from './holders/search.js';
import { Machine, OUTSIDE, TooMuchWork } from './interpret/machine.js';
import { Program, followPath } from './interpret/program.js';
import { bufferOnTheWay } from './names/namedReleases.js';
import type { PathFrame } from './records.js';
import type { Sources } from './sources.js';
import type { Place } from './values/objects.js';

/** The target of the search: a permanent holder, or a cycle that the garbage collector frees. */
export type Growth = 'held' | 'collected';

/** The result of interpreting the source along a stack. */
export interface Followed {
  readonly finding: Finding | null;
  /** Null also if something else may hold the line's memory. */
  readonly limit: Limit | null;
  /** The holder of the line's memory if a later statement releases it. */
  readonly ended: Finding | null;
  /** The loop in which training continues after the line's loop; null if there is none. */
  readonly nextLoop: Place | null;
  /** True if the line was reached from the program's start: a stack that begins in between shows less than the source. */
  readonly isWhole: boolean;
  /** True if the holder has keys, and each step uses a new key. */
  readonly hasNewKeys: boolean;
  /** The releases and bounds of the holder. */
  readonly retained: Retained;
  /** The loops around the line, outermost first, down to the one whose iterations are steps. */
  readonly loops: readonly Place[];
  /** Where a generator on the path takes items out of a buffer that may be the holder; null if there is none. */
  readonly buffer: Place | null;
  /** What it took, in expressions that were looked at. */
  readonly work: number;
}

/**
 * Finds the statement that holds the memory of the innermost line, by interpreting the source along the stack.
 * @param watchesCalls true if memory that calls of the innermost line allocate counts as the line's
 * @returns nothing without a clear best candidate
 */
export function findHolder(
  path: readonly PathFrame[],
  sources: Sources,
  growth: Growth,
  watchesCalls = false,
): Followed {
  const machine = new Machine(path, sources, watchesCalls);
  try {
    followPath(new Program(machine));
    return { ...foundBy(machine, growth), work: machine.work };
  } catch (error) {
    if (error instanceof TooMuchWork || error instanceof RangeError) return { ...NOTHING, work: machine.work };
    throw error;
  }
}

function foundBy(machine: Machine, growth: Growth): Omit<Followed, 'work'> {
  const { path, sources, watchedLoops, steps } = machine;
  if (watchedLoops === null || watchedLoops.length === 0) return NOTHING;
  const search = new HolderSearch(machine, watchedLoops);
  if (growth === 'collected') return { ...NOTHING, finding: best(cycles(search)) };
  // If the loop of the steps is unknown, growth in an inner loop may be released in each iteration of an outer one.
  const limit = limitOf(search) ?? (steps.length > 0 ? null : limitOf(new HolderSearch(machine, watchedLoops, null)));
  const finding = best(holders(search));
  return {
    finding,
    limit,
    ended: best(releasedHolders(search)),
    nextLoop: nextLoop(search),
    isWhole: watchedLoops[0].loop !== OUTSIDE,
    hasNewKeys: finding !== null && hasNewKeys(finding, search),
    retained: retainedIn(search, finding),
    loops: search.loops.names.flatMap((loop) => loopPlace(loop, sources) ?? []),
    buffer: finding === null ? bufferOnTheWay(path, sources) : null,
  };
}

const NOTHING: Omit<Followed, 'work'> = {
  finding: null,
  limit: null,
  ended: null,
  nextLoop: null,
  isWhole: false,
  hasNewKeys: false,
  retained: { releases: [], bounds: [] },
  loops: [],
  buffer: null,
};
