import { getOrAdd } from '../../maps.js';
import { t, tCount } from '../../text/translate.js';
import type { MissingRanks, RanksBehind, RunReport } from '../report.js';

/** Ranks in a row that are one range. */
const MIN_IN_RANGE = 3;

/** How many ranks runs are of; one that has no rank is of none. */
export function rankCount(runs: readonly Pick<RunReport, 'rank'>[]): number {
  return new Set(runs.flatMap(({ rank }) => rank ?? [])).size;
}

/** The runs of each job. */
export function runsByJob<T extends Pick<RunReport, 'job'>>(runs: readonly T[]): Map<string, T[]> {
  const jobs = new Map<string, T[]>();
  for (const run of runs) if (run.job !== null) getOrAdd(jobs, run.job, () => []).push(run);
  return jobs;
}

/** Ranks in words: `0–16, 18–41 and 43`. */
export function ranksText(ranks: readonly number[]): string {
  const parts: string[] = [];
  const sorted = [...new Set(ranks)].sort((a, b) => a - b);
  for (let from = 0; from < sorted.length;) {
    let to = from + 1;
    while (sorted[to] === sorted[to - 1] + 1) to++;
    if (to - from >= MIN_IN_RANGE) parts.push(`${sorted[from]}–${sorted[to - 1]}`);
    else parts.push(...sorted.slice(from, to).map(String));
    from = to;
  }
  const last = String(parts.pop());
  return parts.length === 0 ? last : t('{0} and {1}', parts.join(', '), last);
}

/** Ranks of jobs without a snapshot. @param expected ranks of each job, null for the recorder's count */
export function missingRanks(runs: readonly RunReport[], expected: number | null): MissingRanks[] {
  const jobs = [...runsByJob(runs)];
  if (jobs.length === 0) return unknownRanks(runs, expected ?? largestJob(runs));
  // A damaged sidecar may contain any number, also as the size of a job.
  const max = Math.max(MIN_NAMED, Math.floor(MAX_RANKS / jobs.length));
  return jobs.flatMap(([job, ranked]): MissingRanks[] => {
    const of = expected ?? largestJob(ranked);
    const seen = new Set(ranked.map(({ rank }) => rank));
    const ranks = Array.from({ length: Math.min(of, max) }, (_, rank) => rank).filter((rank) => !seen.has(rank));
    if (ranks.length === 0) return [];
    const message = tCount(
      ranks.length,
      'Rank {1} has no snapshot. The report covers {2} of {3} ranks.',
      'Ranks {1} have no snapshot. The report covers {2} of {3} ranks.',
      ...[ranksText(ranks), seen.size, of],
    );
    return [{ job, expected: of, ranks, message }];
  });
}

/** Runs that name no rank are one job: how many ranks it lacks is known, but not which. */
function unknownRanks(runs: readonly RunReport[], expected: number): MissingRanks[] {
  if (runs.length === 0 || runs.length >= expected) return [];
  const message = tCount(
    runs.length,
    '1 run names no rank. The report covers 1 of {1} ranks.',
    '{0} runs name no rank. The report covers {0} of {1} ranks.',
    expected,
  );
  return [{ job: runs[0].id, expected, ranks: [], message }];
}

function largestJob(runs: readonly RunReport[]): number {
  return Math.max(0, ...runs.map(({ worldSize }) => worldSize ?? 0));
}

/** Ranks of jobs that stopped before others, or that are slower. */
export function ranksBehind(runs: readonly RunReport[]): RanksBehind[] {
  return [...runsByJob(runs)].flatMap(([job, ranked]): RanksBehind[] => {
    const ends = ranked.flatMap(({ rank, snapshots }) => {
      const step = snapshots.at(-1)?.step ?? null;
      return rank === null || step === null ? [] : [{ rank, step }];
    });
    const step = ends.reduce((latest, end) => Math.max(latest, end.step), 0);
    const ranks = ends.filter((end) => end.step < step).sort((a, b) => a.rank - b.rank);
    if (ranks.length === 0) return [];
    const message = tCount(
      ranks.length,
      'The snapshots of rank {1} end before step {2}, the last of the others.',
      'The snapshots of ranks {1} end before step {2}, the last of the others.',
      ...[ranksText(ranks.map(({ rank }) => rank)), step],
    );
    return [{ job, step, ranks, message }];
  });
}

/** Maximum number of missing ranks: of all jobs, and of each of many. */
const MAX_RANKS = 1 << 17;
const MIN_NAMED = 1 << 10;
