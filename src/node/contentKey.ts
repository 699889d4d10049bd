import { createHash } from 'node:crypto';
import type { ByteSource } from '../core/bytes/byteSource.js';
import { readFully } from '../core/bytes/readFully.js';
import type { FileState, OpenFile } from './fileSource.js';

/** Bytes that are read at the head and at the tail. */
const END_BYTES = 1 << 16;
/** Number and size of samples, evenly spread. */
const LOOKS = 14;
const LOOK_BYTES = 1 << 12;
/** Length of a key, half the number of its hexadecimal digits. */
const KEY_BYTES = 20;

/** Clocks of file systems tick at least this often … */
const FINE_TICK_MS = 100;
/** … except for clocks of one or two seconds. */
const COARSE_TICK_MS = 3_000;

/**
 * The key of an open file for one version of the reader: size, inode, both times and samples of its bytes. Hashing
 * everything would read gigabytes. Writing in place changes the change time; a copy has another inode or bytes.
 * `isSettled` covers a second write within one tick of the clock.
 * @param version of the code that reads
 * @param member index of a snapshot in the file
 * @returns letters and digits
 */
export function contentKey({ source, state }: OpenFile, version: string, member: number): Promise<string> {
  return sampleKey(source, state.size, [version, state.size, state.mtimeMs, state.ctimeMs, state.inode, member]);
}

/** Like `contentKey`, but equal for copies of a file on any machine: by size and samples alone. */
export function copyKey({ source, state }: OpenFile, version: string): Promise<string> {
  return sampleKey(source, state.size, [version, state.size]);
}

async function sampleKey(source: ByteSource, size: number, identity: readonly unknown[]): Promise<string> {
  const hash = createHash('sha256');
  hash.update(JSON.stringify(identity));
  const tail = Math.max(END_BYTES, size - END_BYTES);
  hash.update(await readFully(source, 0, END_BYTES));
  for (let look = 1; look <= LOOKS && size > END_BYTES; look++) {
    const at = END_BYTES + Math.floor(((tail - END_BYTES) * look) / (LOOKS + 1));
    hash.update(await readFully(source, at, LOOK_BYTES));
  }
  if (size > END_BYTES) hash.update(await readFully(source, tail, END_BYTES));
  return hash.digest().toString('hex', 0, KEY_BYTES);
}

/**
 * The key of a snapshot's digest, which depends on its sidecar.
 * @param content of the snapshot
 * @param sidecar all of its text, null if there is none
 */
export function digestKey(content: string, sidecar: string | null): string {
  const hash = createHash('sha256').update(JSON.stringify([content, sidecar === null]));
  return hash
    .update(sidecar ?? '')
    .digest()
    .toString('hex', 0, KEY_BYTES);
}

/**
 * True if the file is older than `nowMs` by so much that a later write has another time. Only then its key is unique.
 */
export function isSettled({ mtimeMs, ctimeMs }: FileState, nowMs: number): boolean {
  const isCoarse = mtimeMs % 1000 === 0 || ctimeMs % 1000 === 0;
  return nowMs - Math.max(mtimeMs, ctimeMs) > (isCoarse ? COARSE_TICK_MS : FINE_TICK_MS);
}
