import type { SnapshotDigest } from '../analysis/digest.js';
import type { UnmappedFiles } from '../source/pathMapping.js';
import { mappedReport } from './buildReport.js';
import type { OtherInputs } from './otherInputs.js';
import type { PatternSearch } from './patternSearch.js';
import type { LineReport, Report, Verdict } from './report.js';
import type { ReportWorkspace } from './reportWorkspace.js';

/** Verdicts that say that somebody keeps memory for sure. */
const GUILTY: ReadonlySet<Verdict> = new Set(['leak', 'sawtooth']);
/** Milliseconds that looking for holders may add to a report. */
const MOST_TIME = 4000;

/** Reports whose leaking lines are told who keeps their memory, from the source where no recorder looked. */
export class ReportsFromSources {
  private search: PatternSearch | null = null;

  /** @param now milliseconds of any clock */
  constructor(private readonly now: () => number) {}

  /** Like `buildReport`. The Python parser is loaded when a line first needs it. */
  async report(
    digests: readonly SnapshotDigest[],
    workspace: ReportWorkspace,
    others?: OtherInputs,
  ): Promise<{ report: Report; paths: UnmappedFiles }> {
    const { report, paths, lookup } = mappedReport(digests, workspace, others);
    const open = report.runs.flatMap(({ lines }) => lines.filter(needsHolder));
    if (open.length === 0 || workspace.sourceText === undefined) return { report, paths };
    if (this.search === null) {
      const { PatternSearch: Search } = await import('./patternSearch.js');
      this.search = new Search();
    }
    const recorded = new Map<string, string>();
    for (const { recording } of digests) {
      for (const { file, sha256 } of recording?.sources ?? []) recorded.set(lookup(file) ?? '', sha256);
    }
    const access = {
      files: workspace.files,
      text: workspace.sourceText,
      isChanged: (file: string) => recorded.has(file) && recorded.get(file) !== workspace.sourceFacts?.(file)?.sha256,
      now: this.now,
    };
    this.search.nameHolders(open, access, MOST_TIME);
    return { report, paths };
  }
}

function needsHolder({ verdict, mapped, holder }: LineReport): boolean {
  return holder === null && mapped && GUILTY.has(verdict);
}
