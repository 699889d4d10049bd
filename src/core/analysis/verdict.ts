import type { Bytes } from '../model/units.js';

/** What a series of live bytes looks like; see "Judging a run" in CONTRIBUTING.md. */
export type SeriesVerdict = 'leak' | 'periodic' | 'filling' | 'plateau' | 'oneOff' | 'steady' | 'tooShort';

export interface Judgement {
  verdict: SeriesVerdict;
  /** 0 to 1: how much of what was seen fits the verdict, less for few snapshots. */
  confidence: number;
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
 * Judges one stack's live bytes over the snapshots of a run, oldest first. Growth alone accuses nobody: it must go on
 * over most intervals, up to the last one, and never be given back.
 */
export function judgeSeries(series: readonly Bytes[]): Judgement {
  if (series.length < FEWEST_SNAPSHOTS) return { verdict: 'tooShort', confidence: 0 };
  const all = differences(series);
  if (all.every((step) => step === 0)) return { verdict: 'steady', confidence: certainty(series.length) };
  const steps = series.length >= WITH_WARM_UP ? all.slice(1) : all;
  const rises = steps.filter((step) => step > 0).length;
  const drops = steps.filter((step) => step < 0).length;
  const calm = steps.length - 1 - steps.findLastIndex((step) => step !== 0);
  const sure = certainty(series.length);
  if (drops > 0)
    return { verdict: drops > 1 ? 'periodic' : calm >= CALM_END ? 'plateau' : 'filling', confidence: sure };
  if (rises === 0) return { verdict: 'oneOff', confidence: sure };
  if (rises >= 2 && calm === 0 && rises >= GROWING_SHARE * steps.length) {
    return { verdict: 'leak', confidence: (sure * rises) / steps.length };
  }
  if (calm >= CALM_END) return { verdict: rises === 1 ? 'oneOff' : 'plateau', confidence: sure };
  return { verdict: 'filling', confidence: sure };
}

function differences(series: readonly Bytes[]): Bytes[] {
  return series.slice(1).map((bytes, i) => bytes - series[i]);
}

/** One half at three snapshots, towards one with more. */
function certainty(snapshots: number): number {
  return 1 - 1.5 / snapshots;
}
