/** Writes zip archives by hand, with the records that other writers avoid. The product only reads. */
import { crc32 } from 'node:zlib';

export interface ZipInput {
  name: string;
  /** As they lie in the archive. */
  bytes: Uint8Array;
  /** The content, if `bytes` are deflated. */
  unpacked?: Uint8Array;
}

/** @param options `zip64` puts every size and offset into ZIP64 records, whether it needs them or not */
export function zipArchive(inputs: readonly ZipInput[], options: { zip64?: boolean; comment?: string } = {}): Buffer {
  const zip64 = options.zip64 === true;
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, bytes, unpacked } of inputs) {
    const title = Buffer.from(name);
    const method = unpacked === undefined ? 0 : 8;
    const whole = unpacked ?? bytes;
    const facts = record([
      [2, method],
      [4, 0],
      [4, crc32(whole)],
      [4, zip64 ? 0xffffffff : bytes.length],
      [4, zip64 ? 0xffffffff : whole.length],
    ]);
    const local = Buffer.concat([
      record([
        [4, 0x04034b50],
        [2, 45],
        [2, 0],
      ]),
      facts,
      record([
        [2, title.length],
        [2, 0],
      ]),
      title,
    ]);
    const extra = zip64
      ? record([
          [2, 1],
          [2, 24],
          [8, whole.length],
          [8, bytes.length],
          [8, offset],
        ])
      : Buffer.alloc(0);
    directory.push(
      record([
        [4, 0x02014b50],
        [2, 45],
        [2, 45],
        [2, 0],
      ]),
      facts,
      record([
        [2, title.length],
        [2, extra.length],
        [2, 0],
        [2, 0],
        [2, 0],
        [4, 0],
        [4, zip64 ? 0xffffffff : offset],
      ]),
      title,
      extra,
    );
    parts.push(local, Buffer.from(bytes));
    offset += local.length + bytes.length;
  }
  const entries = Buffer.concat(directory);
  const end64 = record([
    [4, 0x06064b50],
    [8, 44],
    [2, 45],
    [2, 45],
    [4, 0],
    [4, 0],
    [8, inputs.length],
    [8, inputs.length],
    [8, entries.length],
    [8, offset],
    [4, 0x07064b50],
    [4, 0],
    [8, offset + entries.length],
    [4, 1],
  ]);
  const comment = Buffer.from(options.comment ?? '');
  const end = record([
    [4, 0x06054b50],
    [2, 0],
    [2, 0],
    [2, zip64 ? 0xffff : inputs.length],
    [2, zip64 ? 0xffff : inputs.length],
    [4, zip64 ? 0xffffffff : entries.length],
    [4, zip64 ? 0xffffffff : offset],
    [2, comment.length],
  ]);
  return Buffer.concat([...parts, entries, zip64 ? end64 : Buffer.alloc(0), end, comment]);
}

/** Little-endian numbers of the given widths. */
function record(fields: readonly (readonly [bytes: 2 | 4 | 8, value: number])[]): Buffer {
  return Buffer.concat(
    fields.map(([bytes, value]) => {
      const field = Buffer.alloc(8);
      field.writeBigUInt64LE(BigInt(value));
      return field.subarray(0, bytes);
    }),
  );
}
