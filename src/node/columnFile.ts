/**
 * Columns in a file: a prologue, a header in JSON, and the columns as in memory, each at a multiple of 8. The prologue
 * is written last, with length and checksum: this detects truncated, changed and unfinished files.
 * 0 magic, 8 bytes; 8 length of the file, f64; 16 length of the header, u32; 20 CRC-32, u32
 */
import type { FileHandle } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { crc32 } from 'node:zlib';
import { parseJson } from '../core/formats/json/parseJson.js';
import { columnType, type Column, type ColumnType } from '../core/model/snapshotCodec.js';

const MAGIC = Buffer.from('LKLNcol\0', 'latin1');
const PROLOGUE = 24;
const ALIGNMENT = 8;
/** Per read and write: between two of them the thread does other things. */
const PIECE = 8 << 20;

/** The content of a file. */
export interface ColumnFile<Facts = unknown> {
  /** Data that JSON does not change. */
  readonly facts: Facts;
  readonly columns: Readonly<Record<string, Column>>;
}

interface Header {
  facts: unknown;
  /** Columns in the order of the file. */
  columns: [name: string, type: ColumnType, length: number][];
}

const CREATE: Readonly<Record<ColumnType, (buffer: ArrayBuffer, at: number, length: number) => Column>> = {
  u8: (buffer, at, length) => new Uint8Array(buffer, at, length),
  u32: (buffer, at, length) => new Uint32Array(buffer, at, length),
  i32: (buffer, at, length) => new Int32Array(buffer, at, length),
  f64: (buffer, at, length) => new Float64Array(buffer, at, length),
};
const WIDTH: Readonly<Record<ColumnType, number>> = { u8: 1, u32: 4, i32: 4, f64: 8 };

/** Writes columns into an empty file. @throws Error of the file system; RangeError if JSON would change the facts */
export async function writeColumnFile(file: FileHandle, content: ColumnFile): Promise<void> {
  const { headerLength, parts } = partsOf(content);
  let crc = 0;
  let length = PROLOGUE;
  // Each call continues where the last one has ended.
  await file.writeFile(Buffer.alloc(PROLOGUE));
  for (const part of parts) {
    for (let from = 0; from < part.length; from += PIECE) {
      const piece = part.subarray(from, from + PIECE);
      crc = crc32(piece, crc);
      await file.writeFile(piece);
      length += piece.length;
    }
  }
  await file.write(prologueOf(length, headerLength, crc), 0, PROLOGUE, 0);
}

/** The bytes that {@link writeColumnFile} writes. @throws RangeError if JSON would change the facts */
export function columnBytes(content: ColumnFile): Buffer {
  const { headerLength, parts } = partsOf(content);
  const bytes = Buffer.concat([Buffer.alloc(PROLOGUE), ...parts]);
  prologueOf(bytes.length, headerLength, crc32(bytes.subarray(PROLOGUE))).copy(bytes);
  return bytes;
}

/**
 * Reads columns, in as much memory as the file is long.
 * @throws RangeError if the file is invalid; the values of facts and columns are not checked
 */
export async function readColumnFile(file: FileHandle): Promise<ColumnFile> {
  const { size } = await file.stat();
  expectWhole(await readPiece(file, Buffer.alloc(PROLOGUE), 0), size);
  const bytes = new Uint8Array(size);
  for (let from = 0; from < size; from += PIECE) await readPiece(file, bytes.subarray(from, from + PIECE), from);
  return columnsIn(bytes.buffer);
}

/** The columns of a file, without a copy. @throws RangeError if the file is invalid, see {@link readColumnFile} */
export function columnsIn(file: ArrayBuffer): ColumnFile {
  const prologue = Buffer.from(file, 0, PROLOGUE);
  expectWhole(prologue, file.byteLength);
  if (crc32(Buffer.from(file, PROLOGUE)) !== prologue.readUInt32LE(20)) throw new RangeError('the checksum is wrong');
  const headerLength = prologue.readUInt32LE(16);
  // Throws, as a column does, if it leads out of the file.
  const header = parseJson(Buffer.from(file, PROLOGUE, headerLength).toString()) as Partial<Header> | null;
  if (!Array.isArray(header?.columns)) throw new RangeError('there is no header');
  const columns: Record<string, Column> = {};
  let at = PROLOGUE + headerLength + padding(headerLength);
  for (const [name, type, length] of header.columns) {
    if (!Object.hasOwn(CREATE, type)) throw new RangeError('a column has no type');
    columns[name] = CREATE[type](file, at, length);
    at += length * WIDTH[type];
    at += padding(at);
  }
  if (at !== file.byteLength) throw new RangeError('the columns do not fill the file');
  return { facts: header.facts, columns };
}

/** The bytes behind the prologue. @returns also the length of the header, which comes first */
function partsOf({ facts, columns }: ColumnFile): { headerLength: number; parts: Uint8Array[] } {
  const entries = Object.entries(columns);
  const header: Header = {
    facts,
    columns: entries.map(([name, column]) => [name, columnType(column), column.length]),
  };
  const text = JSON.stringify(header);
  // Settings may hold infinities, which JSON has not.
  if (!isDeepStrictEqual(JSON.parse(text), header)) throw new RangeError('the facts do not fit JSON');
  const headerBytes = Buffer.from(text);
  const contents = entries.map(([, { buffer, byteOffset, byteLength }]) => Buffer.from(buffer, byteOffset, byteLength));
  return {
    headerLength: headerBytes.length,
    parts: [headerBytes, ...contents].flatMap((part) => [part, Buffer.alloc(padding(part.length))]),
  };
}

function prologueOf(length: number, headerLength: number, crc: number): Buffer {
  const prologue = Buffer.alloc(PROLOGUE);
  MAGIC.copy(prologue);
  prologue.writeDoubleLE(length, 8);
  prologue.writeUInt32LE(headerLength, 16);
  prologue.writeUInt32LE(crc, 20);
  return prologue;
}

function expectWhole(prologue: Buffer, size: number): void {
  if (!prologue.subarray(0, MAGIC.length).equals(MAGIC) || prologue.readDoubleLE(8) !== size) {
    throw new RangeError('the file is not whole');
  }
}

function padding(at: number): number {
  return -at & (ALIGNMENT - 1);
}

async function readPiece<T extends Uint8Array>(file: FileHandle, into: T, at: number): Promise<T> {
  let filled = 0;
  while (filled < into.length) {
    const { bytesRead } = await file.read(into, filled, into.length - filled, at + filled);
    if (bytesRead === 0) throw new RangeError('the file ends early');
    filled += bytesRead;
  }
  return into;
}
