import { ENTRY_CODE } from './entryCodeBytes.js';

/** The places of an entry's values: which the caller sets when `plan` is called. */
type Place = 'action' | 'addr' | 'size' | 'stream' | 'timeUs' | 'frames' | 'metadata' | 'compileContext';
/** Columns in the memory. */
type Column =
  | 'REF'
  | 'LOW'
  | 'HIGH'
  | 'ROW_SIZE'
  | 'ROW_TIME'
  | 'ROW_LOW'
  | 'ROW_HIGH'
  | 'ROW_STREAM'
  | 'ROW_FRAMES'
  | 'ROW_STACK'
  | 'ROW_SLOT'
  | 'ROW_METADATA'
  | 'ROW_CONTEXT'
  | 'ROW_ACTION'
  | 'CAPTURE_STACK'
  | 'CAPTURE_EVENT'
  | 'ACTIONS'
  | 'STATE';
/** Lengths. */
type Length = 'CELLS' | 'ROWS';
/** Numbers that the caller sets before the first call. */
type Setting = 'noContext' | 'runsAt' | 'mostRuns' | 'runBytesAt' | 'mostRunBytes' | 'memoAt';

/** What a call leaves behind, in the column `STATE`. */
export const enum State {
  /** Filled slots of the memo. */
  MemoCount,
  Rows,
  Captures,
  /** Keys of a dictionary in the cells that is no row; -1 for none. */
  Keys,
  /** Its memo slot. */
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

type Exports = Readonly<Record<Place | Column | Length | Setting | 'REST', { value: number }>> & {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  readonly read: Read;
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
/** Bytes of the input at once. */
const MOST_INPUT = 1 << 20;
/** Bytes of lists that are compared at once; lists beyond them are read item by item. */
const MOST_RUN_BYTES = 1 << 26;
/** A stack takes about so many bytes where it is first mentioned. */
const STACK_BYTES = 64;
const MOST_STACKS = 1 << 20;
const RUN_BYTES = 12;
/** Room for loads that look ahead. */
const SLACK = 64;

/** Compiled once per thread. */
let compiled: WebAssembly.Module | undefined;

/** The WebAssembly of `assembly/entryReader.ts` with a memory of its own. */
export class EntryCode {
  readonly read: Read;
  /** Place and bytes of the input. */
  readonly inputAt: number;
  readonly inputBytes: number;
  private readonly exports: Exports;
  private readonly memoAt: number;

  /**
   * @param fileBytes of the input, infinite where unknown: less memory is reserved for a small one
   * @throws Error if there is no WebAssembly, or no memory for it
   */
  constructor(imports: EntryImports, fileBytes: number) {
    compiled ??= new WebAssembly.Module(Uint8Array.from(atob(ENTRY_CODE), (char) => char.charCodeAt(0)));
    this.exports = new WebAssembly.Instance(compiled, { entryReader: { ...imports } }).exports as unknown as Exports;
    this.read = this.exports.read;
    this.inputAt = this.exports.REST.value;
    this.inputBytes = Math.min(MOST_INPUT, fileBytes);
    const stacks = Math.min(MOST_STACKS, Math.ceil(fileBytes / STACK_BYTES));
    const runBytes = Math.min(MOST_RUN_BYTES, fileBytes);
    const runsAt = aligned(this.inputAt + this.inputBytes + SLACK);
    const runBytesAt = aligned(runsAt + RUN_BYTES * stacks);
    this.memoAt = aligned(runBytesAt + runBytes + SLACK);
    this.set('runsAt', runsAt);
    this.set('mostRuns', stacks);
    this.set('runBytesAt', runBytesAt);
    this.set('mostRunBytes', runBytes);
    this.set('memoAt', this.memoAt);
  }

  get(name: Length): number {
    return this.exports[name].value;
  }

  set(name: Place | Setting, value: number): void {
    this.exports[name].value = value;
  }

  /** Makes room for so many slots of the memo: all columns have to be taken again. @returns the memo */
  reserve(slots: number): Int32Array<ArrayBuffer> {
    const { memory } = this.exports;
    const missing = this.memoAt + Int32Array.BYTES_PER_ELEMENT * slots - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / PAGE_BYTES));
    return new Int32Array(memory.buffer, this.memoAt, slots);
  }

  /** The memory from its start to the end of the input. */
  memoryBytes(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.exports.memory.buffer, 0, this.inputAt + this.inputBytes);
  }

  bytes(column: Column, length: number): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.exports.memory.buffer, this.exports[column].value, length);
  }

  refs(column: Column, length: number): Int32Array<ArrayBuffer> {
    return new Int32Array(this.exports.memory.buffer, this.exports[column].value, length);
  }

  words(column: Column, length: number): Uint32Array<ArrayBuffer> {
    return new Uint32Array(this.exports.memory.buffer, this.exports[column].value, length);
  }

  doubles(column: Column, length: number): Float64Array<ArrayBuffer> {
    return new Float64Array(this.exports.memory.buffer, this.exports[column].value, length);
  }
}

function aligned(place: number): number {
  return (place + 7) & ~7;
}
