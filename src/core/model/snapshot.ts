/**
 * A snapshot as columns. A row of a table is an index into typed arrays of equal length. Texts, frames and stacks are
 * interned by value. No format is known here.
 */
import type { Bytes, DeviceOrdinal, EventIndex, Microseconds, StackId, StringId } from './units.js';
import type { WholeNumbers } from './wholeNumbers.js';

/** The stack of a record without a stack (recording context off, or not stored). */
export const NO_STACK: StackId = 0;
/** The stack of a record whose list of frames was there, and empty. */
export const EMPTY_STACK: StackId = 1;
/** Marks an absent index in an index column. */
export const NO_INDEX = 0xffffffff;
/** The line number of a frame whose line is not known. */
export const UNKNOWN_LINE = -1;

/** The action of a trace entry. The order is part of the format: append, never reorder. */
export const enum Action {
  Alloc = 0,
  FreeRequested = 1,
  FreeCompleted = 2,
  SegmentAlloc = 3,
  SegmentFree = 4,
  SegmentMap = 5,
  SegmentUnmap = 6,
  /** Boundary mark that an earlier dump left in the trace; its size is the active bytes at that dump. */
  Snapshot = 7,
  OutOfMemory = 8,
  /** An unknown action, stored so that event indices equal those of the file. */
  Other = 9,
}

export const enum BlockState {
  /** Held by a tensor. */
  Allocated = 0,
  /** Released by its tensor, still used by another stream. */
  PendingFree = 1,
  /** Cached by the allocator, free for reuse. */
  Inactive = 2,
}

/** Texts by id. Id 0 is the empty text. */
export interface StringTable {
  readonly count: number;
  /** @throws RangeError if there is no such id. */
  text(id: StringId): string;
  /** All texts as UTF-8, one behind the other, and where each of them ends. Copies nothing: do not write to it. */
  utf8(): { readonly bytes: Uint8Array; readonly ends: Uint32Array };
}

/** One row per distinct (name, file, line). */
export interface FrameTable {
  readonly count: number;
  readonly name: Uint32Array;
  readonly file: Uint32Array;
  /** 1-based line, or {@link UNKNOWN_LINE}. */
  readonly line: Int32Array;
}

/** One row per distinct sequence of frames, innermost first. Rows 0 and 1 are `NO_STACK` and `EMPTY_STACK`. */
export interface StackTable {
  readonly count: number;
  /** `frames[offset[s] .. offset[s + 1])` are the frame ids of stack `s`; the array has `count + 1` entries. */
  readonly offset: Uint32Array;
  readonly frames: Uint32Array;
}

/** The trace: the events of a device are contiguous, oldest first. The segment around an address gives the pool. */
export interface EventTable {
  readonly count: number;
  readonly action: Uint8Array;
  /** Addresses are unsigned 64-bit: `addrHigh * 2^32 + addrLow`. Zero where the action has none. */
  readonly addrLow: Uint32Array;
  readonly addrHigh: Uint32Array;
  /** Requested bytes of allocations and frees, real bytes of segment actions. */
  readonly size: WholeNumbers;
  /** A time near the events: distances from it take less memory. */
  readonly originUs: Microseconds;
  /** Time of each event since `originUs`, in microseconds: see `eventTime`. */
  readonly sinceUs: WholeNumbers;
  readonly stack: Uint32Array;
  /** Stack of the forward pass, innermost first, `NO_STACK` where none; null if no event has one. */
  readonly forwardStack: Uint32Array | null;
  /**
   * The profiler's category of an allocation, as text ids such as `parameter` or `activation`; 0 without one. Null if
   * no event has one.
   */
  readonly category: Uint32Array | null;
  /**
   * The text of `torch.cuda.memory._set_memory_metadata` at the event, as text ids; 0 without one. Null if no event has
   * one.
   */
  readonly metadata: Uint32Array | null;
  /** Which compiled region ran (`Torch-Compiled Region: 0/0`), as text ids; 0 where none; null if no event has one. */
  readonly compileContext: Uint32Array | null;
}

/** The events that change reserved memory, in their order, with the streams of their segments. */
export interface SegmentEventTable {
  readonly count: number;
  readonly event: Uint32Array;
  /** Opaque labels, as text ids of their decimal form; 0 if unknown. */
  readonly stream: Uint32Array;
}

/** Failed allocations with the device's free memory, in the order of the events. */
export interface FailureTable {
  readonly count: number;
  readonly event: Uint32Array;
  /** Bytes that the driver could still give. */
  readonly deviceFree: Float64Array;
}

/** Memory that the allocator got from the driver. */
export interface SegmentTable {
  readonly count: number;
  readonly device: Int32Array;
  readonly addrLow: Uint32Array;
  readonly addrHigh: Uint32Array;
  readonly totalSize: Float64Array;
  readonly stream: Uint32Array;
  /** 1 for the small pool. */
  readonly isSmall: Uint8Array;
  readonly isExpandable: Uint8Array;
  /** Pool id as the text of its two numbers, `0,0` for the default pool. */
  readonly pool: Uint32Array;
  readonly stack: Uint32Array;
  /** Blocks of segment `s` are `firstBlock[s] .. firstBlock[s + 1])`; the array has `count + 1` entries. */
  readonly firstBlock: Uint32Array;
}

/** The pieces of the segments, in address order. */
export interface BlockTable {
  readonly count: number;
  readonly segment: Uint32Array;
  readonly addrLow: Uint32Array;
  readonly addrHigh: Uint32Array;
  /** Rounded size: the memory that the device lost. */
  readonly size: Float64Array;
  /** The requested size; 0 on inactive blocks, also if the file has another value. */
  readonly requestedSize: Float64Array;
  readonly state: Uint8Array;
  readonly stack: Uint32Array;
  /** The event that allocated the block, `NO_INDEX` where the trace does not hold it. */
  readonly allocEvent: Uint32Array;
  /** The category of the event that allocated the block, as {@link EventTable.category}; null if no block has one. */
  readonly category: Uint32Array | null;
}

/** START and END of a user scope (`Optimizer.step#AdamW.step`, `ProfilerStep#3`). */
export interface AnnotationTable {
  readonly count: number;
  readonly name: Uint32Array;
  readonly isStart: Uint8Array;
  readonly device: Int32Array;
  readonly timeUs: Float64Array;
}

/** The trace of one device: `first .. first + count` of the event table. */
export interface DeviceTrace {
  readonly device: DeviceOrdinal;
  readonly first: EventIndex;
  readonly count: number;
}

/** Something that the recording could not see or does not add up, with its cure. */
export interface SnapshotWarning {
  readonly code: string;
  /** A sentence that ends with a remedy. */
  readonly message: string;
  /** The device of the warning, if it concerns only one. */
  readonly device?: number;
}

/**
 * Facts that an input lacks. Its columns hold zeros there, without a meaning:
 * - `trace`: no events at all
 * - `times`: events without times
 * - `stacks`: neither events nor blocks have a stack
 * - `requestedSizes`: at least one live block without its requested size
 * - `addresses`: blocks without an address
 * - `reserved`: no reserved memory beyond the live blocks
 */
export type Absent = 'trace' | 'times' | 'stacks' | 'requestedSizes' | 'addresses' | 'reserved';

export type SettingValue = string | number | boolean | null | { readonly [key: string]: SettingValue };

export interface Snapshot {
  /** Which reader made it, such as `pickle`. */
  readonly format: string;
  /** Size of the input. */
  readonly fileBytes: Bytes;
  readonly strings: StringTable;
  readonly frames: FrameTable;
  readonly stacks: StackTable;
  readonly traces: readonly DeviceTrace[];
  readonly events: EventTable;
  readonly segmentEvents: SegmentEventTable;
  readonly failures: FailureTable;
  readonly segments: SegmentTable;
  readonly blocks: BlockTable;
  readonly annotations: AnnotationTable;
  /** The allocator's settings, null if unknown. */
  readonly settings: { readonly [key: string]: SettingValue } | null;
  /** Time of the last event or annotation, null if unknown. */
  readonly takenAtUs: Microseconds | null;
  readonly warnings: readonly SnapshotWarning[];
  readonly absent: readonly Absent[];
}
