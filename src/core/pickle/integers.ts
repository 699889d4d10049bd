import { Op } from './opcodes.js';
import { INT_REF, Kind, makeRef, type ValueStack } from './values.js';

/**
 * Puts the whole number of an opcode into a place of the stack.
 * @param op BININT1, BININT2, BININT or LONG1
 * @returns the place behind the opcode, `p` if it does not lie whole in the buffer
 */
export function putNumber(
  stack: ValueStack,
  place: number,
  op: number,
  buffer: Uint8Array,
  p: number,
  end: number,
): number {
  const { ref, low, high } = stack;
  switch (op) {
    case Op.BinInt1:
      if (end - p < 2) return p;
      ref[place] = INT_REF;
      low[place] = buffer[p + 1];
      high[place] = 0;
      return p + 2;
    case Op.BinInt2:
      if (end - p < 3) return p;
      ref[place] = INT_REF;
      low[place] = buffer[p + 1] | (buffer[p + 2] << 8);
      high[place] = 0;
      return p + 3;
    case Op.BinInt: {
      if (end - p < 5) return p;
      const value = buffer[p + 1] | (buffer[p + 2] << 8) | (buffer[p + 3] << 16) | (buffer[p + 4] << 24);
      ref[place] = INT_REF;
      low[place] = value;
      high[place] = value >> 31;
      return p + 5;
    }
    default: {
      if (end - p < 2) return p;
      const bytes = buffer[p + 1];
      if (end - p < 2 + bytes) return p;
      putInteger(stack, place, buffer, p + 2, bytes);
      return p + 2 + bytes;
    }
  }
}

/**
 * Puts a whole number into a place of the stack: two's complement, little-endian. Beyond 64 bits only the nearest double
 * is kept.
 */
export function putInteger(stack: ValueStack, place: number, buffer: Uint8Array, at: number, bytes: number): void {
  const { ref, low, high } = stack;
  const negative = bytes > 0 && buffer[at + bytes - 1] >= 0x80;
  const fill = negative ? 0xff : 0;
  const fits = bytes <= 8 || (bytes === 9 && buffer[at + 8] === fill);
  if (!fits) {
    let value = negative ? -1 : 0;
    for (let i = bytes - 1; i >= 0; i--) value = value * 256 + buffer[at + i];
    const view = new DataView(new ArrayBuffer(8));
    view.setFloat64(0, value, true);
    ref[place] = makeRef(Kind.Float, 0);
    low[place] = view.getUint32(0, true);
    high[place] = view.getUint32(4, true);
    return;
  }
  let lowWord = 0;
  let highWord = 0;
  for (let i = 0; i < 4; i++) lowWord |= (i < bytes ? buffer[at + i] : fill) << (8 * i);
  for (let i = 4; i < 8; i++) highWord |= (i < bytes ? buffer[at + i] : fill) << (8 * (i - 4));
  ref[place] = bytes === 9 && !negative && highWord < 0 ? makeRef(Kind.Uint, 0) : INT_REF;
  low[place] = lowWord;
  high[place] = highWord;
}

/** The number without a sign in so many bytes, little-endian; a double beyond 2^53. */
export function unsigned(buffer: Uint8Array, at: number, bytes: number): number {
  let value = 0;
  for (let i = bytes - 1; i >= 0; i--) value = value * 256 + buffer[at + i];
  return value;
}
