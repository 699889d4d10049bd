/** The calls from the extension to the worker thread. The worker owns the models; answers are small. */
import type { PathRule, UnmappedFiles, WorkspaceRoot } from '../core/attribution/paths/pathMapping.js';
import type { Bytes } from '../core/model/units.js';
import type { Candidate, FailedStack } from '../core/report/sources/candidateSearch.js';
import type { IgnoredLeak } from '../core/report/ignoredLeaks.js';
import type { CompareReport, Report, SnapshotReport } from '../core/report/report.js';
import type { DeviceWhatIf } from '../core/report/peak/whatIfDevices.js';
import type { Translations } from '../core/text/translate.js';
import type { Repeated } from './reportCode.js';
import type { ComparePair, CompareTable } from './compareData.js';
import type { TimelineEvents, TimelineQuestions } from './timelineApi.js';

/** The Python files that frames may be mapped to. */
export interface WorkspaceListing {
  /** Paths with `/`, as the extension wants them back in the report (workspace-relative). */
  files: readonly string[];
  /** Prefix pairs that the user has mapped by hand; they win over suffix matching. */
  rules: readonly PathRule[];
  /** Folders on disk by name prefix, for reading lines; none in a virtual workspace. */
  roots: readonly WorkspaceRoot[];
  /** Code without a file, by its path in reports: notebook cells as they ran. */
  texts: Readonly<Record<string, string>>;
  /** Memory of each device as the user set it, null if not. */
  capacityBytes: Bytes | null;
}

/** The result of a load. */
export interface LoadedFile {
  /** Empty for a file with a trend or reference cycles. */
  snapshots: SnapshotReport[];
  /** False if the file was unchanged since the last load, and not read again. */
  read: boolean;
}

/** How files are read, as the user wants it. */
export interface ReadingSettings {
  /** The folder of the columns, and its maximum size; null or zero bytes for none. */
  readonly cache: { readonly folder: string; readonly maxBytes: Bytes } | null;
  /** Time that a file may take, in milliseconds; null for no limit. */
  readonly timeLimitMs: number | null;
}

/** The start data of a worker thread. */
export interface WorkerStart {
  /** The bundle that reader threads run. */
  readonly readerScript: string;
  /** Reader threads at most. */
  readonly readers: number;
  readonly reading: ReadingSettings;
  /** Translations of its sentences. */
  readonly translations: Translations;
}

/** What would be different, of all devices of a snapshot. */
export interface DevicesQuery {
  /** Memory that the driver gives; null for that of the recording. */
  capacity: Bytes | null;
  /** Settings in the syntax of PYTORCH_CUDA_ALLOC_CONF; null for the usual ones. */
  settings: readonly string[] | null;
}

export type WorkerApi = TimelineQuestions & {
  /** Replaces the start data of the worker. */
  configure: { params: ReadingSettings; result: null };
  /** Removes the stored columns. */
  clearCache: { params: null; result: null };
  /** Replaces the workspace that later reports map to. */
  setWorkspace: { params: WorkspaceListing; result: null };
  /**
   * Reads a file unless its present state (size, modification time, inode) is read already. A failure has a
   * `SnapshotErrorReason`; the earlier reading stays.
   */
  load: { params: { path: string }; result: LoadedFile };
  /** Drops a file. */
  unload: { params: { path: string }; result: null };
  /** The report on all loaded files. The parameter is the number of the caller's last report, or null. */
  report: { params: number | null; result: SentResult };
  /** Two loaded files, A before B. `ignored`: leaks that do not count for the answer. */
  compare: { params: ComparePair & { ignored: readonly IgnoredLeak[] }; result: CompareReport };
  /** A comparison as a table, with at most as many rows as a page shows. */
  compareTable: { params: ComparePair & { ignored: readonly IgnoredLeak[] }; result: CompareTable };
  /** Statements of the workspace that may have filled the memory before requests failed; a list for each. */
  candidates: { params: { stacks: readonly FailedStack[] }; result: Candidate[][] };
  /** The allocations of a loaded snapshot, replayed. */
  whatIfDevices: { params: { path: string } & DevicesQuery; result: DeviceWhatIf[] };
};

/** The serialized result. */
export interface SentResult extends AnalysisResult {
  number: number;
  /** The parts that the report repeats from the caller's last one; null if it is complete. */
  repeated: Repeated | null;
}

export interface AnalysisResult {
  report: Report;
  /** Recorded files that no workspace file answers to. */
  paths: UnmappedFiles;
}

export type WorkerEvents = {
  progress: TimelineEvents['reading'];
};
