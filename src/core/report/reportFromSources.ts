import type { SnapshotDigest } from '../digest/digest.js';
import type { FileLookup } from '../attribution/owner.js';
import { groupRuns } from '../runs/runs.js';
import type { UnmappedFiles } from '../attribution/pathMapping.js';
import { mappedReport } from './buildReport.js';
import { deviceRooms, widest, type DeviceRoom } from './deviceRoom.js';
import type { Doubt } from './doubt.js';
import { NO_OTHERS, type OtherInputs } from './otherInputs.js';
import { waitForProof } from './patience.js';
import { sampledUses, type SampledUse } from './process/sampledUse.js';
import type { PatternSearch } from './patternSearch.js';
import { ProvedBefore, type ProofKeeper } from './provedBefore.js';
import { rankDifferences } from './rankDifference.js';
import type { LineReport, Report, RunReport, Verdict } from './report.js';
import { RecordedBounds, type SeenOwner } from './recordedBounds.js';
import type { ReportWorkspace } from './reportWorkspace.js';
import { worst } from './runReport.js';

/** Verdicts that say that somebody keeps memory for sure. */
const GUILTY: ReadonlySet<Verdict> = new Set(['leak', 'cycle']);
/** Milliseconds that looking for holders may add to a report. */
const MOST_TIME = 4000;

/** Reports whose leaking lines are told who keeps their memory, from the source where no recorder looked. */
export class ReportsFromSources {
  private search: PatternSearch | null = null;
  private readonly provedBefore: ProvedBefore;

  /**
   * @param now milliseconds of any clock
   * @param keeper of what was proved, null to forget it with this object
   */
  constructor(
    private readonly now: () => number,
    keeper: ProofKeeper | null = null,
  ) {
    this.provedBefore = new ProvedBefore(keeper);
  }

  /** Like `buildReport`. The Python parser is loaded when a line first needs it. */
  async report(
    digests: readonly SnapshotDigest[],
    workspace: ReportWorkspace,
    others?: OtherInputs,
  ): Promise<{ report: Report; paths: UnmappedFiles }> {
    await this.provedBefore.recall();
    const { report, paths, lookup } = mappedReport(digests, workspace, others);
    const versionOf = (file: string): string | null => workspace.sourceFacts?.(file)?.sha256 ?? null;
    const restored = new Set(
      report.runs.flatMap((run) => run.lines.filter((line) => this.provedBefore.restore(run, line, versionOf))),
    );
    const doubts = await this.followSources(report, digests, workspace, lookup, others ?? NO_OTHERS, restored);
    for (const run of report.runs) {
      const seen = run.lines.filter((line) => !restored.has(line));
      waitForProof(run, seen, doubts);
      this.provedBefore.note(run, seen, versionOf);
      judgeAgain(run);
    }
    this.provedBefore.keep();
    report.ranks = rankDifferences(report.runs);
    return { report, paths };
  }

  /** Names who keeps the memory of lines that leak, and acquits those whose source shows that they cannot grow for ever. */
  private async followSources(
    report: Report,
    digests: readonly SnapshotDigest[],
    workspace: ReportWorkspace,
    lookup: FileLookup,
    others: OtherInputs,
    restored: ReadonlySet<LineReport>,
  ): Promise<ReadonlyMap<LineReport, Doubt>> {
    const open = report.runs.flatMap(({ lines }) => lines.filter((line) => isOpen(line) && !restored.has(line)));
    if (open.length === 0 || workspace.sourceText === undefined) return new Map();
    if (this.search === null) {
      const { PatternSearch: Search } = await import('./patternSearch.js');
      this.search = new Search();
    }
    const recorded = new Map<string, string>();
    for (const { recording } of digests) {
      for (const { file, sha256 } of recording?.sources ?? []) recorded.set(lookup(file) ?? '', sha256);
    }
    const runs = groupRuns(digests);
    const seen = new Map<LineReport, { bounds: RecordedBounds; room: DeviceRoom | null; ran: ReadonlySet<string> }>();
    report.runs.forEach(({ lines }, i) => {
      const { snapshots } = runs[i];
      const sampledOf = (device: number): SampledUse[] => sampledUses(snapshots, device, others);
      const room = widest(deviceRooms(snapshots, sampledOf, workspace.capacityBytes ?? null));
      const bounds = new RecordedBounds(snapshots, lookup);
      const ran = new Set(lines.flatMap(({ file, mapped }) => (mapped ? [file] : [])));
      for (const line of lines) seen.set(line, { bounds, room, ran });
    });
    const access = {
      agrees: (line: LineReport, isIt: (owner: SeenOwner) => boolean) =>
        seen.get(line)?.bounds.agrees(line, isIt) ?? true,
      isWeighed: (line: LineReport) => seen.get(line)?.bounds.knows(line) ?? false,
      ranWith: (line: LineReport) => seen.get(line)?.ran ?? [],
      roomFor: (line: LineReport) => seen.get(line)?.room ?? null,
      files: workspace.files,
      text: workspace.sourceText,
      isChanged: (file: string) => recorded.has(file) && recorded.get(file) !== workspace.sourceFacts?.(file)?.sha256,
      now: this.now,
    };
    return this.search.nameHolders(open, access, MOST_TIME);
  }
}

/** A line that leaks is followed whoever keeps it: its source may show that it cannot grow for ever. */
function isOpen({ verdict, mapped, holder }: LineReport): boolean {
  return mapped && GUILTY.has(verdict) && (holder === null || verdict === 'leak');
}

/** The verdict of a run whose lines may have been acquitted. */
function judgeAgain(run: RunReport): void {
  run.verdict = worst(
    run.lines.map(({ verdict }) => verdict),
    run.snapshots.length,
  );
  if (run.verdict !== 'leak') run.forecast = null;
}
