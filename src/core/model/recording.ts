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
  /** What the recorder counts as a step; null if unknown. */
  readonly stepSource: RecordedStepSource | null;
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
  /** Host memory of the process; null if unknown. */
  readonly residentBytes: Bytes | null;
  /** Nodes of autograd's graphs that the search for holders met; null without a search. */
  readonly graphNodes: number | null;
  /** False if the search for holders ran out of time: owners may be missing. */
  readonly isSearchComplete: boolean;
  readonly owners: readonly RecordedOwner[];
  /** The holders of most memory, of any age, when it ran out; empty for other snapshots. */
  readonly atFailure: readonly RecordedOwner[];
  /** Where training goes on after its only loop; null if nowhere, or if unknown. */
  readonly nextPart: RecordedPlace | null;
  readonly chances: RecordedChances;
  /** The program's own files as they were when it ran. */
  readonly sources: readonly RecordedSource[];
  /** The revision of the main script's repository, or null. */
  readonly commit: string | null;
}

/**
 * - `optimizer`: steps of the program's optimizers; `marks`: the program's own marks, or calls of a named function
 * - `loop`: rounds of the loop that calls a module; `requests`: each snapshot, as the program shows no step
 * - `none`: no step yet
 */
export const STEP_SOURCES = ['optimizer', 'marks', 'loop', 'requests', 'none'] as const;
export type RecordedStepSource = (typeof STEP_SOURCES)[number];

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
  /** True for the loop whose body runs once per step; at most one loop is. */
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
  /** The path, as recorded. */
  readonly file: string;
  /** The hash of the file, in hexadecimal. */
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
  /** Maximum number of items, null if Python does not show it. */
  readonly maxlen: number | null;
}

/** Items of a container, which hold tensors: objects, methods of objects, functions with closures, or tensors as keys. */
export interface RecordedItems {
  /** `object`, `method`, `function`, `hook`, `exit`, `array`, `view`, `key`, `weak`, `state` or `group`. */
  readonly kind: string;
  /** The class of the objects, null for functions. */
  readonly type: string | null;
}

/** A Python object that holds old memory, found in the training process. */
export interface RecordedOwner {
  /** `cycle` for a reference cycle; other kinds name where the object is held. */
  readonly kind: string;
  /** The owner's name for users: `history['aux']`. */
  readonly name: string;
  /** The statement that stores the memory, as recorded; null if the recorder found none. */
  readonly place: RecordedPlace | null;
  readonly bytes: Bytes;
  /** The part of `bytes` that only graphs of autograd hold. */
  readonly graphBytes: Bytes;
  /** Steps that allocated its memory, null if unknown. */
  readonly allocatedSteps: RecordedSteps | null;
  /** The list, dict, … whose items it holds, null for none. */
  readonly container: RecordedContainer | null;
  /** What the container has as items, if not tensors; null also where the recorder does not say. */
  readonly items: RecordedItems | null;
  /** False if an object of torch or of the standard library stands between the holder and the memory. */
  readonly isDirect: boolean;
  /** True if it was made outside of the loops around the steps, as the source tells: their rounds do not replace it. */
  readonly outlivesLoops: boolean;
  /** Number of parameters for which an optimizer has state and which it does not update; null for other containers. */
  readonly staleKeys: number | null;
  /** The object that C++ refers to, which holds all of it; for a cycle, the collector cannot free it. */
  readonly pinnedBy: RecordedPin | null;
  /** What it did with its memory; null before version 3, and before the first complete search. */
  readonly custody: RecordedCustody | null;
  /** Statements that could release its memory; null before version 3. */
  readonly releases: readonly HolderRelease[] | null;
  /** Further holders that keep its newest memory without this one. */
  readonly also: readonly { readonly name: string; readonly place: RecordedPlace | null }[];
  /** Lines that allocated its memory. */
  readonly allocatedAt: readonly { readonly file: string; readonly line: number; readonly bytes: Bytes }[];
}

/** A line of a file of the training machine. */
export interface RecordedPlace {
  readonly file: string;
  readonly line: number;
}

/** Steps, as finished at the time. */
export interface RecordedSteps {
  readonly first: number;
  readonly last: number;
  /** Different ones. */
  readonly steps: number;
}

export interface RecordedPin {
  /** `hook Hook.pre_forward.<locals>.wrapper()`, or the type of the object. */
  readonly text: string;
  /** The statement that registers it. */
  readonly place: RecordedPlace | null;
}

/** An owner from one search for holders to the next, since it was first seen. */
export interface RecordedCustody {
  readonly sinceStep: number;
  /** Complete searches since then. */
  readonly searches: number;
  readonly heldBytes: Bytes;
  /** Bytes that it held at one search, and that were free at the next. */
  readonly freedBytes: Bytes;
  /** Bytes that another owner held at the next. */
  readonly movedBytes: Bytes;
  /** The held bytes that survived two full garbage collections. */
  readonly survivedBytes: Bytes;
  /** Lengths of the container at the newest searches, the oldest first. */
  readonly lengths: readonly number[];
}

/** A statement, or a method, that could release a holder's memory. */
export interface HolderRelease extends RecordedPlace {
  /** Class and function around it. */
  readonly function: string;
  /**
   * - `clear`, `take`: empties it, takes an item out; `trim`: leaves some items
   * - `bound`: a test of its length or of a count; `memo`: a test for its keys
   * - `method`: a method of its class that empties it
   */
  readonly kind: string;
  /** `loop`: in a loop around the steps, or called there; `outside`: elsewhere; `framework`; `uncalled`. */
  readonly where: string;
  readonly isConditional: boolean;
  /** The length at which a bound holds; null if it is not a number. */
  readonly value: number | null;
  /** Runs since the owner was first seen; null if not counted. */
  readonly runs: number | null;
  /** True if the function around it runs on steps; null if unknown. */
  readonly hasRun: boolean | null;
}
