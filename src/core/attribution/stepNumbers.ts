import type { Recording } from '../model/recording.js';
import type { Microseconds } from '../model/units.js';
import { countUpTo } from '../model/ascending.js';

/** The steps as the recorder counted them. */
export type CountedSteps = Pick<Recording, 'step' | 'stepEndsUs'>;

/**
 * Steps begun at an instant, as the recorder counts them over the whole run; it keeps only the latest ones' ends.
 * @returns null where there is no recorder, or the instant lies before all that it kept
 */
export function stepsBegun(recording: CountedSteps | null, timeUs: Microseconds | null): number | null {
  const { step = null, stepEndsUs = [] } = recording ?? {};
  if (timeUs === null || step === null) return null;
  const reachesBack = stepEndsUs.length === step || (stepEndsUs.length > 0 && timeUs >= stepEndsUs[0]);
  if (!reachesBack) return null;
  return step - stepEndsUs.length + countUpTo(stepEndsUs, timeUs) + 1;
}

/**
 * How many steps of the run were done before each that begins in a trace, as the recorder counts them: a trace whose
 * ring overflowed does not begin with the first.
 * @param startsUs when they begin, ascending
 * @returns null where the recorder does not tell, or counts something else
 */
export function doneBefore(startsUs: ArrayLike<Microseconds>, recording: CountedSteps | null): number[] | null {
  const begun = Array.from(startsUs, (timeUs) => stepsBegun(recording, timeUs));
  const known = begun.findIndex((count) => count !== null);
  const first = begun[known] ?? null;
  if (first === null) return null;
  // Before the oldest end that was kept, one step after the other.
  const done = begun.map((count, i) => (count ?? first - (known - i)) - 1);
  return done.every((count, i) => (i === 0 ? count >= 0 : count > done[i - 1])) ? done : null;
}
