import type { LoopRound } from '../values/loopRound.js';
import { OUTSIDE, type StepSign } from '../follow/machine.js';

/** The loops around the watched line that may be the training's. */
export class TrainingLoops {
  /** Outermost first: the last is the step. */
  readonly names: readonly string[];

  /**
   * @param watched the loops around the watched line
   * @param steps where the training steps; null if the innermost loop does
   */
  constructor(watched: readonly LoopRound[], steps: readonly StepSign[] | null) {
    const path = watched.map(({ loop }) => loop);
    this.names = steps === null ? path : path.slice(0, stepLoop(path, steps) + 1);
  }

  /** The innermost loop whose rounds something outlives that was made in `born` and is used in `used`; null for none. */
  outlived(used: readonly LoopRound[], born: readonly LoopRound[]): number | null {
    const inside = new Set(used.map(({ loop }) => loop));
    const made = new Set(born.map(({ loop }) => loop));
    for (let i = this.names.length - 1; i >= 0; i--) {
      if (inside.has(this.names[i]) && !made.has(this.names[i])) return i;
    }
    return null;
  }

  /** True if both are in the same loops, and one in an earlier round of one of the training's. */
  isLater(early: readonly LoopRound[], late: readonly LoopRound[]): boolean {
    return this.names.some((loop) => {
      const a = early.find((one) => one.loop === loop);
      const b = late.find((one) => one.loop === loop);
      return a !== undefined && b !== undefined && a.round < b.round;
    });
  }
}

/** The index of the loop around the watched line whose rounds are steps. */
function stepLoop(path: readonly string[], steps: readonly StepSign[]): number {
  if (path[0] === OUTSIDE) return 0;
  for (const kind of ['marked', 'optimizer', 'backward'] as const) {
    let deepest = -1;
    for (const step of steps) {
      if (step.kind !== kind) continue;
      const inside = new Set(step.loops.map(({ loop }) => loop));
      path.forEach((loop, i) => {
        if (inside.has(loop) && i > deepest) deepest = i;
      });
    }
    if (deepest >= 0) return deepest;
  }
  return 0;
}
