/** The arguments of each command, as plain data: they cross to the thread that does the work. */
import type { PathRule } from '../core/attribution/paths/pathMapping.js';
import type { Bytes } from '../core/model/units.js';
import type { FixAnswer, ProcessFinding, Verdict } from '../core/report/report.js';

/** Formats of a report, besides text. */
export const FORMATS = ['json', 'markdown', 'sarif', 'github'] as const;
export type OutputFormat = 'text' | (typeof FORMATS)[number];

/** What a report can fail on. */
export type FailOn = Verdict | ProcessFinding['verdict'] | 'incomplete' | 'oom';

/** What the arguments of all reports have. */
export interface CommonArguments {
  readonly inputs: readonly string[];
  /** Workspace folder, null for that of the recorded program, see `projectFolder`. */
  readonly root: string | null;
  readonly rules: readonly PathRule[];
  /** Real folders that links may lead into, set by `mcp` only. */
  readonly within?: readonly string[];
  readonly output: OutputFormat;
  /** The file that the report is written to, null for standard output; of `facts` the folder, null beside the digests. */
  readonly out: string | null;
  readonly maxLines: number;
  /** Finds the rank in a path, as its first group; null for the words that launchers write. */
  readonly rankPattern: RegExp | null;
}

export interface AnalyzeArguments extends CommonArguments {
  /** `report` reads folders that `digest` wrote; `facts` writes it as tables, `baseline` writes the lines that leak. */
  readonly command: 'analyze' | 'report' | 'facts' | 'baseline';
  /**
   * Values that lead to `EXIT_FOUND`: verdicts, `incomplete` for missing ranks or files, `oom` for memory that ran out.
   */
  readonly failOn: readonly FailOn[];
  /** Ranks of each job, null for the recorder's count. */
  readonly expectRanks: number | null;
  /** Folder of the digests, null for none. */
  readonly cache: string | null;
  /** Threads that read. */
  readonly jobs: number;
  /** Bytes per step that may leak, in place of the workspace's budget; null for that. */
  readonly budget: Bytes | null;
}

/** Two inputs: the earlier one, then the later one; files or folders. */
export interface CompareArguments extends CommonArguments {
  readonly command: 'compare';
  /** Answers that end in `EXIT_FOUND`. */
  readonly failOn: readonly FixAnswer[];
}

/** The part of this task. */
export interface ShardArguments {
  readonly rankPattern: RegExp | null;
  /** `I/N`, null for the launcher's values. */
  readonly shard: string | null;
  /** Number of shards, for launchers that set only the index. */
  readonly shards: number | null;
}

export interface DigestArguments extends ShardArguments {
  readonly command: 'digest';
  readonly inputs: readonly string[];
  /** The folder of digests. */
  readonly out: string;
  /** The name of standard input; null for files. */
  readonly name: string | null;
  /** Threads that read. */
  readonly jobs: number;
}

export interface SummarizeArguments extends ShardArguments, Pick<CommonArguments, 'inputs' | 'root' | 'rules'> {
  readonly command: 'summarize';
}

/** Folders of digests to tidy up. */
export interface CleanArguments {
  readonly command: 'clean';
  readonly inputs: readonly string[];
}

/** Serves agents; `inputs` are the folders that they may read beside the root. */
export interface McpArguments extends Pick<CommonArguments, 'inputs' | 'rules'> {
  readonly command: 'mcp';
  readonly root: string;
}

/** One snapshot, and what would be different. */
export interface WhatIfArguments extends Pick<CommonArguments, 'inputs' | 'root' | 'rules' | 'within' | 'out'> {
  readonly command: 'what-if';
  readonly output: 'text' | 'json';
  /** Memory that the driver gives, null for that of the recording. */
  readonly capacity: Bytes | null;
  /** Settings in the syntax of PYTORCH_CUDA_ALLOC_CONF; none for the usual ones. */
  readonly settings: readonly string[];
  /** Lines whose allocations are left out. */
  readonly without: readonly { readonly file: string; readonly line: number }[];
}

/** Logs, or standard input as `-`. */
export interface ExplainOomArguments extends Pick<CommonArguments, 'inputs' | 'root' | 'rules' | 'out'> {
  readonly command: 'explain-oom';
  readonly output: 'text' | 'json';
}

/** A command that is done once, in a thread. */
export type JobCommand =
  | CleanArguments
  | AnalyzeArguments
  | CompareArguments
  | DigestArguments
  | SummarizeArguments
  | WhatIfArguments
  | ExplainOomArguments;
