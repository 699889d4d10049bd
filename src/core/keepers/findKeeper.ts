import type { PathFrame } from './keeper.js';
import type { Sources } from './sources.js';
import { followPath } from './follow/followPath.js';
import { Machine, TooMuchWork } from './follow/machine.js';
import { Program } from './follow/program.js';
import { cycles } from './judge/cycles.js';
import { best, type Finding } from './judge/finding.js';
import { keepers } from './judge/keepers.js';
import { limitOf, type Limit } from './judge/limits.js';
import { Trial } from './judge/trial.js';

/** What a finding is looked for: who keeps memory for good, or only until the garbage collector runs. */
export type Growth = 'kept' | 'collected';

/** What following the source along a stack gave. */
export interface Followed {
  readonly finding: Finding | null;
  /** Null as well if anything else may keep what the line allocates. */
  readonly limit: Limit | null;
}

/**
 * Finds the statement that keeps what the innermost frame's line allocates, by following the source along the stack.
 * @param bornEvery steps between two births of what is kept, null where that is not known
 * @returns no finding if none is clearly better than the others
 */
export function findKeeper(
  path: readonly PathFrame[],
  sources: Sources,
  growth: Growth,
  bornEvery: number | null,
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
  const trial = new Trial(machine, watchedLoops, bornEvery);
  if (growth === 'collected') return { finding: best(cycles(trial)), limit: null };
  // Where nothing shows which loop steps, what is let go of in each round of an outer one grows in an inner one.
  const limit =
    limitOf(trial) ?? (steps.length > 0 ? null : limitOf(new Trial(machine, watchedLoops, bornEvery, null)));
  return { finding: best(keepers(trial)), limit };
}

const NOTHING: Followed = { finding: null, limit: null };
