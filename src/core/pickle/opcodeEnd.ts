import { unsigned } from './integers.js';
import { Op } from './opcodes.js';

/** Stands for the length of an opcode that is not followed here. */
const OTHER = 127;
/** Bytes behind each opcode; -1, -4: a length of so many bytes, and what it counts. */
const OPERANDS = new Int8Array(256).fill(OTHER);
for (const [op, bytes] of [
  ...[Op.Mark, Op.EmptyList, Op.EmptyDict, Op.Append, Op.Appends, Op.SetItem, Op.SetItems].map(bare),
  ...[Op.NewTrue, Op.NewFalse, Op.None, Op.EmptyTuple, Op.Tuple, Op.Tuple1, Op.Tuple2, Op.Tuple3].map(bare),
  ...[Op.Memoize, Op.Stop].map(bare),
  [Op.BinInt1, 1],
  [Op.BinGet, 1],
  [Op.BinPut, 1],
  [Op.BinInt2, 2],
  [Op.BinInt, 4],
  [Op.LongBinGet, 4],
  [Op.LongBinPut, 4],
  [Op.BinFloat, 8],
  [Op.Frame, 8],
  [Op.Long1, -1],
  [Op.ShortBinUnicode, -1],
  [Op.BinUnicode, -4],
] satisfies [Op, number][])
  OPERANDS[op] = bytes;

function bare(op: Op): [Op, number] {
  return [op, 0];
}

/** @returns the place behind the opcode at `p`; 0 if it is not followed here, or does not end in the buffer */
export function opcodeEnd(buffer: Uint8Array, p: number): number {
  if (p >= buffer.length) return 0;
  const operands = OPERANDS[buffer[p]];
  if (operands === OTHER) return 0;
  const end = p + 1 + (operands >= 0 ? operands : -operands + unsigned(buffer, p + 1, -operands));
  return end <= buffer.length ? end : 0;
}
