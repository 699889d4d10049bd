import { mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bytes } from '../core/model/units.js';

/** Stores bytes. @returns a function that reads them again */
export type StoreBytes = (bytes: Uint8Array) => () => Uint8Array;

/** Bytes beyond this stay in memory: space is not reused. */
const MOST_BYTES: Bytes = 2 ** 31;

/** Memory of one thread on the disk: a temporary file that goes with the thread. */
export class SpillFile {
  /** Null before the first bytes; `none` if no file can be written. */
  private file: number | 'none' | null = null;
  private used: Bytes = 0;

  /** Never fails: unwritten bytes stay in memory. */
  readonly keep: StoreBytes = (bytes) => {
    const file = (this.file ??= openUnnamed());
    if (file === 'none' || this.used + bytes.length > MOST_BYTES) return inMemory(bytes);
    const at = this.used;
    try {
      for (let done = 0; done < bytes.length;) {
        done += writeSync(file, bytes, done, bytes.length - done, at + done);
      }
    } catch {
      return inMemory(bytes);
    }
    this.used += bytes.length;
    return onDisk(file, at, bytes.length);
  };
}

// Functions of one scope would hold each other's variables, and with them the bytes.
function inMemory(bytes: Uint8Array): () => Uint8Array {
  return () => bytes;
}

function onDisk(file: number, at: Bytes, length: Bytes): () => Uint8Array {
  return () => readAt(file, at, length);
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

function readAt(file: number, at: Bytes, length: Bytes): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let done = 0; done < length;) {
    const read = readSync(file, bytes, done, length - done, at + done);
    if (read === 0) throw new Error('leakline: the temporary file was cut off');
    done += read;
  }
  return bytes;
}
