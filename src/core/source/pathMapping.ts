/** Files as the training machine named them, and the workspace files that they are. */

/** Everything under `recorded` is the same path under `workspace`. Both end without a separator. */
export interface PathRule {
  readonly recorded: string;
  /** Workspace-relative; empty for the workspace folder itself. */
  readonly workspace: string;
}

/** What the mapping left open. */
export interface UnmappedFiles {
  /** Recorded user files with no answer. */
  readonly unmapped: readonly string[];
  /** Recorded files with equally good answers: shown, never guessed. */
  readonly ambiguous: readonly { readonly recorded: string; readonly candidates: readonly string[] }[];
  /** Prefix pairs that suffix matching found, most files first. */
  readonly learned: readonly PathRule[];
}

export interface PathMapping extends UnmappedFiles {
  /** The workspace path of a recorded file, null where there is none. */
  lookup(recorded: string): string | null;
}
