import type { Bytes } from '../model/units.js';
import { limit } from './thresholds.js';

/** One stack in the snapshots of a run, oldest first. */
export interface Series {
  /** Live bytes. */
  bytes: readonly Bytes[];
  /** Live blocks. */
  blocks: readonly number[];
  /** The step of each snapshot. */
  at: readonly number[];
}

/** The features of live bytes without lifetimes that rules use. */
export class SeriesFeatures {
  readonly snapshots: number;
  readonly drops: number;
  readonly isConstant: boolean;
  /** Indices of the intervals that rise. */
  readonly rises: readonly number[];
  /** Number of intervals without change at the end. */
  readonly calm: number;
  private readonly intervals: number;

  constructor(private readonly series: Series) {
    const { bytes } = series;
    // With enough intervals, the first one is warm-up.
    const first = bytes.length >= limit('snapshotsWithWarmUp') ? 2 : 1;
    const rises: number[] = [];
    let drops = 0;
    let changed = first - 1;
    for (let i = first; i < bytes.length; i++) {
      if (bytes[i] === bytes[i - 1]) continue;
      changed = i;
      if (bytes[i] > bytes[i - 1]) rises.push(i - first);
      else drops++;
    }
    this.snapshots = bytes.length;
    this.isConstant = changed < first && bytes[first - 1] === bytes[0];
    this.rises = rises;
    this.drops = drops;
    this.intervals = Math.max(0, bytes.length - first);
    this.calm = bytes.length - 1 - changed;
  }

  /** Share of the observations that fit; lower for a short recording. @param weighed by the share of intervals that rise */
  confidence(weighed: boolean): number {
    const sure = Math.max(0, 1 - 1.5 / this.snapshots);
    return weighed ? sure * Math.max(0.5, this.rises.length / this.intervals) : sure;
  }

  /** True if it rises repeatedly, up to the last interval. */
  get goesOn(): boolean {
    return this.rises.length >= 2 && this.calm === 0;
  }

  /** True if it rises repeatedly, never falls, and goes on: at each snapshot, or in each round of an outer loop. */
  get keepsRising(): boolean {
    return this.drops === 0 && this.rises.length >= limit('fewestRises') && !this.isLevel && !this.isSlowing;
  }

  /** True if nothing has changed for longer than between any two rises: growth at each epoch pauses in between. */
  get isLevel(): boolean {
    const longest = this.rises.reduce((most, at, i) => (i === 0 ? most : Math.max(most, at - this.rises[i - 1])), 0);
    return this.calm >= Math.max(limit('calmEnd'), longest);
  }

  /** True if growth slows down, or is that of longer inputs. */
  get isSlowing(): boolean {
    return this.bringsFewer() || !(this.moreBlocks() || this.growsFromNothing());
  }

  /** True if growth is mostly more blocks, not larger ones. */
  private moreBlocks(): boolean {
    const { bytes, blocks } = this.series;
    const grown = bytes.flatMap((value, i) => (i > 0 && value > bytes[i - 1] ? [i] : []));
    return 2 * grown.filter((i) => blocks[i] > blocks[i - 1]).length >= grown.length;
  }

  /** True if new blocks become fewer: no interval has more than the previous one, or the later half too few for chance. */
  private bringsFewer(): boolean {
    const { blocks, at } = this.series;
    const last = blocks.length - 1;
    const total = blocks[last] - blocks[0];
    if (total <= 0) return false;
    const rates = blocks.slice(1).map((count, i) => (count - blocks[i]) / (at[i + 1] - at[i]));
    const never = rates.every((rate, i) => i === 0 || rate <= rates[i - 1]);
    if (never && rates[rates.length - 1] <= limit('slowed') * rates[0]) return true;
    const early = valueAt(blocks, at, (at[0] + at[last]) / 2) - blocks[0];
    return 2 * early - total > limit('slowing') * Math.sqrt(total) && early > (2 / 3) * total;
  }

  /** True if bytes grow in proportion to the steps: one tensor that is repeatedly replaced by a longer one. */
  private growsFromNothing(): boolean {
    const { bytes, at } = this.series;
    const last = bytes.length - 1;
    // If the steps count from the first snapshot, they begin one interval before it.
    const start = at[0] > 0 ? 0 : at[0] - (at[last] - at[0]) / last;
    const proportion = (place: number): number => (bytes[last] * (place - start)) / (at[last] - start);
    const middle = (start + at[last]) / 2;
    const known = (place: number): Bytes => valueAt([0, ...bytes], [start, ...at], place);
    const isBelow = [at[0], middle].every((place) => known(place) <= limit('aboveLine') * proportion(place));
    return isBelow && known(middle) >= limit('belowLine') * proportion(middle);
  }
}

/** Linear interpolation between known points. */
function valueAt(values: readonly number[], at: readonly number[], place: number): number {
  const next = at.findIndex((one) => one >= place);
  if (next <= 0) return values[Math.max(0, next === -1 ? values.length - 1 : next)];
  const share = (place - at[next - 1]) / (at[next] - at[next - 1]);
  return values[next - 1] + share * (values[next] - values[next - 1]);
}
