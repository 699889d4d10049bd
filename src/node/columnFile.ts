/**
 * Columns in a file: a prologue, a header in JSON, and the columns as in memory, each at a multiple of 8. The prologue
 * is written last, with length and checksum: this detects truncated, changed and unfinished files.
 * 0 magic, 8 bytes; 8 length of the file, f64; 16 length of the header, u32; 20 CRC-32, u32
 */
import { isDeepStrictEqual } from 'node:util';
import { crc32 } from 'node:zlib';
import { parseJson } from '../core/formats/json/parseJson.js';
import { columnType, type Column, type ColumnType } from '../core/model/snapshotCodec.js';

const MAGIC = Buffer.from('LKLNcol\0', 'latin1');
const PROLOGUE = 24;
const ALIGNMENT = 8;
/** Per read and write: between two of them the thread does other things. */
const PIECE = 8 << 20;

/** A file that is open for writing: `FileHandle`, or memory. */
export interface WritableFile {
  write(bytes: Uint8Array, from: number, length: number, at: number): Promise<{ bytesWritten: number }>;
}

/** A file that is open for reading: `FileHandle`, or memory. */
export interface ReadableFile {
  stat(): Promise<{ size: number }>;
  read(into: Uint8Array, from: number, length: number, at: number): Promise<{ bytesRead: number }>;
}

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
export async function writeColumnFile(file: WritableFile, { facts, columns }: ColumnFile): Promise<void> {
  const entries = Object.entries(columns);
  const header: Header = {
    facts,
    columns: entries.map(([name, column]) => [name, columnType(column), column.length]),
  };
  const text = JSON.stringify(header);
  // Settings may hold infinities, which JSON has not.
  if (!isDeepStrictEqual(JSON.parse(text), header)) throw new RangeError('the facts do not fit JSON');
  const headerBytes = Buffer.from(text);
  let crc = 0;
  let at = PROLOGUE;
  const append = async (bytes: Uint8Array): Promise<void> => {
    for (let from = 0; from < bytes.length; from += PIECE) {
      const piece = bytes.subarray(from, from + PIECE);
      crc = crc32(piece, crc);
      await writeFully(file, piece, at);
      at += piece.length;
    }
    const gap = padding(at);
    if (gap > 0) {
      const zeros = new Uint8Array(gap);
      crc = crc32(zeros, crc);
      await writeFully(file, zeros, at);
      at += gap;
    }
  };
  await append(headerBytes);
  for (const [, column] of entries) {
    await append(new Uint8Array(column.buffer, column.byteOffset, column.byteLength));
  }
  const prologue = Buffer.alloc(PROLOGUE);
  MAGIC.copy(prologue);
  prologue.writeDoubleLE(at, 8);
  prologue.writeUInt32LE(headerBytes.length, 16);
  prologue.writeUInt32LE(crc, 20);
  await writeFully(file, prologue, 0);
}

/**
 * Reads columns, in as much memory as the file is long.
 * @throws RangeError if the file is invalid; the values of facts and columns are not checked
 */
export async function readColumnFile(file: ReadableFile): Promise<ColumnFile> {
  const { size } = await file.stat();
  const prologue = await readPiece(file, Buffer.alloc(PROLOGUE), 0);
  if (!prologue.subarray(0, MAGIC.length).equals(MAGIC) || prologue.readDoubleLE(8) !== size) {
    throw new RangeError('the file is not whole');
  }
  const content = new Uint8Array(size - PROLOGUE);
  let crc = 0;
  for (let from = 0; from < content.length; from += PIECE) {
    crc = crc32(await readPiece(file, content.subarray(from, from + PIECE), PROLOGUE + from), crc);
  }
  if (crc !== prologue.readUInt32LE(20)) throw new RangeError('the checksum is wrong');
  return parse(content, prologue.readUInt32LE(16));
}

function parse(content: Uint8Array<ArrayBuffer>, headerLength: number): ColumnFile {
  if (headerLength > content.length) throw new RangeError('the header is longer than the file');
  const header = parseJson(Buffer.from(content.buffer, 0, headerLength).toString()) as Partial<Header> | null;
  if (!Array.isArray(header?.columns)) throw new RangeError('there is no header');
  const columns: Record<string, Column> = {};
  let at = headerLength + padding(headerLength);
  for (const [name, type, length] of header.columns) {
    if (!Object.hasOwn(CREATE, type)) throw new RangeError('a column has no type');
    columns[name] = CREATE[type](content.buffer, at, length); // throws if it leads out of the file
    at += length * WIDTH[type];
    at += padding(at);
  }
  if (at !== content.length) throw new RangeError('the columns do not fill the file');
  return { facts: header.facts, columns };
}

function padding(at: number): number {
  return -at & (ALIGNMENT - 1);
}

async function writeFully(file: WritableFile, bytes: Uint8Array, at: number): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    written += (await file.write(bytes, written, bytes.length - written, at + written)).bytesWritten;
  }
}

async function readPiece<T extends Uint8Array>(file: ReadableFile, into: T, at: number): Promise<T> {
  let filled = 0;
  while (filled < into.length) {
    const { bytesRead } = await file.read(into, filled, into.length - filled, at + filled);
    if (bytesRead === 0) throw new RangeError('the file ends early');
    filled += bytesRead;
  }
  return into;
}
