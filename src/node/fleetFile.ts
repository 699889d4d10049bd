/**
 * One input of a fleet in a file, equal on every node: the columns of a digest, or all of another input, compressed
 * portably.
 */
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Bytes } from '../core/model/units.js';
import {
  readColumnFile,
  writeColumnFile,
  type ColumnFile,
  type ReadableFile,
  type WritableFile,
} from './columnFile.js';
import { readSmallFile } from './fileSource.js';
import { digestFile, digestIn, type StoredDigest } from './digestCache.js';
import { VERSION } from './version.js';

const SCHEMA = 'leakline.digest/1';
/** A digest of gigabytes takes some megabytes; a log is stored up to 64 MiB. */
const MAX_BYTES: Bytes = 96 << 20;

/** The digest of a snapshot, or all bytes of a log or cycle graph. */
export type FleetInput = StoredDigest | { readonly name: string; readonly bytes: Uint8Array };

/** A file that a different version of Leakline wrote. */
export class OtherVersionError extends Error {
  override readonly name = 'OtherVersionError';
}

/** The bytes of an input's file. */
export async function writeFleetFile(input: FleetInput): Promise<Uint8Array> {
  const { facts, columns }: ColumnFile =
    'digest' in input ? digestFile(input) : { facts: { name: input.name }, columns: { input: input.bytes } };
  const { portableGzip } = await import('./portableGzip.js');
  const file = new MemoryFile();
  await writeColumnFile(file, { facts: { schema: SCHEMA, version: VERSION, ...(facts as object) }, columns });
  return portableGzip(file.content);
}

/**
 * Reads an input's file. @returns the input, and its size without compression @throws OtherVersionError; RangeError or Error of zlib and the file system if it is invalid
 */
export async function readFleetFile(path: string): Promise<FleetInput & { readonly size: Bytes }> {
  const { bytes, mtimeMs } = await readSmallFile(path, MAX_BYTES);
  const unpacked = await promisify(gunzip)(bytes, { maxOutputLength: MAX_BYTES });
  const size = unpacked.length;
  const file = await readColumnFile(new MemoryFile(unpacked));
  const facts = (file.facts ?? {}) as Record<string, unknown>;
  if (facts['schema'] !== SCHEMA || facts['version'] !== VERSION) throw new OtherVersionError();
  const { name } = facts;
  if (typeof name === 'string' && Object.hasOwn(file.columns, 'input')) {
    const { input } = file.columns;
    if (input instanceof Uint8Array) return { name, bytes: input, size };
  }
  const { digest, members } = digestIn(file);
  // The digest's file has the time of the snapshot, because equal snapshots must give equal bytes.
  return { digest: { ...digest, savedAtUs: 1000 * mtimeMs }, members, size };
}

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
