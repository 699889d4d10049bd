import { ownerKey, STACKLESS_FUNCTION, type Owner, type OwnerLine } from '../core/attribution/owner.js';
import { lastFailure } from '../core/report/peak/outOfMemory.js';
import { allSnapshots } from '../core/report/snapshotReport.js';
import { getOrAdd } from '../core/maps.js';
import { presentLine } from '../core/present/presented.js';
import type { LineReport, OutOfMemoryReport, Report, RunReport } from '../core/report/report.js';
import type { LineFinding } from '../protocol/bandData.js';

/** The last report's verdicts on the lines of each snapshot's run. */
export class LineVerdicts {
  /** Raised with each report. */
  version = 0;
  private runs: readonly RunReport[] = [];
  /** Lines by the paths that were requested. */
  private readonly byPath = new Map<string, ReadonlyMap<string, LineReport>>();

  take({ runs }: Report): void {
    this.version++;
    this.runs = runs;
    this.byPath.clear();
  }

  /** A verdict, a bucket's name, or `unjudged` for memory that is gone at the end of the run. */
  of(path: string, owner: Owner): string {
    if ('bucket' in owner) return owner.bucket;
    return this.lineOf(path, owner)?.verdict ?? 'unjudged';
  }

  /** The verdict in the words of the editor, null without one. */
  finding(path: string, owner: Owner): LineFinding | null {
    const [run, line] = [this.runOf(path), this.lineOf(path, owner)];
    if (run === undefined || line === undefined) return null;
    const { lens, heldBy, fix, evidence } = presentLine({ file: line.file, parts: [{ run, line }], ranks: 1 });
    return {
      verdict: line.verdict,
      answer: lens,
      holder: line.holder && heldBy !== null ? { file: line.holder.file, line: line.holder.line, text: heldBy } : null,
      advice: [fix, evidence].filter((text) => text !== null),
      canFix: line.holder?.edit != null,
    };
  }

  /** The line that lasting memory without a stack belongs to, null for none. */
  stacklessHolder(path: string): OwnerLine | null {
    return this.runOf(path)?.lines.find((line) => line.function === STACKLESS_FUNCTION) ?? null;
  }

  /** The lines that leak in the run of a snapshot. */
  leaking(path: string): LineReport[] {
    return this.runOf(path)?.lines.filter(({ verdict, ignored }) => verdict === 'leak' && !ignored) ?? [];
  }

  /** The last failed allocation of a device, or null. */
  failure(path: string, device: number): OutOfMemoryReport | null {
    const failures = this.runs.flatMap(({ outOfMemory }) => outOfMemory);
    return lastFailure(failures.filter((failure) => failure.path === path && failure.device === device));
  }

  private runOf(path: string): RunReport | undefined {
    return this.runs.find((one) => allSnapshots(one).some((snapshot) => snapshot.path === path));
  }

  private lineOf(path: string, owner: Owner): LineReport | undefined {
    if ('bucket' in owner) return undefined;
    const lines = getOrAdd(this.byPath, path, () => {
      return new Map(this.runOf(path)?.lines.map((line) => [ownerKey(line), line]));
    });
    return lines.get(ownerKey(owner.line));
  }
}
