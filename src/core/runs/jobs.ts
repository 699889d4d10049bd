import { withoutRank } from '../attribution/paths/pathRank.js';
import { patternOf } from './runNames.js';
import type { Run } from './runs.js';

/** Names of the job that a rank's run belongs to: by its place and pattern, and by as little as may name it. */
export interface JobNames {
  readonly rank: number;
  readonly exact: string;
  /** Equal for ranks that write their host, process or time into names, or lie in folders of their own. */
  readonly loose: string;
}

/** The names of a run's job; null if its rank is not known. */
export function jobNames({ rank, snapshots, family }: Pick<Run, 'rank' | 'snapshots' | 'family'>): JobNames | null {
  if (rank === null) return null;
  const recorded = snapshots.find(({ recording }) => (recording?.run ?? '') !== '')?.recording?.run;
  const exact = withoutRank(family);
  return { rank, exact, loose: recorded ?? withoutHosts(patternOf(exact)) };
}

/** The job of each run; null without a rank. Runs of equal rank have different jobs. */
export function jobsOf(names: readonly (JobNames | null)[]): (string | null)[] {
  const ranks = new Map<string, { ranks: Set<number>; exact: Set<string>; runs: number }>();
  for (const name of names) {
    if (name === null) continue;
    const job = ranks.get(name.loose) ?? { ranks: new Set(), exact: new Set(), runs: 0 };
    ranks.set(name.loose, job);
    job.ranks.add(name.rank);
    job.exact.add(name.exact);
    job.runs++;
  }
  return names.map((name) => {
    const job = name === null ? undefined : ranks.get(name.loose);
    if (name === null || job === undefined) return null;
    return job.exact.size === 1 || job.ranks.size < job.runs ? name.exact : name.loose;
  });
}

/** Words with letters and digits are hosts and processes: `pid4000`, `ip-10-0-3-4`. */
function withoutHosts(pattern: string): string {
  const at = pattern.lastIndexOf('/') + 1;
  return pattern.slice(0, at) + pattern.slice(at).replace(/(?=[^_.]*[a-z])(?=[^_.]*\d)[^_.#]+/gi, '#');
}
