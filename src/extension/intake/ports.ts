/** What the intake needs of the world, so that a test can stand in for clock, disk and reader. */
import type { SnapshotReport } from '../../core/report/report.js';

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** @returns a function that cancels the call */
  after(milliseconds: number, call: () => void): () => void;
}

/** What changes when a file is written to or replaced. */
export interface FileStamp {
  readonly size: number;
  readonly mtimeMs: number;
  readonly ino: number;
  /** State of what the recorder wrote beside it, empty if there is nothing: read anew, the file may say more. */
  readonly beside: string;
}

export interface IntakeFiles {
  /** Null if there is no such file, or it may not be looked at. */
  stamp(path: string): Promise<FileStamp | null>;
  /** First and last byte of a file of `size` bytes, null if they cannot be read. */
  ends(path: string, size: number): Promise<{ first: number; last: number } | null>;
}

/** Why a file could not be read. `truncated` means: come back. */
export interface ReadProblem {
  readonly reason: string;
  /** One sentence for people. */
  readonly message: string;
}

export interface IntakeReader {
  /** @throws an error with a `reason` */
  load(path: string): Promise<readonly SnapshotReport[]>;
  unload(path: string): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(milliseconds, call) {
    const timer = setTimeout(call, milliseconds);
    return () => {
      clearTimeout(timer);
    };
  },
};

export function sameStamp(a: FileStamp | null, b: FileStamp | null): boolean {
  return (
    a !== null && b !== null && a.size === b.size && a.mtimeMs === b.mtimeMs && a.ino === b.ino && a.beside === b.beside
  );
}
