/** Writes plain values as a pickle of protocol 4, in the opcodes that CPython uses. The product only reads. */

/** A value that Python writes as a tuple. */
export class Tuple {
  constructor(readonly items: readonly Picklable[]) {}
}

export type Picklable =
  | null
  | boolean
  | number
  | bigint
  | string
  | Tuple
  | readonly Picklable[]
  | { readonly [key: string]: Picklable };

/** Numbers are written as ints when they are whole. */
export function pickle(value: Picklable): Buffer {
  const parts: Buffer[] = [Buffer.from([0x80, 4])];
  write(value, parts);
  parts.push(Buffer.from('.'));
  return Buffer.concat(parts);
}

function write(value: Picklable, parts: Buffer[]): void {
  if (value === null) parts.push(Buffer.from('N'));
  else if (typeof value === 'boolean') parts.push(Buffer.from([value ? 0x88 : 0x89]));
  else if (typeof value === 'string') parts.push(text(value));
  else if (typeof value === 'bigint') parts.push(integer(value));
  else if (typeof value === 'number') parts.push(Number.isInteger(value) ? integer(BigInt(value)) : float(value));
  else if (value instanceof Tuple) {
    parts.push(Buffer.from('('));
    for (const item of value.items) write(item, parts);
    parts.push(Buffer.from('t'));
  } else if (Array.isArray(value)) {
    parts.push(Buffer.from(']('));
    for (const item of value as readonly Picklable[]) write(item, parts);
    parts.push(Buffer.from('e'));
  } else {
    parts.push(Buffer.from('}('));
    for (const [key, item] of Object.entries(value)) {
      parts.push(text(key));
      write(item, parts);
    }
    parts.push(Buffer.from('u'));
  }
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value, 'utf8');
  const head = Buffer.alloc(5);
  head.write('X', 'latin1');
  head.writeUInt32LE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}

function float(value: number): Buffer {
  const bytes = Buffer.alloc(9);
  bytes.write('G', 'latin1');
  bytes.writeDoubleBE(value, 1);
  return bytes;
}

/** BININT where 32 bits do, else LONG1: two's complement, little-endian, as short as it can be. */
function integer(value: bigint): Buffer {
  if (BigInt.asIntN(32, value) === value) {
    const bytes = Buffer.alloc(5);
    bytes.write('J', 'latin1');
    bytes.writeInt32LE(Number(value), 1);
    return bytes;
  }
  const digits: number[] = [];
  let rest = value;
  for (;;) {
    const digit = Number(BigInt.asUintN(8, rest));
    digits.push(digit);
    rest >>= 8n;
    if ((rest === 0n && digit < 128) || (rest === -1n && digit >= 128)) break;
  }
  return Buffer.from([0x8a, digits.length, ...digits]);
}
