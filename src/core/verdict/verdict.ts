import type { DigestLifetimes } from '../digest/digest.js';
import type { DigestFrame } from '../model/digestFrame.js';
import { FEWEST_STEPS, judgeLifetimes } from './lifetimeVerdict.js';
import type { Opinion, StackVerdict } from './opinion.js';
import { judgeSeries, type Series } from './seriesVerdict.js';

export interface Judgement extends Opinion {
  /** What decided: lifetimes in a trace, or the series over the snapshots. */
  from: 'lifetimes' | 'snapshots';
}

/** What is seen of a stack. */
export interface Observation {
  series: Series;
  /** From the latest trace that shows the stack, null where no trace shows steps. */
  lifetimes: DigestLifetimes | null;
  /** True if the line of a frame calls the garbage collector, null if its text is not to be had. */
  collects: (site: DigestFrame) => boolean | null;
}

/**
 * Judges one stack. Lifetimes decide where a trace has them: a leak is what keeps being born, on many steps, and
 * outlives everything that the stack ever let go. Snapshots alone decide by the shape of their series.
 */
export function judge(observation: Observation): Judgement {
  const { series, lifetimes } = observation;
  const shape: Judgement = { ...judgeSeries(series), from: 'snapshots' };
  if (lifetimes !== null && lifetimes.steps >= FEWEST_STEPS) {
    const lived: Judgement = { ...judgeLifetimes(lifetimes, observation.collects), from: 'lifetimes' };
    // Steps that were inferred from a rhythm may be an inner loop's: then the snapshots must show the growth as well.
    const unproved = lifetimes.stepSource === 'period' && !GROWING.has(shape.verdict);
    if (!unproved || (lived.verdict !== 'leak' && lived.verdict !== 'growing')) return lived;
    return shape;
  }
  // A few steps look the same whether a buffer fills or a leak grows. A rhythm may be that of many.
  const isShort = lifetimes !== null && !(lifetimes.stepSource === 'period' && series.at.length > FEWEST_STEPS);
  return isShort && shape.verdict === 'leak' ? { ...shape, verdict: 'growing' } : shape;
}

/** Shapes that an ongoing growth may have. */
const GROWING: ReadonlySet<StackVerdict> = new Set(['leak', 'growing']);
