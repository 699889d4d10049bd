import { ownerKey, type Owner } from '../core/attribution/owner.js';
import type { Report } from '../core/report/report.js';

/** What the last report said of the lines of each snapshot's run. */
export class LineVerdicts {
  /** Raised with each report. */
  version = 0;
  private byPath = new Map<string, ReadonlyMap<string, string>>();

  take({ runs }: Report): void {
    this.version++;
    this.byPath = new Map(
      runs.flatMap((run) => {
        const verdicts = new Map(run.lines.map((line) => [ownerKey(line), line.verdict as string]));
        return run.snapshots.map(({ path }) => [path, verdicts] as const);
      }),
    );
  }

  /** A verdict, a bucket's name, or `unjudged` for what is not there when the run ends. */
  of(path: string, owner: Owner): string {
    if ('bucket' in owner) return owner.bucket;
    return this.byPath.get(path)?.get(ownerKey(owner.line)) ?? 'unjudged';
  }
}
