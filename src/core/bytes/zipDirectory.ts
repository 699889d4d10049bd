import type { ByteSource } from './byteSource.js';
import { inflateSource } from './inflatingSource.js';
import { readFully } from './readFully.js';
import { sliceSource } from './sliceSource.js';
import { SnapshotError } from './snapshotError.js';
import { t } from '../text/translate.js';

/** A member of a zip archive, as its central directory describes it. */
export interface ZipMember {
  name: string;
  /** 0 stored, 8 deflated. */
  method: number;
  encrypted: boolean;
  packedSize: number;
  size: number;
  crc: number;
  /** Offset of the member's local header. */
  header: number;
}

const END = 0x06054b50;
const END_BYTES = 22;
const END_64_LOCATOR = 0x07064b50;
const END_64_LOCATOR_BYTES = 20;
const END_64 = 0x06064b50;
const END_64_BYTES = 56;
const ENTRY = 0x02014b50;
const ENTRY_BYTES = 46;
const LOCAL = 0x04034b50;
const LOCAL_BYTES = 30;
const MAX_COMMENT = 0xffff;
const ZIP64_FIELD = 1;
const IS_64 = 0xffffffff;
const STORED = 0;
const DEFLATED = 8;

/** A checkpoint of a large model has some ten thousand members. */
const MAX_DIRECTORY = 1 << 24;

/**
 * Lists the members of a zip archive, ZIP64 included.
 * @throws SnapshotError `truncated` without the directory at the end; `notASnapshot` if it is invalid
 */
export async function zipMembers(source: ByteSource): Promise<ZipMember[]> {
  const tailStart = Math.max(0, source.size - END_BYTES - MAX_COMMENT - END_64_LOCATOR_BYTES);
  const tail = viewOf(await readFully(source, tailStart, source.size - tailStart));
  let end = tail.byteLength - END_BYTES;
  while (end >= 0 && !(tail.getUint32(end, true) === END && commentFits(tail, end))) end--;
  if (end < 0) {
    throw new SnapshotError(
      'truncated',
      t(
        '{0} is a zip archive without its directory: it is still being written or truncated. ' +
          'Wait until it is complete.',
        source.name,
      ),
    );
  }
  let size = tail.getUint32(end + 12, true);
  let offset = tail.getUint32(end + 16, true);
  const locator = end - END_64_LOCATOR_BYTES;
  if (locator >= 0 && tail.getUint32(locator, true) === END_64_LOCATOR) {
    const record = viewOf(await readFully(source, uint64(tail, locator + 8), END_64_BYTES));
    if (record.byteLength < END_64_BYTES || record.getUint32(0, true) !== END_64) throw damaged(source);
    size = uint64(record, 40);
    offset = uint64(record, 48);
  }
  if (offset + size > source.size) throw damaged(source);
  if (size > MAX_DIRECTORY) {
    throw new SnapshotError(
      'limit',
      t(
        '{0} is a zip archive with a directory of {1} bytes, more than Leakline allows. ' +
          'Extract the snapshot from it.',
        source.name,
        size,
      ),
    );
  }
  const members = entries(source, viewOf(await readFully(source, offset, size)));
  // Overlapping members would be read repeatedly.
  if (members.reduce((sum, { packedSize }) => sum + packedSize, 0) > source.size) throw damaged(source);
  return members;
}

/** The contents of a member. @throws SnapshotError `unsupported` if it is encrypted or has an unknown method */
export async function openMember(source: ByteSource, member: ZipMember): Promise<ByteSource> {
  if (member.encrypted || (member.method !== STORED && member.method !== DEFLATED)) {
    throw new SnapshotError(
      'unsupported',
      t(
        '{0} holds {1} encrypted or packed by method {2}. Extract it from the archive.',
        source.name,
        member.name,
        member.method,
      ),
    );
  }
  const local = viewOf(await readFully(source, member.header, LOCAL_BYTES));
  if (local.byteLength < LOCAL_BYTES || local.getUint32(0, true) !== LOCAL) throw damaged(source);
  const start = member.header + LOCAL_BYTES + local.getUint16(26, true) + local.getUint16(28, true);
  if (start + member.packedSize > source.size) throw damaged(source);
  const packed = sliceSource(source, start, member.packedSize);
  if (member.method === DEFLATED) return inflateSource(packed, member);
  if (member.size !== member.packedSize) throw damaged(source);
  return packed;
}

function entries(source: ByteSource, directory: DataView): ZipMember[] {
  const members: ZipMember[] = [];
  const decoder = new TextDecoder();
  let at = 0;
  while (at + ENTRY_BYTES <= directory.byteLength) {
    if (directory.getUint32(at, true) !== ENTRY) throw damaged(source);
    const nameLength = directory.getUint16(at + 28, true);
    const extraLength = directory.getUint16(at + 30, true);
    const next = at + ENTRY_BYTES + nameLength + extraLength + directory.getUint16(at + 32, true);
    if (next > directory.byteLength) throw damaged(source);
    const member: ZipMember = {
      name: decoder.decode(new Uint8Array(directory.buffer, directory.byteOffset + at + ENTRY_BYTES, nameLength)),
      method: directory.getUint16(at + 10, true),
      encrypted: (directory.getUint16(at + 8, true) & 1) === 1,
      crc: directory.getUint32(at + 16, true),
      packedSize: directory.getUint32(at + 20, true),
      size: directory.getUint32(at + 24, true),
      header: directory.getUint32(at + 42, true),
    };
    widen(member, directory, at + ENTRY_BYTES + nameLength, extraLength);
    members.push(member);
    at = next;
  }
  return members;
}

/** Takes the numbers that do not fit 32 bits from the ZIP64 extra field. */
function widen(member: ZipMember, directory: DataView, from: number, length: number): void {
  let at = from;
  while (at + 4 <= from + length) {
    const id = directory.getUint16(at, true);
    const end = at + 4 + directory.getUint16(at + 2, true);
    let value = at + 4;
    if (id === ZIP64_FIELD && end <= from + length) {
      for (const key of ['size', 'packedSize', 'header'] as const) {
        if (member[key] !== IS_64 || value + 8 > end) continue;
        member[key] = uint64(directory, value);
        value += 8;
      }
    }
    at = end;
  }
}

function commentFits(tail: DataView, end: number): boolean {
  return end + END_BYTES + tail.getUint16(end + 20, true) === tail.byteLength;
}

/** Sizes and offsets; beyond 2^53 they exceed every source and are refused there. */
function uint64(view: DataView, at: number): number {
  return view.getUint32(at, true) + view.getUint32(at + 4, true) * 2 ** 32;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function damaged(source: ByteSource): SnapshotError {
  return new SnapshotError(
    'notASnapshot',
    t('{0} is a zip archive with a damaged directory. Copy or dump the file again.', source.name),
  );
}
