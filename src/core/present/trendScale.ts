import type { RunReport } from '../report/report.js';

/** The scale of a trend over a run: by steps, as the recorder takes fewer snapshots of later ones; else by snapshots. */
export function trendScale({ snapshots }: Pick<RunReport, 'snapshots'>): { readonly at?: readonly number[] } {
  const at = snapshots.flatMap(({ step }) => step ?? []);
  const isAscending = at.length === snapshots.length && at.every((step, i) => i === 0 || step > at[i - 1]);
  return isAscending ? { at } : {};
}
