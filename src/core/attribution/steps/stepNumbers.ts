import type { Recording } from '../../model/recording.js';
import type { Microseconds } from '../../model/units.js';
import { countUpTo } from '../../model/ascending.js';

/** The steps as the recorder counted them. */
export type CountedSteps = Pick<Recording, 'step' | 'stepEndsUs'>;

/**
 * Steps begun at an instant, by the recorder's count. @returns null without a recorder, or before its oldest step time
 */
export function stepsBegun(recording: CountedSteps | null, timeUs: Microseconds | null): number | null {
  const { step = null, stepEndsUs = [] } = recording ?? {};
  if (timeUs === null || step === null) return null;
  const reachesBack = stepEndsUs.length === step || (stepEndsUs.length > 0 && timeUs >= stepEndsUs[0]);
  if (!reachesBack) return null;
  return step - stepEndsUs.length + countUpTo(stepEndsUs, timeUs) + 1;
}

/**
 * Finished steps before each step of a trace, by the recorder's count: an overflowed trace begins later.
 * @param startsUs when they begin, ascending
 * @returns null if the recorder has no count, or counts something else
 */
export function doneBefore(startsUs: ArrayLike<Microseconds>, recording: CountedSteps | null): number[] | null {
  const begun = Array.from(startsUs, (timeUs) => stepsBegun(recording, timeUs));
  const known = begun.findIndex((count) => count !== null);
  const first = begun[known] ?? null;
  if (first === null) return null;
  // Before the oldest stored end, one step each.
  const done = begun.map((count, i) => (count ?? first - (known - i)) - 1);
  return done.every((count, i) => (i === 0 ? count >= 0 : count > done[i - 1])) ? done : null;
}
