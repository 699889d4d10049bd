/** The intake's dependencies: clock, disk and reader, which tests replace. */
import type { SnapshotReport } from '../../core/report/report.js';

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** @returns a function that cancels the call */
  after(milliseconds: number, call: () => void): () => void;
}

/** Facts that change when a file is written or replaced. */
export interface FileStamp {
  readonly size: number;
  readonly mtimeMs: number;
  readonly ino: number;
  /** State of the sidecar, empty without one: a new sidecar adds facts to the snapshot. */
  readonly beside: string;
}

export interface IntakeFiles {
  /** Null if there is no such file, or no access; undefined if the file system does not answer. */
  stamp(path: string): Promise<FileStamp | null | undefined>;
  /** First and last byte of a file of `size` bytes, null if they cannot be read, undefined without an answer. */
  ends(path: string, size: number): Promise<{ first: number; last: number } | null | undefined>;
}

/** The reason for a failed reading. `truncated` means: try again later. */
export interface ReadProblem {
  readonly reason: string;
  /** One sentence for users. */
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
    return () => clearTimeout(timer);
  },
};

export function sameStamp(a: FileStamp | null, b: FileStamp | null | undefined): boolean {
  return (
    a !== null && b != null && a.size === b.size && a.mtimeMs === b.mtimeMs && a.ino === b.ino && a.beside === b.beside
  );
}
