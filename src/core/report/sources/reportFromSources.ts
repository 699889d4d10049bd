import type { SnapshotDigest } from '../../digest/digest.js';
import { ownerKey } from '../../attribution/owner.js';
import type { PathMapping, UnmappedFiles } from '../../attribution/paths/pathMapping.js';
import { observe, reportOf, type Observed } from '../buildReport.js';
import type { SourceFinding } from '../lines/chances.js';
import type { ObservedLine } from '../lines/observedLine.js';
import { NO_OTHERS, type OtherInputs } from '../otherInputs.js';
import type { PatternSearch } from './patternSearch.js';
import { ProvedBefore, type ProofStore } from '../lines/provedBefore.js';
import type { HolderReport, Report } from '../report.js';
import { mapDigests, type ReportWorkspace } from '../reportWorkspace.js';

/** Reports with evidence from the source. */
export class ReportsFromSources {
  private search: PatternSearch | null = null;
  private parser: Pick<ReportWorkspace, 'readModule'> = {};
  private readonly provedBefore: ProvedBefore;

  /** @param proofStore stores proofs, null for the life of this object */
  constructor(proofStore: ProofStore | null = null) {
    this.provedBefore = new ProvedBefore(proofStore);
  }

  /**
   * Like `buildReport`. The first file that has to be parsed loads the Python parser. @param mapping of these and other
   * files
   */
  async report(
    digests: readonly SnapshotDigest[],
    workspace: ReportWorkspace,
    others: OtherInputs = NO_OTHERS,
    mapping: PathMapping = mapDigests(digests, workspace, others),
  ): Promise<{ report: Report; paths: UnmappedFiles; jobs: Observed['jobs'] }> {
    await this.provedBefore.recall();
    const unread: string[] = [];
    const readModule = (file: string): null => {
      unread.push(file);
      return null;
    };
    const look = (): Observed => observe(digests, { ...workspace, readModule, ...this.parser }, others, mapping);
    let observed = look();
    if (unread.length > 0) {
      this.parser = await import('../../python/readModule.js');
      observed = look();
    }
    const versionOf = (file: string): string | null => workspace.sourceFacts?.(file)?.sha256 ?? null;
    const proved = new Map<ObservedLine, HolderReport | null>();
    for (const run of observed.runs) {
      for (const line of run.lines) {
        const proof = this.provedBefore.proofOf(run, line, versionOf);
        if (proof !== null) proved.set(line, proof.holder);
      }
    }
    const findings = await this.followSources(observed, workspace, proved);
    const report = reportOf(observed, workspace, others, { findings, proved });
    report.runs.forEach((run, i) => {
      const restored = new Set(
        observed.runs[i].lines.filter((line) => proved.has(line)).map(({ owner }) => ownerKey(owner)),
      );
      const seen = run.lines.filter((line) => !restored.has(ownerKey(line)));
      this.provedBefore.note(observed.runs[i], seen, versionOf);
    });
    this.provedBefore.save();
    return { report, paths: observed.paths, jobs: observed.jobs };
  }

  /** The source's evidence on lines with lasting growth, and on cycles without a holder. */
  private async followSources(
    { runs, lookup }: Observed,
    workspace: ReportWorkspace,
    proved: ReadonlyMap<ObservedLine, unknown>,
  ): Promise<ReadonlyMap<ObservedLine, SourceFinding>> {
    const findings = new Map<ObservedLine, SourceFinding>();
    const { sourceText } = workspace;
    const open = runs.map(({ lines }) => lines.filter((line) => isOpen(line) && !proved.has(line)));
    if (open.every((lines) => lines.length === 0) || sourceText === undefined) return findings;
    if (this.search === null) {
      const { PatternSearch: Search } = await import('./patternSearch.js');
      this.search = new Search();
    }
    // Each run with files of its own, so that a rank alone is judged as among others.
    for (const [i, run] of runs.entries()) {
      const recorded = new Map<string, string>();
      for (const { recording } of run.run.snapshots) {
        for (const { file, sha256 } of recording?.sources ?? []) recorded.set(lookup(file) ?? '', sha256);
      }
      const access = {
        ...{ lookup, run },
        files: workspace.files,
        text: sourceText,
        isChanged: (file: string) => recorded.has(file) && recorded.get(file) !== workspace.sourceFacts?.(file)?.sha256,
      };
      for (const [line, finding] of this.search.follow(open[i], access)) findings.set(line, finding);
    }
    return findings;
  }
}

/** A line whose growth lasts is followed whatever holds it: its source may show a release. */
function isOpen({ shape, isInCycle, owner, holder }: ObservedLine): boolean {
  const isCycle = shape === 'cycle' || (shape === 'periodic' && isInCycle);
  return owner.mapped && (shape === 'lasting' || (isCycle && holder === null));
}
