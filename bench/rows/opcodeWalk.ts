/**
 * For comparison: steps from opcode to opcode to the end, in JavaScript, and does nothing else. Reads in pieces, so it needs
 * the least memory.
 */
import { openSync, readSync, closeSync } from 'node:fs';
import { measure } from './measure.js';

/** Argument bytes of each opcode; -1, -4 and -8: a length of so many bytes comes first. -9: unknown. */
const ARGUMENT = new Int8Array(256).fill(-9);
for (const op of [
  0x28, 0x5d, 0x7d, 0x61, 0x65, 0x73, 0x75, 0x88, 0x89, 0x4e, 0x29, 0x85, 0x86, 0x87, 0x94, 0x2e, 0x74,
]) {
  ARGUMENT[op] = 0;
}
for (const op of [0x80, 0x4b, 0x68, 0x71]) ARGUMENT[op] = 1;
for (const op of [0x4d]) ARGUMENT[op] = 2;
for (const op of [0x4a, 0x6a, 0x72]) ARGUMENT[op] = 4;
for (const op of [0x47, 0x95]) ARGUMENT[op] = 8;
for (const op of [0x8a, 0x8c]) ARGUMENT[op] = -1;
for (const op of [0x58]) ARGUMENT[op] = -4;
for (const op of [0x8d]) ARGUMENT[op] = -8;

const PIECE = 4 << 20;
/** Bytes kept at the end of a piece, so that a length never stands across two. */
const MARGIN = 16;

await measure(() => {
  const file = openSync(process.argv[2], 'r');
  const buffer = Buffer.alloc(PIECE + MARGIN);
  let end = readSync(file, buffer, 0, buffer.length, null);
  let at = 0;
  for (;;) {
    if (at >= end - MARGIN) {
      // Moves the rest to the front; a long text may reach beyond what is here.
      let skip = at - end;
      if (skip < 0) {
        buffer.copyWithin(0, at, end);
        end -= at;
      } else {
        while (skip > 0) {
          const got = readSync(file, buffer, 0, Math.min(skip, buffer.length), null);
          if (got === 0) throw new Error('The file ends early.');
          skip -= got;
        }
        end = 0;
      }
      at = 0;
      end += readSync(file, buffer, end, buffer.length - end, null);
      if (at >= end) throw new Error('The file ends early.');
    }
    const op = buffer[at];
    if (op === 0x2e) break;
    const argument = ARGUMENT[op];
    if (argument >= 0) at += 1 + argument;
    else if (argument === -1) at += 2 + buffer[at + 1];
    else if (argument === -4) at += 5 + buffer.readUInt32LE(at + 1);
    else if (argument === -8) at += 9 + Number(buffer.readBigUInt64LE(at + 1));
    else throw new Error(`Opcode 0x${op.toString(16)} is not known here.`);
  }
  if (at !== end - 1) throw new Error('Something stands behind the end.');
  closeSync(file);
  return { events: null, liveBytes: null };
});
