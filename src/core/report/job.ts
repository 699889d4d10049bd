import type { RunReport } from './report.js';

/** Names the distributed run whose ranks have one run each: the run's name without its rank; null if it has no rank. */
export function jobOf({ id, rank }: Pick<RunReport, 'id' | 'rank'>): string | null {
  return rank === null ? null : id.replaceAll(/rank[_-]?\d+/gi, 'rank#');
}
