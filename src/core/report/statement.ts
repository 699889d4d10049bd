import type { SnapshotDigest } from '../digest/digest.js';
import type { FileLookup } from '../attribution/owner.js';
import type { RunSources, Statement } from './report.js';
import type { ReportWorkspace } from './reportWorkspace.js';

/** Longer lines are data. */
const LONGEST = 500;

/** Which text a run's lines are of: what the recorder hashed, and what of it the workspace still has. */
export class RunStatements {
  private readonly hashes = new Map<string, string>();
  private readonly commit: string | null;
  private readonly recorded: boolean;
  private readonly occurrences = new Map<string, Map<string, number[]>>();

  constructor(
    snapshots: readonly SnapshotDigest[],
    private readonly workspace: ReportWorkspace,
    lookup: FileLookup,
  ) {
    const recording = snapshots.findLast((digest) => digest.recording !== null)?.recording ?? null;
    for (const { file, sha256 } of recording?.sources ?? []) {
      const mapped = lookup(file);
      if (mapped !== null) this.hashes.set(mapped, sha256);
    }
    this.recorded = recording !== null;
    this.commit = recording?.commit ?? null;
  }

  /** What the recorder said of these workspace files, null if there was none. */
  sources(files: ReadonlySet<string>): RunSources | null {
    if (!this.recorded) return null;
    const known = [...this.hashes].filter(([file]) => files.has(file));
    return { commit: this.commit, files: known.map(([file, sha256]) => ({ file, sha256 })) };
  }

  /** What a line of a workspace file said when it ran; null where the file has changed since, or may have. */
  of(file: string, line: number): Statement | null {
    if (!this.isUnchanged(file)) return null;
    const text = statementText(this.workspace.lineText?.(file, line) ?? '');
    if (text === '') return null;
    const lines = this.linesOf(file).get(text) ?? [];
    return { text, occurrence: lines.indexOf(line) + 1 };
  }

  private isUnchanged(file: string): boolean {
    const facts = this.workspace.sourceFacts?.(file) ?? null;
    if (facts === null) return false;
    // A fresh clone is younger than what ran in it: times prove no change.
    const hash = this.hashes.get(file);
    return hash === undefined || hash === facts.sha256;
  }

  /** Numbers of a file's lines by what they say. */
  private linesOf(file: string): Map<string, number[]> {
    let lines = this.occurrences.get(file);
    if (lines === undefined) {
      lines = new Map();
      for (let line = 1; ; line++) {
        const text = this.workspace.lineText?.(file, line) ?? null;
        if (text === null) break;
        const said = statementText(text);
        const same = lines.get(said);
        if (same === undefined) lines.set(said, [line]);
        else same.push(line);
      }
      this.occurrences.set(file, lines);
    }
    return lines;
  }
}

/** A line of source as statements compare it. */
export function statementText(line: string): string {
  return line.trim().replace(/\s+/g, ' ').slice(0, LONGEST);
}
