import type { SnapshotReport } from '../../core/report/report.js';
import type { FileStamp, ReadProblem } from './ports.js';

/** `settling`: perhaps still being written. `truncated`: was read, and ended early. */
export type IntakePhase = 'settling' | 'queued' | 'reading' | 'ready' | 'truncated' | 'rejected';

/** Whether the user named the file, or the workspace contains it. */
export type IntakeOrigin = 'discovered' | 'opened';

/** The state of one file. */
export interface IntakeEntry {
  readonly path: string;
  readonly origin: IntakeOrigin;
  readonly phase: IntakePhase;
  /**
   * The last good reading, also during a rewrite: no snapshot for trends and cycles, several for a page with several.
   */
  readonly snapshots: readonly SnapshotReport[] | null;
  /** Set in the phases `truncated` and `rejected`. */
  readonly problem: ReadProblem | null;
  /** Share of the file read, 0 to 1, in the phase `reading`. */
  readonly fraction: number;
}

/** Polling of a file until its size is stable. */
interface Settling {
  /** The state at the last look; null before the first one. */
  stamp: FileStamp | null;
  /** Consecutive looks with the same stamp. */
  quiet: number;
  /** Time of the next look, milliseconds since the epoch. */
  dueAt: number;
}

/** What only the intake knows of a file. */
interface Intake {
  settling: Settling | null;
  /** The state of the file to which `phase` applies. */
  readStamp: FileStamp | null;
  /** Consecutive readings that ended early. */
  attempts: number;
}

export type MutableEntry = { -readonly [Fact in keyof IntakeEntry]: IntakeEntry[Fact] } & Intake;
