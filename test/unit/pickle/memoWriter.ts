import { PickleWriter } from '../../support/pickleWriter.js';

type Write = (writer: MemoWriter) => unknown;

/**
 * Who writes: CPython with protocol 2 or 4, or PyTorch's C++ writer, which numbers a container behind its content, texts by
 * value, and nothing that is there once, and puts all items of a list into one batch.
 */
export type Dialect = 'cpython2' | 'cpython4' | 'cpp';

/** Writes as picklers do: everything is numbered, and named again by its number. */
export class MemoWriter {
  private readonly writer: PickleWriter;
  private readonly slots = new Map<string, number>();
  private count = 0;

  /** @param bufferEnds asked in front of every object: true where a buffer of the writer's ends, which protocol 4 shows */
  constructor(
    private readonly dialect: Dialect = 'cpython4',
    private readonly bufferEnds: () => boolean = () => false,
  ) {
    this.writer = new PickleWriter(dialect === 'cpython4' ? 4 : 2);
  }

  /** A text that is one object wherever it occurs. */
  shared(text: string): this {
    return this.same(`text ${text}`, () => this.fresh(text));
  }

  /** A text that is an object of its own. */
  fresh(text: string): this {
    if (this.dialect === 'cpp') return this.same(`text ${text}`, (writer) => writer.textAlone(text));
    return this.textAlone(text).memoize();
  }

  /** The value that `write` writes first; its number from then on. */
  same(name: string, write: Write): this {
    const slot = this.slots.get(name);
    if (slot === undefined && this.dialect === 'cpp') {
      write(this);
      // A text that is shared under another name has its number.
      if (this.slots.has(name)) return this;
      this.slots.set(name, this.count);
      this.put();
    } else if (slot === undefined) {
      this.slots.set(name, this.count);
      write(this);
    } else {
      this.begin();
      if (slot < 256) this.writer.bytes(0x68, slot);
      else this.writer.bytes(0x6a, slot & 255, (slot >> 8) & 255, (slot >> 16) & 255, slot >>> 24);
    }
    return this;
  }

  /** Gives the number of a shared key or of something named another meaning, and takes it off the stack. */
  overwrite(name: string, write: (writer: PickleWriter) => unknown): this {
    const slot = this.slots.get(name) ?? this.slots.get(`text ${name}`) ?? 0;
    write(this.writer);
    this.writer.bytes(0x72, slot & 255, (slot >> 8) & 255, (slot >> 16) & 255, slot >>> 24, 0x30);
    return this;
  }

  int(value: number): this {
    this.begin();
    if (value >= 0 && value < 0x100) this.writer.bytes(0x4b, value);
    else if (value >= 0 && value < 0x10000) this.writer.bytes(0x4d, value & 255, value >> 8);
    else if (value >= -0x80000000 && value < 0x80000000) {
      this.writer.bytes(0x4a, value & 255, (value >> 8) & 255, (value >> 16) & 255, (value >> 24) & 255);
    } else {
      const bytes = [];
      for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) bytes.push(rest % 256);
      if (bytes[bytes.length - 1] >= 0x80) bytes.push(0);
      this.writer.bytes(0x8a, bytes.length, ...bytes);
    }
    return this;
  }

  none(): this {
    this.begin();
    this.writer.bytes(0x4e);
    return this;
  }

  pair(first: number, second: number): this {
    this.int(first).int(second).writer.bytes(0x86);
    return this.memoize();
  }

  dict(entries: readonly (readonly [key: string, write: Write])[]): this {
    this.begin();
    this.writer.bytes(0x7d);
    this.memoize().writer.bytes(0x28);
    for (const [key, write] of entries) {
      this.shared(key);
      write(this);
    }
    this.begin();
    this.writer.bytes(0x75);
    return this;
  }

  list(items: readonly Write[]): this {
    this.begin();
    this.writer.bytes(0x5d);
    this.memoize();
    if (this.dialect === 'cpp') {
      this.writer.bytes(0x28);
      for (const item of items) item(this);
      this.writer.bytes(0x65);
      return this;
    }
    if (items.length === 1) {
      items[0](this);
      this.writer.bytes(0x61);
      return this;
    }
    for (let start = 0; start < items.length; start += 1000) {
      this.writer.bytes(0x28);
      for (const item of items.slice(start, start + 1000)) item(this);
      this.writer.bytes(0x65);
    }
    return this;
  }

  stop(): Uint8Array {
    return this.writer.stop();
  }

  private textAlone(text: string): this {
    this.begin();
    const utf8 = new TextEncoder().encode(text);
    if (utf8.length < 256 && this.dialect === 'cpython4') this.writer.bytes(0x8c, utf8.length).raw(utf8);
    else this.writer.text(text);
    return this;
  }

  private begin(): void {
    if (this.bufferEnds()) this.writer.bytes(0x95, 0, 0, 1, 0, 0, 0, 0, 0);
  }

  /** The value that the C++ writer does not number. */
  private memoize(): this {
    return this.dialect === 'cpp' ? this : this.put();
  }

  private put(): this {
    const slot = this.count++;
    if (this.dialect === 'cpython4') this.writer.bytes(0x94);
    else if (slot < 256) this.writer.bytes(0x71, slot);
    else this.writer.bytes(0x72, slot & 255, (slot >> 8) & 255, (slot >> 16) & 255, slot >>> 24);
    return this;
  }
}
