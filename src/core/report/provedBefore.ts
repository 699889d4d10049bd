import type { HolderReport, LineReport, RunReport } from './report.js';

/** What a leak rested on: the versions of the files that it is in, and who kept its memory. */
interface Proof {
  readonly versions: readonly (readonly [file: string, sha256: string])[];
  readonly holder: HolderReport | null;
}

/** More lines do not leak. */
const MOST_LINES = 10_000;

/**
 * Leaks as they were proved before their source was edited. What ran is what was recorded: a fix that is being written
 * takes back nothing that the source has shown before it.
 */
export class ProvedBefore {
  private readonly proofs = new Map<string, Proof>();

  /**
   * True of a leak that was proved, and one of whose files is another one now. It is given back who keeps its memory,
   * without an edit.
   * @param versionOf the digest of a file's text now, null where it cannot be had
   */
  restore(run: RunReport, line: LineReport, versionOf: (file: string) => string | null): boolean {
    const proof = this.proofs.get(keyOf(run, line));
    if (line.verdict !== 'leak' || proof?.versions.every(([file, sha256]) => versionOf(file) === sha256) !== false) {
      return false;
    }
    line.holder ??= proof.holder === null ? null : { ...proof.holder, edit: null };
    return true;
  }

  /** Remembers a run's leaks, of which nothing was restored. */
  note(run: RunReport, lines: readonly LineReport[], versionOf: (file: string) => string | null): void {
    for (const line of lines) {
      const key = keyOf(run, line);
      this.proofs.delete(key);
      if (line.verdict !== 'leak' || !line.mapped) continue;
      const files = new Set([line.file, ...(line.holder === null ? [] : [line.holder.file])]);
      const versions = [...files].flatMap((file) => {
        const sha256 = versionOf(file);
        return sha256 === null ? [] : [[file, sha256] as const];
      });
      this.proofs.set(key, { versions, holder: line.holder });
    }
    for (const key of this.proofs.keys()) {
      if (this.proofs.size <= MOST_LINES) return;
      this.proofs.delete(key);
    }
  }
}

function keyOf({ id }: RunReport, { file, line, function: name }: LineReport): string {
  return [id, file, line, name].join('\n');
}
