import type { Bytes } from '../model/units.js';
import type { DigestFrame, DigestLifetimes } from './digest.js';

/** What a stack's live bytes do over a run; see "Judging a run" in CONTRIBUTING.md. */
export type StackVerdict = 'leak' | 'sawtooth' | 'periodic' | 'filling' | 'plateau' | 'oneOff' | 'steady' | 'tooShort';

interface Opinion {
  verdict: StackVerdict;
  /** 0 to 1: how much of what was seen fits the verdict, less for a short look. */
  confidence: number;
}

export interface Judgement extends Opinion {
  /** What decided: lifetimes in a trace, or the series over the snapshots. */
  from: 'lifetimes' | 'snapshots';
}

/** What is seen of a stack. */
export interface Observation {
  /** Live bytes in the snapshots of the run, oldest first. */
  series: readonly Bytes[];
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
    if (!unproved || (lived.verdict !== 'leak' && lived.verdict !== 'filling')) return lived;
    return shape;
  }
  // A few steps look the same whether a buffer fills or a leak grows.
  return lifetimes !== null && shape.verdict === 'leak' ? { ...shape, verdict: 'filling' } : shape;
}

/** Shapes that an ongoing growth may have. */
const GROWING: ReadonlySet<StackVerdict> = new Set(['leak', 'filling']);
/** Steps under which lifetimes say nothing. */
const FEWEST_STEPS = 8;
/** Steps from which on what never stops growing is called a leak; before, it may be a buffer that fills. */
const LEAK_STEPS = 15;
/** Share of the steps that are warm-up, and their least number. */
const WARM_UP = { share: 0.1, steps: 2 };
/** How much longer than what the stack usually frees a survivor must have lived. */
const OUTLIVES = 1.5;
/** Share of the steps on which survivors must have been born, and their least number. */
const BORN = { share: 0.15, steps: 2 };
/** Survivors on fewer steps count if they come as regularly as this, and so often. */
const RARE = { births: 4, longestGap: 3 };
/** A drop that takes this share of the highest floor goes back to the ground. */
const DEEP_DROP = 0.5;

function judgeLifetimes(lifetimes: DigestLifetimes, collects: Observation['collects']): Opinion {
  const { steps, survivorBirths, usualFreedAge } = lifetimes;
  const warmUp = Math.max(WARM_UP.steps, Math.ceil(WARM_UP.share * steps));
  const oldEnough = steps - Math.max(2, OUTLIVES * (usualFreedAge ?? 0));
  const births = [...new Set(survivorBirths)].filter((birth) => birth > warmUp && birth <= oldEnough);
  const window = Math.max(0, Math.floor(oldEnough) - warmUp);
  const goesOn = births.length > 0 && births[births.length - 1] > oldEnough - window / 3;
  const rising = isRising(lifetimes.floors);
  const sure = 1 - 4 / steps;
  const often = births.length >= Math.max(BORN.steps, BORN.share * window);
  if (goesOn && rising && (often || isRegular(births))) {
    const confidence = sure * (0.6 + 0.4 * Math.min(1, births.length / window));
    return { verdict: steps >= LEAK_STEPS ? 'leak' : 'filling', confidence };
  }
  const deep = deepDrops(lifetimes);
  if (deep.length >= 2) return { verdict: isCollected(deep, collects) ? 'sawtooth' : 'periodic', confidence: sure };
  if (births.length === 0) return { verdict: (usualFreedAge ?? 0) > 2 ? 'plateau' : 'steady', confidence: sure };
  if (births.length === 1) return { verdict: 'oneOff', confidence: sure };
  return { verdict: goesOn && rising ? 'filling' : 'plateau', confidence: sure };
}

/** The drops that went back to the ground. */
export function deepDrops({ drops, floors }: DigestLifetimes): DigestLifetimes['drops'] {
  const highest = Math.max(...floors);
  return drops.filter((drop) => drop.bytes >= DEEP_DROP * highest);
}

/** True if the last quarter of the floors lies above the quarters before it. */
function isRising(floors: Float64Array): boolean {
  const quarter = Math.max(1, Math.floor(floors.length / 4));
  const mean = (from: number, to: number): number =>
    floors.subarray(from, to).reduce((sum, floor) => sum + floor, 0) / Math.max(1, to - from);
  const end = floors.length;
  const last = mean(end - quarter, end);
  return (
    last > mean(end - 2 * quarter, end - quarter) && last > mean(Math.max(0, end - 3 * quarter), end - 2 * quarter)
  );
}

/** True if rare births come at an even pace. */
function isRegular(births: readonly number[]): boolean {
  if (births.length < RARE.births) return false;
  const gaps = births.slice(1).map((birth, i) => birth - births[i]);
  const sorted = [...gaps].sort((a, b) => a - b);
  return sorted[sorted.length - 1] <= RARE.longestGap * sorted[sorted.length >> 1];
}

/** The collector frees wherever it happens to run, or where it is called; a program lets go on the same line each time. */
function isCollected(drops: readonly { site: DigestFrame | null }[], collects: Observation['collects']): boolean {
  const sites = drops.map((drop) => drop.site).filter((site) => site !== null);
  if (sites.length < drops.length) return false;
  if (sites.every((site) => collects(site) === true)) return true;
  return new Set(sites.map((site) => `${site.file}:${site.line}`)).size > 1;
}

/** Fewer snapshots than this show growth, not a leak. */
export const FEWEST_SNAPSHOTS = 3;
/** From this many on, the first interval is warm-up and says nothing. */
const WITH_WARM_UP = 4;
/** Share of the intervals that must grow before a rise without an end is called a leak. */
const GROWING_SHARE = 0.6;
/** Intervals without growth at the end that make a plateau of a rise. */
const CALM_END = 2;

/**
 * Judges a series of live bytes without lifetimes. Growth alone accuses nobody: it must go on over most intervals, up
 * to the last one, and never be given back.
 */
export function judgeSeries(series: readonly Bytes[]): Opinion {
  if (series.length < FEWEST_SNAPSHOTS) return { verdict: 'tooShort', confidence: 0 };
  const all = series.slice(1).map((bytes, i) => bytes - series[i]);
  const confidence = 1 - 1.5 / series.length;
  if (all.every((step) => step === 0)) return { verdict: 'steady', confidence };
  const steps = series.length >= WITH_WARM_UP ? all.slice(1) : all;
  const rises = steps.filter((step) => step > 0).length;
  const drops = steps.filter((step) => step < 0).length;
  const calm = steps.length - 1 - steps.findLastIndex((step) => step !== 0);
  if (drops > 1) return { verdict: 'periodic', confidence };
  if (drops === 1) return { verdict: calm >= CALM_END ? 'plateau' : 'filling', confidence };
  if (rises === 0) return { verdict: 'oneOff', confidence };
  if (rises >= 2 && calm === 0 && rises >= GROWING_SHARE * steps.length) {
    return { verdict: 'leak', confidence: (confidence * rises) / steps.length };
  }
  if (calm >= CALM_END) return { verdict: rises === 1 ? 'oneOff' : 'plateau', confidence };
  return { verdict: 'filling', confidence };
}
