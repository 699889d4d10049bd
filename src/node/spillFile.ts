import { mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bytes } from '../core/model/units.js';

export interface StoredBytes {
  read(): Uint8Array;
}

export type StoreBytes = (bytes: Uint8Array) => StoredBytes;

/** Maximum size of the file. What exceeds it stays in memory, because space is not reused. */
const MAX_BYTES: Bytes = 2 ** 31;

/** Memory of one thread on the disk: a temporary file that goes with the thread. */
export class SpillFile {
  /** Null before the first bytes; `none` if no file can be written. */
  private file: number | 'none' | null = null;
  private used: Bytes = 0;

  /** Never fails: unwritten bytes stay in memory. */
  readonly keep: StoreBytes = (bytes) => {
    const file = (this.file ??= openUnnamed());
    if (file === 'none' || this.used + bytes.length > MAX_BYTES) return { read: () => bytes };
    const at = this.used;
    try {
      for (let done = 0; done < bytes.length;) {
        done += writeSync(file, bytes, done, bytes.length - done, at + done);
      }
    } catch {
      return { read: () => bytes };
    }
    this.used += bytes.length;
    return new OnDisk(file, at, bytes.length);
  };
}

/** A function would hold the variables of its scope, and with them the bytes. */
class OnDisk implements StoredBytes {
  constructor(
    private readonly file: number,
    private readonly at: Bytes,
    private readonly length: Bytes,
  ) {}

  read(): Uint8Array {
    const bytes = new Uint8Array(this.length);
    for (let done = 0; done < this.length;) {
      const read = readSync(this.file, bytes, done, this.length - done, this.at + done);
      if (read === 0) throw new Error('leakline: the temporary file was cut off');
      done += read;
    }
    return bytes;
  }
}

/** The name goes at once: no end of the process leaves the file behind. */
function openUnnamed(): number | 'none' {
  try {
    const folder = mkdtempSync(join(tmpdir(), 'leakline-memory-'));
    try {
      return openSync(join(folder, 'digests'), 'wx+', 0o600);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  } catch {
    return 'none';
  }
}
