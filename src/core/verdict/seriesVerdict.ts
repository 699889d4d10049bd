import type { Bytes } from '../model/units.js';
import type { Opinion } from './opinion.js';

/** One stack in the snapshots of a run, oldest first. */
export interface Series {
  /** Live bytes. */
  bytes: readonly Bytes[];
  /** Live blocks. */
  blocks: readonly number[];
  /** The step of each snapshot. */
  at: readonly number[];
}

/** Fewer snapshots than this show growth, not a leak. */
export const FEWEST_SNAPSHOTS = 3;
/** From this many on, the first interval is warm-up and says nothing. */
const WITH_WARM_UP = 4;
/** Share of the intervals that must grow before a rise without an end is called a leak. */
const GROWING_SHARE = 0.6;
/** Fewer rises than the share count if they come as regularly as this, and so often. */
const RARE = { rises: 4, longestGap: 1.5 };
/** Intervals without growth at the end that make a plateau of a rise. */
const CALM_END = 2;
/** What grows in proportion to the steps is nowhere more above the straight line than this, nor in the middle more below. */
const FROM_NOTHING = { above: 1.25, below: 0.75 };
/** Standard deviations by which new blocks must have become rarer for a cache that is nearly full. */
const SLOWING = 1.2;
/** Share of the first rate of new blocks that is left where they become fewer from interval to interval. */
const SLOWED = 0.6;

/**
 * Judges a series of live bytes without lifetimes. Growth alone accuses nobody: it must go on over most intervals, up
 * to the last one, and never be given back; and it must not become slower, nor be that of ever longer inputs.
 */
export function judgeSeries({ bytes, blocks, at }: Series): Opinion {
  if (bytes.length < FEWEST_SNAPSHOTS) return { verdict: 'tooShort', confidence: 0 };
  const all = bytes.slice(1).map((value, i) => value - bytes[i]);
  const confidence = 1 - 1.5 / bytes.length;
  if (all.every((change) => change === 0)) return { verdict: 'steady', confidence };
  const changes = bytes.length >= WITH_WARM_UP ? all.slice(1) : all;
  const rises = changes.flatMap((change, i) => (change > 0 ? [i] : []));
  const drops = changes.filter((change) => change < 0).length;
  const calm = changes.length - 1 - changes.findLastIndex((change) => change !== 0);
  if (drops > 1) return { verdict: 'periodic', confidence };
  if (drops === 1) return { verdict: calm >= CALM_END ? 'plateau' : 'growing', confidence };
  if (rises.length === 0) return { verdict: 'oneOff', confidence };
  const often = rises.length >= 2 && calm === 0 && rises.length >= GROWING_SHARE * changes.length;
  if (often || isRegular(rises, changes.length)) {
    const bounded = isSlowing(blocks, at) || !(moreBlocks(bytes, blocks) || growsFromNothing(bytes, at));
    if (bounded) return { verdict: 'growing', confidence };
    return { verdict: 'leak', confidence: confidence * Math.max(0.5, rises.length / changes.length) };
  }
  if (calm >= CALM_END) return { verdict: rises.length === 1 ? 'oneOff' : 'plateau', confidence };
  return { verdict: 'growing', confidence };
}

/** True if rises come at an even pace, and the next is not overdue. */
function isRegular(rises: readonly number[], intervals: number): boolean {
  if (rises.length < RARE.rises) return false;
  const gaps = rises.slice(1).map((rise, i) => rise - rises[i]);
  const overdue = intervals - rises[rises.length - 1];
  return Math.max(...gaps, overdue) <= RARE.longestGap * Math.min(...gaps);
}

/** True if more bytes are mostly more blocks, rather than larger ones. */
function moreBlocks(bytes: readonly Bytes[], blocks: readonly number[]): boolean {
  const grown = bytes.flatMap((value, i) => (i > 0 && value > bytes[i - 1] ? [i] : []));
  return 2 * grown.filter((i) => blocks[i] > blocks[i - 1]).length >= grown.length;
}

/** True if new blocks become fewer: every interval has no more than the one before, or the later half too few for chance. */
function isSlowing(blocks: readonly number[], at: readonly number[]): boolean {
  const last = blocks.length - 1;
  const total = blocks[last] - blocks[0];
  if (total <= 0) return false;
  const rates = blocks.slice(1).map((count, i) => (count - blocks[i]) / (at[i + 1] - at[i]));
  const never = rates.every((rate, i) => i === 0 || rate <= rates[i - 1]);
  if (never && rates[rates.length - 1] <= SLOWED * rates[0]) return true;
  const early = valueAt(blocks, at, (at[0] + at[last]) / 2) - blocks[0];
  return 2 * early - total > SLOWING * Math.sqrt(total) && early > (2 / 3) * total;
}

/** True if bytes grow in proportion to the steps: one tensor that is replaced by a longer one, over and over. */
function growsFromNothing(bytes: readonly Bytes[], at: readonly number[]): boolean {
  const last = bytes.length - 1;
  // Where the first snapshot is the origin of the steps, they begin one interval before it.
  const start = at[0] > 0 ? 0 : at[0] - (at[last] - at[0]) / last;
  const proportion = (place: number): number => (bytes[last] * (place - start)) / (at[last] - start);
  const middle = (start + at[last]) / 2;
  const known = (place: number): Bytes => valueAt([0, ...bytes], [start, ...at], place);
  const isBelow = [at[0], middle].every((place) => known(place) <= FROM_NOTHING.above * proportion(place));
  return isBelow && known(middle) >= FROM_NOTHING.below * proportion(middle);
}

/** Between the points where it is known, a value lies on a straight line. */
function valueAt(values: readonly number[], at: readonly number[], place: number): number {
  const next = at.findIndex((one) => one >= place);
  if (next <= 0) return values[Math.max(0, next === -1 ? values.length - 1 : next)];
  const share = (place - at[next - 1]) / (at[next] - at[next - 1]);
  return values[next - 1] + share * (values[next] - values[next - 1]);
}
