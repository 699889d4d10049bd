import type { Bytes, Microseconds } from './units.js';

/** The recorder's data beside a snapshot, which the allocator's file lacks. */
export interface Recording {
  /** Names the run; the same for all ranks. */
  readonly run: string;
  readonly rank: number | null;
  /** Ranks of the job. */
  readonly worldSize: number | null;
  /** Made without a trace on purpose, between two snapshots that have one. */
  readonly isLight: boolean;
  /** Made at the end of the process: the functions have returned, so what they held is free, leaked or not. */
  readonly isAtEnd: boolean;
  /** Steps finished when the snapshot was taken. */
  readonly step: number | null;
  /** The time of the snapshot, by the recorder's clock. It identifies the snapshots of a process. */
  readonly takenAtUs: Microseconds | null;
  /**
   * Per device, {@link takenAtUs} of the snapshot after which the history was cleared, null if unknown. The trace is
   * complete since.
   */
  readonly behindUs: readonly (Microseconds | null)[];
  /** The recorded ends of steps; empty if no steps were seen. */
  readonly stepEndsUs: readonly Microseconds[];
  /** When the garbage collector ran and found something, the oldest first; empty if it was not watched. */
  readonly collections: readonly Collection[];
  readonly devices: readonly RecordedDevice[];
  readonly owners: readonly RecordedOwner[];
  readonly chances: RecordedChances;
  /** The program's own files as they were when it ran. */
  readonly sources: readonly RecordedSource[];
  /** The revision of the main script's repository, or null. */
  readonly commit: string | null;
}

/** A run of Python's garbage collector. */
export interface Collection {
  readonly fromUs: Microseconds;
  readonly toUs: Microseconds;
}

/** The recorder's evidence on events that could release memory. */
export interface RecordedChances {
  /** Loops around the optimizer's step, outermost first; null if not counted. */
  readonly loops: readonly RecordedLoop[] | null;
  /** Statements that could release the memory of an owner; null if not counted. */
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

/** A statement that could release the memory of an owner. */
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
  /** Maximum of items, null if Python does not show it. */
  readonly maxlen: number | null;
}

/** A Python object that holds old memory, found in the training process. */
export interface RecordedOwner {
  /** `cycle` for a reference cycle; other kinds name where the object is held. */
  readonly kind: string;
  /** Its name for users: `history['aux']`. */
  readonly name: string;
  /** The recorded place of the statement that stores the memory. */
  readonly file: string;
  readonly line: number;
  readonly bytes: Bytes;
  /** Of `bytes`, the part that only autograd's graphs hold. */
  readonly graphBytes: Bytes;
  /** The number of steps that allocated its memory, null if unknown. */
  readonly allocatedSteps: number | null;
  /** The list, dict, … whose items it holds, null for none. */
  readonly container: RecordedContainer | null;
  /** Lines that allocated its memory. */
  readonly allocatedAt: readonly { readonly file: string; readonly line: number; readonly bytes: Bytes }[];
}
