import type { DigestLifetimes } from '../digest/digest.js';
import type { DigestFrame } from '../model/digestFrame.js';
import { LifetimeFeatures } from './lifetimeFeatures.js';
import { type Rule, ruleFor } from './rule.js';
import { LIFETIME_RULES } from './rules/lifetimes.js';
import { SERIES_RULES } from './rules/snapshots.js';
import { SeriesFeatures, type Series } from './seriesFeatures.js';
import type { Shape } from './shape.js';
import { limit } from './thresholds.js';

/** The shape of a stack's memory, and its rule. */
export interface StackShape {
  readonly shape: Shape;
  /** 0 to 1: share of the observations that fit the shape; lower for a short recording. */
  readonly confidence: number;
  /** The evidence: lifetimes in a trace, or live bytes over the snapshots. */
  readonly from: 'lifetimes' | 'snapshots';
}

/** The observations of a stack. */
interface Observation {
  readonly series: Series;
  /** Lifetimes in the latest trace that shows the stack; null if no trace shows steps. */
  readonly lifetimes: DigestLifetimes | null;
  /** True if the line of a frame calls the garbage collector, null if its text is unavailable. */
  readonly collects: (site: DigestFrame) => boolean | null;
}

const GROWS: ReadonlySet<Shape> = new Set(['lasting', 'growing']);

/** The shape of one stack's memory. Lifetimes decide if a trace has them; else the series of live bytes. */
export function shapeOf({ series, lifetimes, collects }: Observation): StackShape {
  const risen: StackShape = { ...firstOf(SERIES_RULES, new SeriesFeatures(series)), from: 'snapshots' };
  if (lifetimes !== null && lifetimes.steps >= limit('fewestSteps')) {
    const lived: StackShape = {
      ...firstOf(LIFETIME_RULES, new LifetimeFeatures(lifetimes, collects)),
      from: 'lifetimes',
    };
    // Steps that were inferred from a rhythm may be an inner loop's: then the snapshots must show the growth as well.
    const isUnproved = !lifetimes.areStepsSure && !GROWS.has(risen.shape);
    return isUnproved && GROWS.has(lived.shape) ? risen : lived;
  }
  // Over few steps a buffer looks like a leak. An inferred step may be a part of a real one.
  const isShort = lifetimes !== null && (lifetimes.areStepsSure || series.at.length <= limit('fewestSteps'));
  return isShort && risen.shape === 'lasting' ? { ...risen, shape: 'growing' } : risen;
}

function firstOf<Features extends { confidence(weighed: boolean): number }>(
  rules: readonly Rule<Features, Shape>[],
  features: Features,
): { shape: Shape; confidence: number } {
  const { verdict, weighed } = ruleFor(rules, features);
  return { shape: verdict, confidence: features.confidence(weighed === true) };
}
