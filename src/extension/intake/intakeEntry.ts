import type { SnapshotReport } from '../../core/report/report.js';
import type { FileStamp, ReadProblem } from './ports.js';

/** `settling`: perhaps still being written. `truncated`: was read, and ended early. */
export type IntakePhase = 'settling' | 'queued' | 'reading' | 'ready' | 'truncated' | 'rejected';

/** Whether the user named the file, or it was found lying in the workspace. */
export type IntakeOrigin = 'discovered' | 'opened';

/** What the intake knows of one file. */
export interface IntakeEntry {
  readonly path: string;
  readonly origin: IntakeOrigin;
  readonly phase: IntakePhase;
  /**
   * The last good reading, kept while the file is being written anew: none of a file that holds a trend or reference
   * cycles, several of a page of several.
   */
  readonly snapshots: readonly SnapshotReport[] | null;
  /** Set in the phases `truncated` and `rejected`. */
  readonly problem: ReadProblem | null;
  /** Share of the file read, 0 to 1, in the phase `reading`. */
  readonly fraction: number;
}

/** Watching a file until it holds still. */
export interface Settling {
  /** As last seen, null before the first look. */
  stamp: FileStamp | null;
  /** Looks in a row that saw the same stamp. */
  quiet: number;
  /** When to look next, milliseconds since the epoch. */
  dueAt: number;
}

export interface MutableEntry {
  path: string;
  origin: IntakeOrigin;
  phase: IntakePhase;
  snapshots: readonly SnapshotReport[] | null;
  problem: ReadProblem | null;
  fraction: number;
  settling: Settling | null;
  /** The state of the file that `phase` speaks of. */
  readStamp: FileStamp | null;
  /** Readings in a row that ended early. */
  attempts: number;
}
