import { type Limit, type Retained, limitOf, retainedIn } from './holders/bounds.js';
import { cycles } from './holders/holders.js';
import { releasedHolders, holders } from './holders/holders.js';
import { hasNewKeys, loopPlace, nextLoop } from './holders/loops.js';
import { type Finding, HolderSearch, best } from './holders/search.js';
import { Machine, OUTSIDE, TooMuchWork } from './interpret/machine.js';
import { Program, followPath } from './interpret/program.js';
import { bufferOnTheWay } from './names/namedReleases.js';
import type { PathFrame } from './records.js';
import type { Sources } from './sources.js';
import type { Place } from './values/objects.js';

/** What is looked for: a holder for good, or one that the garbage collector breaks up. */
export type Growth = 'held' | 'collected';

/** What following the source along a stack gave. */
export interface Followed {
  readonly finding: Finding | null;
  /** Null as well if anything else may keep what the line allocates. */
  readonly limit: Limit | null;
  /** The holder of what the line allocates, where something releases it later. */
  readonly ended: Finding | null;
  /** The loop in which training goes on when the one that the line allocates in is over; null if there is none. */
  readonly nextLoop: Place | null;
  /** True if the line was reached from the program's start: a stack that begins in between shows less than the source. */
  readonly isWhole: boolean;
  /** True if what keeps has keys, and each step's is another one than all before. */
  readonly hasNewKeys: boolean;
  /** The releases and bounds that were met on what keeps what the line allocates. */
  readonly retained: Retained;
  /** The loops around the line, outermost first, down to the one whose rounds are steps. */
  readonly loops: readonly Place[];
  /** Where a generator on the way takes items out of a buffer that may keep it; null if there is none. */
  readonly buffer: Place | null;
}

/**
 * Finds the statement that keeps what the innermost frame's line allocates, by following the source along the stack.
 * @param allocatedEvery steps between two births of what is held, null where that is not known
 * @returns no finding if none is clearly better than the others
 */
export function findHolder(
  path: readonly PathFrame[],
  sources: Sources,
  growth: Growth,
  allocatedEvery: number | null,
): Followed {
  const machine = new Machine(path, sources);
  try {
    followPath(new Program(machine));
  } catch (error) {
    if (error instanceof TooMuchWork || error instanceof RangeError) return NOTHING;
    throw error;
  }
  if (machine.watchedLoops === null || machine.watchedLoops.length === 0) return NOTHING;
  const { watchedLoops, steps } = machine;
  const search = new HolderSearch(machine, watchedLoops, allocatedEvery);
  if (growth === 'collected') return { ...NOTHING, finding: best(cycles(search)) };
  // Where nothing shows which loop steps, what each round of an outer one releases grows in an inner one.
  const limit =
    limitOf(search) ??
    (steps.length > 0 ? null : limitOf(new HolderSearch(machine, watchedLoops, allocatedEvery, null)));
  const finding = best(holders(search));
  return {
    finding,
    limit,
    ended: best(releasedHolders(search)),
    nextLoop: nextLoop(search),
    isWhole: watchedLoops[0].loop !== OUTSIDE,
    hasNewKeys: finding !== null && hasNewKeys(finding, search),
    retained: retainedIn(search),
    loops: search.loops.names.flatMap((loop) => loopPlace(loop, sources) ?? []),
    buffer: finding === null ? bufferOnTheWay(path, sources) : null,
  };
}

const NOTHING: Followed = {
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
