import type { ReadableFile, WritableFile } from './columnFile.js';

/** A file in memory. */
export class MemoryFile implements ReadableFile, WritableFile {
  constructor(private bytes = Buffer.alloc(0)) {}

  get content(): Buffer {
    return this.bytes;
  }

  stat(): Promise<{ size: number }> {
    return Promise.resolve({ size: this.bytes.length });
  }

  read(into: Uint8Array, from: number, length: number, at: number): Promise<{ bytesRead: number }> {
    return Promise.resolve({ bytesRead: this.bytes.copy(into, from, at, at + length) });
  }

  write(bytes: Uint8Array, from: number, length: number, at: number): Promise<{ bytesWritten: number }> {
    if (at + length > this.bytes.length) this.bytes = Buffer.concat([this.bytes], at + length);
    this.bytes.set(bytes.subarray(from, from + length), at);
    return Promise.resolve({ bytesWritten: length });
  }
}
