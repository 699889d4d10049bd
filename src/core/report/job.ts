import type { RunReport } from './report.js';

/** Names the distributed run whose ranks have one run each: the run's name without its rank; null if it has no rank. */
export function jobOf({ id, rank }: Pick<RunReport, 'id' | 'rank'>): string | null {
  return rank === null ? null : id.replaceAll(/rank[_-]?\d+/gi, 'rank#');
}

/** How many ranks runs are of; one that has no rank is of none. */
export function rankCount(runs: readonly Pick<RunReport, 'rank'>[]): number {
  return new Set(runs.flatMap(({ rank }) => rank ?? [])).size;
}
