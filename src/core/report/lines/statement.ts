import { getOrAdd } from '../../maps.js';
import type { FileLookup, OwnerLine } from '../../attribution/owner.js';
import type { SnapshotDigest } from '../../digest/digest.js';
import { functionName } from '../../model/functionName.js';
import type { Microseconds } from '../../model/units.js';
import { allStatements, lineAt, ParseBudget, type PythonModule } from '../../python/pythonModule.js';
import { statementText } from '../ignoredLeaks.js';
import type { DifferentVersion, RunSources, Statement } from '../report.js';
import { linesOfFile, type ReportWorkspace, type SourceFacts } from '../reportWorkspace.js';

/** Writing a snapshot, or a clone, takes less. */
const COPYING_US: Microseconds = 600e6;

/** The version of a run's source files: recorded hashes, and the workspace's files with these hashes. */
export class RunStatements {
  private readonly hashes = new Map<string, string>();
  private readonly commit: string | null;
  private readonly recorded: boolean;
  private readonly latestUs: Microseconds | null;
  private older: boolean | null = null;
  private readonly occurrences = new Map<string, Map<string, number[]>>();

  constructor(
    private readonly snapshots: readonly SnapshotDigest[],
    private readonly workspace: ReportWorkspace,
    private readonly lookup: FileLookup,
  ) {
    const recording = snapshots.findLast((digest) => digest.recording !== null)?.recording ?? null;
    for (const { file, sha256 } of recording?.sources ?? []) {
      const mapped = lookup(file);
      if (mapped !== null) this.hashes.set(mapped, sha256);
    }
    this.recorded = recording !== null;
    this.latestUs = latestUs(snapshots[snapshots.length - 1]);
    this.commit = recording?.commit ?? null;
  }

  /** The recorder's facts on these workspace files, or null. */
  sources(files: ReadonlySet<string>): RunSources | null {
    if (!this.recorded) return null;
    const known = [...this.hashes].filter(([file]) => files.has(file));
    return { commit: this.commit, files: known.map(([file, sha256]) => ({ file, sha256 })) };
  }

  /** The text of a line when it ran; null if the file may have changed since. */
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
    const hash = this.hashes.get(file);
    if (hash !== undefined) return hash === facts.sha256;
    return !this.isYounger(facts) || !this.hasOlderFile();
  }

  private isYounger({ savedAtUs }: SourceFacts): boolean {
    return this.latestUs !== null && savedAtUs > this.latestUs;
  }

  /** True if a file that ran is older than the run: in a fresh clone none is, and times prove no change. */
  private hasOlderFile(): boolean {
    this.older ??= this.snapshots[this.snapshots.length - 1].frames.some((frame) => {
      const mapped = this.lookup(frame.file);
      const facts = mapped === null ? null : (this.workspace.sourceFacts?.(mapped) ?? null);
      return facts !== null && !this.isYounger(facts);
    });
    return this.older;
  }

  /** Table of a file's lines by their text. */
  private linesOf(file: string): Map<string, number[]> {
    return getOrAdd(this.occurrences, file, () => {
      const lines = new Map<string, number[]>();
      linesOfFile(this.workspace, file).forEach((text, i) =>
        getOrAdd(lines, statementText(text), () => []).push(i + 1),
      );
      return lines;
    });
  }
}

/** When a file that ran was written at the latest. A snapshot that came by a copy or a clone is as old as that, as its sources may be. */
function latestUs({ takenAtUs, savedAtUs }: SnapshotDigest): Microseconds | null {
  if (takenAtUs === null) return null;
  return savedAtUs === null || savedAtUs - takenAtUs < COPYING_US ? takenAtUs : savedAtUs + COPYING_US;
}

/** Names such as `<module>` and `<lambda>` are of no definition. */
const NAME = /^[^\W\d]\w*$/;

/** Tells whether the function of a recorded frame still encloses its line. */
export class SourceFits {
  private readonly modules = new Map<string, PythonModule | null>();
  private readonly budget = new ParseBudget();

  constructor(private readonly workspace: ReportWorkspace) {}

  /** Null if the line fits, or if unknown. */
  of({ file, line, function: recorded, mapped }: OwnerLine): DifferentVersion | null {
    const name = functionName(recorded);
    if (!mapped || line < 1 || !NAME.test(name)) return null;
    const text = this.workspace.lineText?.(file, line) ?? null;
    // Some profiles name the first line of a function, which may be that of a decorator.
    if (text?.trimStart().startsWith('@') === true) return null;
    if (text !== null && this.isInside(file, line, name)) return null;
    const module = this.module(file);
    if (module === null) return null;
    const spans = allStatements(module.body)
      .filter((statement) => (statement.kind === 'function' || statement.kind === 'class') && statement.name === name)
      .map(({ from, to }) => [lineAt(module, from), lineAt(module, to - 1)]);
    if (spans.some(([from, to]) => from <= line && line <= to)) return null;
    return { line: spans.length === 1 ? spans[0][0] : null };
  }

  /** Compares indentation only, because parsing takes longer. False proves nothing. */
  private isInside(file: string, line: number, name: string): boolean {
    let indent = Infinity;
    for (let at = line; at > 0 && indent > 0; at--) {
      const text = this.workspace.lineText?.(file, at) ?? '';
      const own = text.search(/\S/);
      if (own < 0 || (at < line && own >= indent)) continue;
      indent = own;
      const [, defined] = /^\s*(?:async\s+)?(?:def|class)\s+(\w+)/.exec(text) ?? [];
      if (defined === name) return true;
    }
    return false;
  }

  private module(file: string): PythonModule | null {
    return getOrAdd(this.modules, file, () => {
      const text = this.budget.isSpent ? '' : linesOfFile(this.workspace, file).join('\n');
      if (text === '') return null;
      const module = this.workspace.readModule?.(file, text) ?? null;
      this.budget.take(module, text);
      return module;
    });
  }
}
