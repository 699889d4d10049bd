import { Growable } from './growable.js';
import { PROCESS_KEY, tripleHash } from './hashing.js';
import { EMPTY_STACK, UNKNOWN_LINE, type FrameTable, type StackTable } from './snapshot.js';
import type { FrameId, StackId, StringId } from './units.js';

/** Largest line number taken for one: above it stand byte offsets of libraries and -1 written as an unsigned number. */
const MAX_LINE = 0x7fffffff;

/** Frames interned by (name, file, line). */
export class FrameInterner {
  private readonly name = new Growable(Uint32Array);
  private readonly file = new Growable(Uint32Array);
  private readonly line = new Growable(Int32Array);
  // Small at first: code that has seen its table grow before it is compiled need not be compiled again.
  private table = new Uint32Array(16);

  get count(): number {
    return this.name.length;
  }

  /** @param line as recorded; anything that is not a line number becomes `UNKNOWN_LINE` */
  intern(name: StringId, file: StringId, line: number): FrameId {
    const known = line >= 0 && line <= MAX_LINE ? line : UNKNOWN_LINE;
    const mask = this.table.length - 1;
    let place = tripleHash(name, file, known, PROCESS_KEY) & mask;
    for (;;) {
      const entry = this.table[place];
      if (entry === 0) break;
      const id = entry - 1;
      if (this.name.data[id] === name && this.file.data[id] === file && this.line.data[id] === known) return id;
      place = (place + 1) & mask;
    }
    const id = this.name.length;
    this.name.push(name);
    this.file.push(file);
    this.line.push(known);
    this.table[place] = id + 1;
    if (id * 2 > this.table.length) this.rehash();
    return id;
  }

  take(): FrameTable {
    const count = this.count;
    return { count, name: this.name.take(), file: this.file.take(), line: this.line.take() };
  }

  private rehash(): void {
    const table = new Uint32Array(this.table.length * 4);
    const mask = table.length - 1;
    for (let id = 0; id < this.count; id++) {
      let place = tripleHash(this.name.data[id], this.file.data[id], this.line.data[id], PROCESS_KEY) & mask;
      while (table[place] !== 0) place = (place + 1) & mask;
      table[place] = id + 1;
    }
    this.table = table;
  }
}

/** Words that hold frame ids, some with other bits above them. */
type FrameWords = Uint32Array | Int32Array;

/** Stacks interned by their sequence of frames. */
export class StackInterner {
  private readonly offset = new Growable(Uint32Array);
  private readonly frames = new Growable(Uint32Array, 1024);
  private readonly hashes = new Growable(Uint32Array);
  private table = new Uint32Array(16);

  /** @param seed start of the hashes: a random number, so that no file can make all stacks collide */
  constructor(private readonly seed = Math.floor(Math.random() * 0x100000000)) {
    // Rows 0 and 1, NO_STACK and EMPTY_STACK: both without frames, neither to be found by value.
    this.offset.push(0);
    this.offset.push(0);
    this.offset.push(0);
    this.hashes.push(0);
    this.hashes.push(0);
  }

  get count(): number {
    return this.hashes.length;
  }

  /** Frames of all stacks together. */
  get frameCount(): number {
    return this.frames.length;
  }

  /** Interns the sequence `ids[from .. to)`, innermost first. @param mask the bits of an entry that are the frame id */
  intern(ids: FrameWords, from: number, to: number, mask: number): StackId {
    if (from === to) return EMPTY_STACK;
    let hash = this.seed ^ (to - from);
    for (let i = from; i < to; i++) {
      hash = Math.imul(hash ^ (ids[i] & mask), 0x9e3779b1);
      hash ^= hash >>> 15;
    }
    const tableMask = this.table.length - 1;
    let place = hash & tableMask;
    for (;;) {
      const entry = this.table[place];
      if (entry === 0) break;
      if (this.hashes.data[entry] === hash >>> 0 && this.equals(entry, ids, from, to, mask)) return entry;
      place = (place + 1) & tableMask;
    }
    this.frames.reserve(to - from);
    for (let i = from; i < to; i++) this.frames.data[this.frames.length++] = ids[i] & mask;
    this.offset.push(this.frames.length);
    const id = this.hashes.length;
    this.hashes.push(hash >>> 0);
    this.table[place] = id;
    if (id * 2 > this.table.length) this.rehash();
    return id;
  }

  /** Appends the frames of a stack to a column. */
  appendTo(column: Growable<Uint32Array>, stack: StackId): void {
    for (let i = this.offset.data[stack]; i < this.offset.data[stack + 1]; i++) column.push(this.frames.data[i]);
  }

  take(): StackTable {
    const count = this.count;
    return { count, offset: this.offset.take(), frames: this.frames.take() };
  }

  private equals(stack: StackId, ids: FrameWords, from: number, to: number, mask: number): boolean {
    const start = this.offset.data[stack];
    if (this.offset.data[stack + 1] - start !== to - from) return false;
    const frames = this.frames.data;
    for (let i = from, j = start; i < to; i++, j++) if (frames[j] !== (ids[i] & mask)) return false;
    return true;
  }

  private rehash(): void {
    const table = new Uint32Array(this.table.length * 4);
    const mask = table.length - 1;
    for (let id = EMPTY_STACK + 1; id < this.count; id++) {
      let place = this.hashes.data[id] & mask;
      while (table[place] !== 0) place = (place + 1) & mask;
      table[place] = id;
    }
    this.table = table;
  }
}
