/** Looks into a zip file, such as a packed extension. */
import { readFileSync } from 'node:fs';
import { inflateRawSync } from 'node:zlib';

export interface ZipEntry {
  name: string;
  /** Unpacked. */
  read(): Buffer;
}

const endOfDirectory = 0x06054b50;
const directoryEntry = 0x02014b50;

/** @throws Error if the file does not end with a zip directory */
export function zipEntries(path: string): ZipEntry[] {
  const bytes = readFileSync(path);
  let end = bytes.length - 22;
  while (end >= 0 && bytes.readUInt32LE(end) !== endOfDirectory) end--;
  if (end < 0) throw new Error(`${path} is not a zip file.`);
  const entries: ZipEntry[] = [];
  let at = bytes.readUInt32LE(end + 16);
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left--) {
    if (bytes.readUInt32LE(at) !== directoryEntry) throw new Error(`${path} has a broken directory.`);
    const method = bytes.readUInt16LE(at + 10);
    const packedSize = bytes.readUInt32LE(at + 20);
    const nameLength = bytes.readUInt16LE(at + 28);
    const header = bytes.readUInt32LE(at + 42);
    entries.push({
      name: bytes.toString('utf8', at + 46, at + 46 + nameLength),
      read: () => {
        const start = header + 30 + bytes.readUInt16LE(header + 26) + bytes.readUInt16LE(header + 28);
        const packed = bytes.subarray(start, start + packedSize);
        return method === 0 ? packed : inflateRawSync(packed);
      },
    });
    at += 46 + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return entries;
}
