import { severity } from '../report/findings.js';
import { ranksText, runsByJob } from '../report/ranks/ranks.js';
import { verdictCell } from './words.js';
import { sum } from '../report/lineSelection.js';
import type { RunReport, Verdict } from '../report/report.js';
import type { Bytes } from '../model/units.js';
import { named } from '../text/names.js';
import { countText } from '../text/numberText.js';
import { t } from '../text/translate.js';

/** Maximum number of ranks of a job that are shown in full. */
const MAX_RANKS = 8;

/** The runs of a report that a text shows. */
interface ShownRuns {
  readonly runs: readonly RunReport[];
  /** A text for each job with more ranks than are shown. */
  readonly jobs: readonly string[];
}

/** The rank that leaks most represents a job of many. @param max lines of a text, Infinity for all ranks */
export function shownRuns(runs: readonly RunReport[], max: number): ShownRuns {
  const large = [...runsByJob(runs)].filter(([, ranked]) => max !== Infinity && ranked.length > MAX_RANKS);
  const hidden = new Set<RunReport>();
  const jobs = large.map(([job, ranked]) => {
    const [shown] = [...ranked].sort((a, b) => severity(a.verdict) - severity(b.verdict) || leaked(b) - leaked(a));
    for (const run of ranked) if (run !== shown) hidden.add(run);
    const verdicts = [...new Set(ranked.map(({ verdict }) => verdict))].sort((a, b) => severity(a) - severity(b));
    const ranksOf = (one: Verdict): string => ranksText(ranked.filter(({ verdict }) => verdict === one).map(rankOf));
    const parts = verdicts.map((verdict) => `${verdictCell(verdict)} ${ranksOf(verdict)}`);
    return t(
      '{0}: {1} ranks: {2}. Shown: rank {3}.',
      named(job),
      countText(ranked.length),
      parts.join('; '),
      rankOf(shown),
    );
  });
  return { runs: runs.filter((run) => !hidden.has(run)), jobs };
}

function leaked({ lines, otherLines }: RunReport): Bytes {
  return sum([...lines, otherLines], ({ leakedBytes }) => leakedBytes);
}

function rankOf({ rank }: RunReport): number {
  return rank ?? 0;
}
