/**
 * One input of a fleet in a file, equal on every node: the columns of a digest, or all of another input, compressed
 * portably.
 */
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Bytes } from '../core/model/units.js';
import { columnBytes, columnsIn, type ColumnFile } from './columnFile.js';
import { readSmallFile } from './fileSource.js';
import { digestFile, digestIn, type StoredDigest } from './storedReading.js';
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
  return portableGzip(columnBytes({ facts: { schema: SCHEMA, version: VERSION, ...(facts as object) }, columns }));
}

/**
 * Reads an input's file. @returns the input, and its size without compression @throws OtherVersionError; RangeError or Error of zlib and the file system if it is invalid
 */
export async function readFleetFile(path: string): Promise<FleetInput & { readonly size: Bytes }> {
  const { bytes, mtimeMs } = await readSmallFile(path, MAX_BYTES);
  const unpacked = await promisify(gunzip)(bytes, { maxOutputLength: MAX_BYTES });
  const size = unpacked.length;
  // The copy begins at an address that all types of columns can begin at.
  const file = columnsIn(new Uint8Array(unpacked).buffer);
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
