import type { Bytes, Microseconds } from './units.js';

/** What the recorder wrote beside a snapshot: what the allocator's own file cannot say. */
export interface Recording {
  /** Names the run; the same for all ranks. */
  readonly run: string;
  readonly rank: number | null;
  /** Ranks of the job. */
  readonly worldSize: number | null;
  /** Made without a trace on purpose, between two snapshots that have one. */
  readonly isLight: boolean;
  /** Steps finished when the snapshot was taken. */
  readonly step: number | null;
  /** When the snapshot was taken, by the recorder's clock: tells the snapshots of a process apart. */
  readonly takenAtUs: Microseconds | null;
  /**
   * Per device, {@link takenAtUs} of the snapshot after which the history was cleared, null if unknown. The trace is
   * complete since.
   */
  readonly behindUs: readonly (Microseconds | null)[];
  /** When each step ended, as far back as the recorder kept it; empty if no steps were seen. */
  readonly stepEndsUs: readonly Microseconds[];
  /** When the garbage collector ran and found something, the oldest first; empty if it was not watched. */
  readonly collections: readonly Collection[];
  readonly devices: readonly RecordedDevice[];
  readonly owners: readonly RecordedOwner[];
  readonly chances: RecordedChances;
  /** The program's own files as they were when it ran. */
  readonly sources: readonly RecordedSource[];
  /** The revision of the main script's repository, null where it is in none. */
  readonly commit: string | null;
}

/** A run of Python's garbage collector. */
export interface Collection {
  readonly fromUs: Microseconds;
  readonly toUs: Microseconds;
}

/** What the recorder saw of events that could release memory. */
export interface RecordedChances {
  /** Loops around the optimizer's step, the outermost first; null where nothing counted them. */
  readonly loops: readonly RecordedLoop[] | null;
  /** Statements that could release what an owner keeps; null where nothing counted them. */
  readonly releases: readonly RecordedRelease[] | null;
}

/** A loop that runs around the optimizer's step. */
export interface RecordedLoop {
  readonly file: string;
  readonly line: number;
  /** How often its body has begun again since recording began; null for unknown, such as a loop in C. */
  readonly rounds: number | null;
  /** It turns once per step: at most one does. */
  readonly isStepLoop: boolean;
}

/** A statement that could release what an owner keeps. */
export interface RecordedRelease {
  readonly file: string;
  readonly line: number;
  /** Since the first snapshot that showed the owner. */
  readonly runs: number;
}

/** A source file of the program. */
export interface RecordedSource {
  /** As recorded. */
  readonly file: string;
  /** Of its bytes, in hexadecimal. */
  readonly sha256: string;
}

export interface RecordedDevice {
  readonly device: number;
  readonly capacityBytes: Bytes | null;
  /** Used on the device outside of PyTorch. */
  readonly outsideBytes: Bytes;
}

export interface RecordedContainer {
  /** `deque`, `list`, `cache` for a function's cached results. */
  readonly type: string;
  /** Items in it. */
  readonly length: number;
  /** Items that it holds at most, null where Python does not tell. */
  readonly maxlen: number | null;
}

/** A Python object that keeps old memory, walked in the training process. */
export interface RecordedOwner {
  /** `cycle` for a reference cycle; other kinds name where the object is held. */
  readonly kind: string;
  /** What a person calls it: `history['aux']`. */
  readonly name: string;
  /** Where the statement stands that keeps it, as recorded. */
  readonly file: string;
  readonly line: number;
  readonly bytes: Bytes;
  /** Of `bytes`, what only autograd's graphs keep. */
  readonly graphBytes: Bytes;
  /** On how many steps what it keeps was allocated, null where that is not known. */
  readonly allocatedSteps: number | null;
  /** The list, dict, … whose items it keeps, null for none. */
  readonly container: RecordedContainer | null;
  /** Lines that allocated what it keeps. */
  readonly allocatedAt: readonly { readonly file: string; readonly line: number; readonly bytes: Bytes }[];
}
