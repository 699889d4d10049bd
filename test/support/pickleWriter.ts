/** Writes pickles by hand, opcode by opcode: what no honest writer would write, for tests of the reader. */
export class PickleWriter {
  private readonly parts: Uint8Array[] = [];

  constructor(protocol = 4) {
    this.bytes(0x80, protocol);
  }

  bytes(...values: number[]): this {
    this.parts.push(Uint8Array.from(values));
    return this;
  }

  text(value: string): this {
    const utf8 = new TextEncoder().encode(value);
    return this.bytes(0x58, utf8.length & 255, (utf8.length >> 8) & 255, (utf8.length >> 16) & 255, 0).raw(utf8);
  }

  raw(value: Uint8Array): this {
    this.parts.push(value);
    return this;
  }

  /** A dictionary of texts to whatever `write` adds for each key. */
  dict(entries: Record<string, (writer: PickleWriter) => unknown>): this {
    this.bytes(0x7d, 0x28);
    for (const [key, write] of Object.entries(entries)) {
      this.text(key);
      write(this);
    }
    return this.bytes(0x75);
  }

  list(items: readonly ((writer: PickleWriter) => unknown)[]): this {
    this.bytes(0x5d, 0x28);
    for (const write of items) write(this);
    return this.bytes(0x65);
  }

  int(value: number): this {
    const bytes = new Uint8Array(10);
    bytes.set([0x8a, 8]);
    new DataView(bytes.buffer).setBigInt64(2, BigInt(value), true);
    return this.raw(bytes);
  }

  /** Everything so far, closed by STOP. */
  stop(): Uint8Array {
    this.bytes(0x2e);
    return Buffer.concat(this.parts);
  }
}
