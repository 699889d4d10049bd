/**
 * Writes the bytes that a pickler writes: memo, batches of 1000, and with protocol 4 frames of 64 KiB; or those of PyTorch's
 * C++ writer.
 */
import { closeSync, openSync, writeSync } from 'node:fs';

const FRAME_TARGET = 64 * 1024;
const BATCH = 1000;

/**
 * CPython's C pickler with protocol 4 or 2; or PyTorch's C++ writer, which memoizes texts by value, containers behind their
 * content and only if they are shared, and writes a list in one batch.
 */
export type Dialect = 'protocol4' | 'protocol2' | 'cpp';

/** Where an object was memoized; -1 before it was. */
export type MemoSlot = number;

export class PickleStream {
  private readonly file: number;
  private readonly frame = Buffer.alloc(2 * FRAME_TARGET);
  private filled = 0;
  private memoized = 0;
  private readonly shared = new Map<string, MemoSlot>();
  /** Bytes written so far. */
  bytes = 0;

  constructor(
    path: string,
    private readonly dialect: Dialect = 'protocol4',
  ) {
    this.file = openSync(path, 'w');
    this.write(Buffer.from([0x80, dialect === 'protocol4' ? 4 : 2]));
  }

  /** The end: STOP, and the file closed. */
  stop(): void {
    this.op(0x2e);
    this.endFrame();
    closeSync(this.file);
  }

  /** A text that is one object wherever it occurs, as interned keys are. */
  sharedText(text: string): void {
    const slot = this.shared.get(text);
    if (slot === undefined) this.shared.set(text, this.ownText(text));
    else this.get(slot);
  }

  /** A text that is an object of its own. */
  freshText(text: string): void {
    if (this.dialect === 'cpp') this.sharedText(text);
    else this.ownText(text);
  }

  private ownText(text: string): MemoSlot {
    this.begin();
    const utf8 = Buffer.from(text);
    if (utf8.length < 256 && this.dialect === 'protocol4') {
      this.op(0x8c);
      this.op(utf8.length);
    } else {
      this.op(0x58);
      this.frame.writeUInt32LE(utf8.length, this.filled);
      this.filled += 4;
    }
    utf8.copy(this.frame, this.filled);
    this.filled += utf8.length;
    return this.memoize();
  }

  int(value: number): void {
    this.begin();
    if (value >= 0 && value < 0x100) {
      this.op(0x4b);
      this.op(value);
    } else if (value >= 0 && value < 0x10000) {
      this.op(0x4d);
      this.frame.writeUInt16LE(value, this.filled);
      this.filled += 2;
    } else if (value >= -0x80000000 && value < 0x80000000) {
      this.op(0x4a);
      this.frame.writeInt32LE(value, this.filled);
      this.filled += 4;
    } else {
      let rest = BigInt(value);
      const at = this.filled + 2;
      let length = 0;
      do {
        this.frame[at + length++] = Number(rest & 0xffn);
        rest >>= 8n;
      } while (rest > 0n);
      if (this.frame[at + length - 1] >= 0x80) this.frame[at + length++] = 0;
      this.op(0x8a);
      this.op(length);
      this.filled = at + length;
    }
  }

  float(value: number): void {
    this.begin();
    this.op(0x47);
    this.frame.writeDoubleBE(value, this.filled);
    this.filled += 8;
  }

  bool(value: boolean): void {
    this.begin();
    this.op(value ? 0x88 : 0x89);
  }

  /** A tuple of two small numbers, an object of its own. */
  pair(first: number, second: number): void {
    this.begin();
    this.int(first);
    this.int(second);
    this.op(0x86);
    if (this.dialect !== 'cpp') this.memoize();
  }

  /**
   * A list of `count` items; `item` writes each.
   * @param isShared true if it is mentioned again
   * @returns its slot, for later mentions
   */
  list(count: number, item: (index: number) => void, isShared = false): MemoSlot {
    this.begin();
    this.op(0x5d);
    if (this.dialect === 'cpp') {
      this.op(0x28);
      for (let index = 0; index < count; index++) item(index);
      this.begin();
      this.op(0x65);
      return isShared ? this.memoize() : -1;
    }
    const slot = this.memoize();
    if (count === 1) {
      item(0);
      this.op(0x61);
      return slot;
    }
    for (let start = 0; start < count; start += BATCH) {
      this.op(0x28);
      for (let index = start; index < Math.min(start + BATCH, count); index++) item(index);
      this.op(0x65);
    }
    return slot;
  }

  /**
   * A dictionary with shared keys; `fields` writes key after value through {@link sharedText}.
   * @param isShared true if it is mentioned again
   */
  dict(fields: () => void, isShared = false): MemoSlot {
    this.begin();
    this.op(0x7d);
    const slot = this.dialect === 'cpp' ? -1 : this.memoize();
    this.op(0x28);
    fields();
    this.op(0x75);
    return this.dialect === 'cpp' && isShared ? this.memoize() : slot;
  }

  /** A mention of an object that was written before. */
  get(slot: MemoSlot): void {
    this.begin();
    if (slot < 0x100) {
      this.op(0x68);
      this.op(slot);
    } else {
      this.op(0x6a);
      this.frame.writeUInt32LE(slot, this.filled);
      this.filled += 4;
    }
  }

  private memoize(): MemoSlot {
    const slot = this.memoized++;
    if (this.dialect === 'protocol4') this.op(0x94);
    else if (slot < 0x100) {
      this.op(0x71);
      this.op(slot);
    } else {
      this.op(0x72);
      this.frame.writeUInt32LE(slot, this.filled);
      this.filled += 4;
    }
    return slot;
  }

  private op(byte: number): void {
    this.frame[this.filled++] = byte;
  }

  /** Another object begins: CPython ends frames here, and nowhere else. */
  private begin(): void {
    if (this.filled >= FRAME_TARGET) this.endFrame();
  }

  private endFrame(): void {
    if (this.dialect === 'protocol4') {
      const head = Buffer.alloc(9);
      head[0] = 0x95;
      head.writeBigUInt64LE(BigInt(this.filled), 1);
      this.write(head);
    }
    this.write(this.frame.subarray(0, this.filled));
    this.filled = 0;
  }

  private write(bytes: Buffer): void {
    for (let at = 0; at < bytes.length;) at += writeSync(this.file, bytes, at);
    this.bytes += bytes.length;
  }
}
