import { ENTRY_CODE } from './entryCodeBytes.js';

/** What a call leaves behind, in the column `STATE`. */
export const enum State {
  /** Filled slots of the memo. */
  MemoCount,
  Rows,
  Captures,
  /** Keys of a dictionary in the cells that is no row; -1 for none. */
  Keys,
  /** Memo slot of the dictionary in {@link Keys}. */
  Slot,
  /** 1 if a row has a text of the program or the compiler. */
  IsTagged,
  /** 1 if a row refers to the capture of an earlier call, so that its stack is missing. */
  IsOpen,
  Count,
}

/** See `read` in `assembly/entryReader.ts`. */
type Read = (
  from: number,
  end: number,
  filled: number,
  slots: number,
  most: number,
  event: number,
  capture: number,
) => number;

type Exports = Readonly<Record<string, { value: number }>> & {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  readonly read: Read;
  readonly begin: () => void;
  readonly keptValue: (slot: number) => number;
};

/** The caller's functions that the code calls: see `assembly/entryReader.ts`. */
export interface EntryImports {
  text: (from: number, to: number) => number;
  pair: (first: number, second: number) => number;
  stackOf: (from: number, to: number) => number;
  frame: (from: number, to: number) => number;
  streamLabel: (cell: number) => number;
  plan: (keys: number) => number;
}

const PAGE_BYTES = 1 << 16;
/** Maximum number of bytes of the input at once. */
const MAX_INPUT = 1 << 20;
/** Maximum number of bytes of lists that are compared at once; lists beyond them are read item by item. */
const MAX_RUN_BYTES = 1 << 24;
/** A list takes about so many bytes. */
const LIST_BYTES = 64;
const MAX_RUNS = 1 << 18;
/** Maximum number of lists whose slots are in a table; those beyond them are in the memo. */
const MAX_KEPT_LISTS = 1 << 24;
const LISTS_OF_UNKNOWN = 1 << 20;
/** Bytes of the slot and the value of a list. */
const KEPT_BYTES = 8;
/** Bytes that a run takes in addition to its content. */
const RUN_BYTES = 16;
/** Room for loads that look ahead. */
const SLACK = 64;
/** A larger memory is not kept for the next file. */
const MAX_KEPT = 1 << 26;

/** Between two files: a caller refers to all that was read. */
const NO_CALLER: EntryImports = {
  text: () => 0,
  pair: () => 0,
  stackOf: () => 0,
  frame: () => 0,
  streamLabel: () => 0,
  plan: () => 0,
};

/** The WebAssembly of `assembly/entryReader.ts` with a memory of its own, for one file at a time. */
export class EntryCode {
  /** One module per thread: the engine compiles for one instance, and collects garbage for each new memory. */
  private static compiled: WebAssembly.Module | undefined;
  private static spare: EntryCode | null = null;

  readonly read: Read;
  /** The value of a list's slot, 0 if none is known. */
  readonly keptValue: (slot: number) => number;
  readonly inputAt: number;
  /** Bytes of the input at once. */
  inputBytes = 0;
  private memoAt = 0;
  /** Behind it, the memory was never written to. */
  private writtenTo = 0;
  private readonly exports: Exports;

  private caller = NO_CALLER;

  private constructor() {
    EntryCode.compiled ??= new WebAssembly.Module(Uint8Array.from(atob(ENTRY_CODE), (char) => char.charCodeAt(0)));
    const entryReader: EntryImports = {
      text: (from, to) => this.caller.text(from, to),
      pair: (first, second) => this.caller.pair(first, second),
      stackOf: (from, to) => this.caller.stackOf(from, to),
      frame: (from, to) => this.caller.frame(from, to),
      streamLabel: (cell) => this.caller.streamLabel(cell),
      plan: (keys) => this.caller.plan(keys),
    };
    const instance = new WebAssembly.Instance(EntryCode.compiled, { entryReader: { ...entryReader } });
    this.exports = instance.exports as unknown as Exports;
    this.read = this.exports.read;
    this.keptValue = this.exports.keptValue;
    this.inputAt = this.get('REST');
  }

  /**
   * @param fileBytes of the input, infinite where unknown: less memory is reserved for a small one
   * @param slots of the memo
   * @throws Error if there is no WebAssembly, or no memory for it
   */
  static take(caller: EntryImports, fileBytes: number, slots: number): EntryCode {
    const code = EntryCode.spare ?? new EntryCode();
    EntryCode.spare = null;
    code.caller = caller;
    code.layOut(fileBytes);
    code.reserve(slots);
    code.exports.begin();
    return code;
  }

  /** The memory is the next file's. @param filled slots of the memo, at most */
  release(filled: number): void {
    this.caller = NO_CALLER;
    if (this.exports.memory.buffer.byteLength > MAX_KEPT) return;
    this.writtenTo = this.memoAt + Int32Array.BYTES_PER_ELEMENT * filled;
    EntryCode.spare = this;
  }

  private layOut(fileBytes: number): void {
    this.inputBytes = Math.min(MAX_INPUT, fileBytes);
    const runs = Math.min(MAX_RUNS, Math.ceil(fileBytes / LIST_BYTES));
    const runBytes = Math.min(MAX_RUN_BYTES, fileBytes);
    const runsAt = aligned(this.inputAt + this.inputBytes + SLACK);
    const runBytesAt = aligned(runsAt + RUN_BYTES * runs);
    const lists = Number.isFinite(fileBytes)
      ? Math.min(MAX_KEPT_LISTS, Math.ceil(fileBytes / LIST_BYTES))
      : LISTS_OF_UNKNOWN;
    const keptAt = aligned(runBytesAt + runBytes + SLACK);
    // A smaller file leaves the memo where it is: zeros between would take memory that was never written to.
    this.memoAt = Math.max(this.memoAt, keptAt + KEPT_BYTES * lists);
    if (this.writtenTo > this.memoAt) new Uint8Array(this.exports.memory.buffer).fill(0, this.memoAt, this.writtenTo);
    this.set('keptAt', keptAt);
    this.set('mostKept', lists);
    this.set('runsAt', runsAt);
    this.set('mostRuns', runs);
    this.set('runBytesAt', runBytesAt);
    this.set('mostRunBytes', runBytes);
    this.set('memoAt', this.memoAt);
  }

  get(name: string): number {
    return this.exports[name].value;
  }

  set(name: string, value: number): void {
    this.exports[name].value = value;
  }

  /** Makes room for so many slots of the memo: all columns have to be taken again. */
  reserve(slots: number): void {
    const { memory } = this.exports;
    const missing = this.memoAt + Int32Array.BYTES_PER_ELEMENT * slots - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / PAGE_BYTES));
  }

  memo(slots: number): Int32Array<ArrayBuffer> {
    return new Int32Array(this.exports.memory.buffer, this.memoAt, slots);
  }

  /** The memory from its start to the end of the input. */
  memoryBytes(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.exports.memory.buffer, 0, this.inputAt + this.inputBytes);
  }

  column<Column>(
    Type: new (memory: ArrayBuffer, at: number, length: number) => Column,
    name: string,
    length: number,
  ): Column {
    return new Type(this.exports.memory.buffer, this.get(name), length);
  }
}

function aligned(place: number): number {
  return (place + 7) & ~7;
}
