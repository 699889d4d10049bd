import { getOrAdd } from '../maps.js';
import type { RunReport } from '../report/report.js';

interface TrendScale {
  readonly at?: readonly number[];
}

/** By the snapshots of a run, because each of its lines has a trend. */
const known = new WeakMap<RunReport['snapshots'], TrendScale>();

/** The scale of a trend over a run: by steps, as the recorder takes fewer snapshots of later ones; else by snapshots. */
export function trendScale({ snapshots }: Pick<RunReport, 'snapshots'>): TrendScale {
  return getOrAdd(known, snapshots, () => {
    const at = snapshots.flatMap(({ step }) => step ?? []);
    const isAscending = at.length === snapshots.length && at.every((step, i) => i === 0 || step > at[i - 1]);
    return isAscending ? { at } : {};
  });
}
