import { ownerKey, type Owner } from '../core/attribution/owner.js';
import { lastFailure } from '../core/report/outOfMemory.js';
import type { LineReport, OutOfMemoryReport, Report } from '../core/report/report.js';
import type { LineFinding } from '../protocol/bandData.js';

/** What the last report said of the lines of each snapshot's run. */
export class LineVerdicts {
  /** Raised with each report. */
  version = 0;
  private byPath = new Map<string, ReadonlyMap<string, LineReport>>();
  private failures: readonly OutOfMemoryReport[] = [];

  take({ runs }: Report): void {
    this.version++;
    this.failures = runs.flatMap(({ outOfMemory }) => outOfMemory);
    this.byPath = new Map(
      runs.flatMap((run) => {
        const lines = new Map(run.lines.map((line) => [ownerKey(line), line]));
        return run.snapshots.map(({ path }) => [path, lines] as const);
      }),
    );
  }

  /** A verdict, a bucket's name, or `unjudged` for what is not there when the run ends. */
  of(path: string, owner: Owner): string {
    if ('bucket' in owner) return owner.bucket;
    return this.lineOf(path, owner)?.verdict ?? 'unjudged';
  }

  /** The verdict with what holds the memory, null for what has none. */
  finding(path: string, owner: Owner): LineFinding | null {
    const line = this.lineOf(path, owner);
    if (line === undefined) return null;
    const { verdict, leakedBytes, bytesPerStep, holder } = line;
    return {
      verdict,
      leakedBytes,
      bytesPerStep,
      holder: holder === null ? null : { file: holder.file, line: holder.line, text: holder.text },
      fix: holder?.fix ?? null,
      canFix: holder !== null && holder.edit !== null,
    };
  }

  /** The last allocation that failed on a device, null where none did. */
  failure(path: string, device: number): OutOfMemoryReport | null {
    return lastFailure(this.failures.filter((failure) => failure.path === path && failure.device === device));
  }

  private lineOf(path: string, owner: Owner): LineReport | undefined {
    return 'bucket' in owner ? undefined : this.byPath.get(path)?.get(ownerKey(owner.line));
  }
}
