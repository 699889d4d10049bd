import { putNumber, unsigned } from '../../pickle/integers.js';
import { opcodeEnd } from '../../pickle/opcodeEnd.js';
import { Op } from '../../pickle/opcodes.js';
import { ValueStack } from '../../pickle/values.js';
import { Growable } from '../../model/growable.js';
import type { TraceRows } from '../../model/spareColumns.js';
import { Word } from './torchWords.js';

/** Maximum number of places that are tried: they have the bytes at which a trace entry begins. */
const MAX_TRIED = 16;
/** Bytes that hold some hundreds of entries. */
const ENOUGH_BYTES = 1 << 16;
/** Lists that must agree about the number of an object. */
const MIN_VOTES = 8;

/** The last entries of a trace, and what follows them: `rest` with the numbers that objects have without the others. */
export interface TraceTail extends TraceRows {
  /** Place behind the trace in the bytes. */
  readonly behind: number;
  readonly rest: Uint8Array;
}

/** The pickle up to the part that is left out. */
export interface Beginning {
  /** Numbered objects. */
  readonly memoized: number;
  /** The word of a numbered text, null of something else. */
  wordOf(slot: number): number | null;
}

/**
 * Reads the last entries of a trace from the end of its file.
 * @param bytes the end of the file
 * @param key MARK and the reference to the first key, with which each entry begins
 * @returns null if there is something that these entries do not tell
 */
export function readTraceTail(bytes: Uint8Array, key: Uint8Array, beginning: Beginning): TraceTail | null {
  const isKey = (at: number): boolean => {
    for (let i = 0; i < key.length; i++) if (bytes[at + i] !== key[i]) return false;
    return true;
  };
  let last = bytes.length;
  do last = bytes.lastIndexOf(key[0], last - 1);
  while (last > 0 && !isKey(last));
  let tried = 0;
  for (let at = Math.max(0, last - ENOUGH_BYTES); at < last && tried < MAX_TRIED; at++) {
    if (!isKey(at)) continue;
    const from = [1, 2, 3, 6].map((back) => at - back).find((place) => bytes[place] === Op.EmptyDict);
    if (from === undefined) continue;
    tried++;
    const tail = new TailWalk(bytes, beginning).walk(from);
    if (tail !== null) return tail;
  }
  return null;
}

class TailWalk {
  private readonly addrLow = new Growable(Uint32Array);
  private readonly addrHigh = new Growable(Uint32Array);
  private readonly size = new Growable(Float64Array);
  private readonly timeUs = new Growable(Float64Array);
  /** Objects that were numbered since the first entry. */
  private puts = 0;
  /** The number of the first of them, where the file gives numbers. */
  private numbered: number | null = null;
  /** The number of lists that name each difference of two numbers. */
  private readonly votes = new Map<number, number>();

  constructor(
    private readonly bytes: Uint8Array,
    private readonly beginning: Beginning,
  ) {}

  walk(from: number): TraceTail | null {
    const behind = this.entries(from);
    if (behind === 0) return null;
    const rest = this.renumbered(behind);
    if (rest === null) return null;
    const { addrLow, addrHigh, size, timeUs } = this;
    const columns = { addrLow: addrLow.take(), addrHigh: addrHigh.take(), size: size.take(), timeUs: timeUs.take() };
    return { ...columns, behind, rest };
  }

  /** @returns the place behind the opcode that ends the trace, 0 if it is not found */
  private entries(from: number): number {
    const { bytes, beginning } = this;
    const number = new ValueStack(undefined, 1);
    let depth = 0;
    let field: number | null = null;
    let [low, high, size, time] = [0, 0, 0, 0];
    /** The list of frames of this entry. */
    let list = -1;
    let listBefore = -1;
    for (let p = from; ;) {
      const behind = opcodeEnd(bytes, p);
      if (behind === 0) return 0;
      const op = bytes[p];
      const key = field;
      if (op !== Op.Frame) field = null;
      switch (op) {
        case Op.Frame:
          break;
        case Op.Memoize:
        case Op.BinPut:
        case Op.LongBinPut:
          if (!this.put(op, p)) return 0;
          if (key === LIST) list = this.puts - 1;
          break;
        case Op.BinGet:
        case Op.LongBinGet: {
          if (depth !== 1) break;
          const slot = unsigned(bytes, p + 1, behind - p - 1);
          if (slot < beginning.memoized) field = beginning.wordOf(slot);
          else if (key === Word.frames && listBefore >= 0) this.vote(slot - listBefore);
          break;
        }
        case Op.BinInt1:
        case Op.BinInt2:
        case Op.BinInt:
        case Op.Long1:
          if (key === Word.addr || key === Word.size || key === Word.time_us) {
            putNumber(number, 0, op, bytes, p, bytes.length);
            if (key === Word.addr) [low, high] = [number.low[0], number.high[0]];
            else if (key === Word.size) size = number.number(0);
            else time = number.number(0);
          }
          break;
        case Op.EmptyList:
          if (key === Word.frames) field = LIST;
          break;
        case Op.EmptyDict:
          if (depth++ > 0) break;
          [low, high, size, time] = [0, 0, 0, 0];
          [listBefore, list] = [list, -1];
          break;
        case Op.SetItems:
          if (--depth < 0) return 0;
          if (depth > 0) break;
          this.addrLow.push(low);
          this.addrHigh.push(high);
          this.size.push(size);
          this.timeUs.push(time);
          break;
        case Op.Append:
        case Op.Appends: {
          if (depth > 0) break;
          let next = behind;
          while (bytes[next] === Op.Frame) next += 9;
          // The pickler writes a thousand entries at a time; a single one without a mark.
          if (bytes[next] === Op.Mark) next++;
          while (bytes[next] === Op.Frame) next += 9;
          if (bytes[next] !== Op.EmptyDict) return behind;
          p = next;
          continue;
        }
        case Op.Stop:
          return 0;
      }
      p = behind;
    }
  }

  /** @returns false if the file does not number objects one after the other */
  private put(op: number, p: number): boolean {
    if (op !== Op.Memoize) {
      const first = unsigned(this.bytes, p + 1, op === Op.BinPut ? 1 : 4) - this.puts;
      if (this.numbered !== null && this.numbered !== first) return false;
      this.numbered = first;
    }
    this.puts++;
    return true;
  }

  private vote(first: number): void {
    this.votes.set(first, (this.votes.get(first) ?? 0) + 1);
  }

  /** The number of the first object: both entries of a free name one list of frames, and the second by its number. */
  private firstNumber(): number | null {
    if (this.numbered !== null) return this.numbered;
    let first: number | null = null;
    let [most, second] = [MIN_VOTES - 1, 0];
    for (const [number, votes] of this.votes) {
      if (votes > most) [first, most, second] = [number, votes, most];
      else second = Math.max(second, votes);
    }
    return most > 2 * second || this.votes.size === 1 ? first : null;
  }

  /** What follows the trace, as if the objects of entries that are left out had no numbers. */
  private renumbered(from: number): Uint8Array | null {
    const { beginning } = this;
    const rest = this.bytes.slice(from);
    const view = new DataView(rest.buffer);
    const first = this.firstNumber();
    const next = first === null ? Infinity : first + this.puts;
    for (let p = 0; ;) {
      const behind = opcodeEnd(rest, p);
      if (behind === 0) return null;
      const op = rest[p];
      if (op === Op.Stop) return rest;
      const isLong = op === Op.LongBinGet || op === Op.LongBinPut;
      if (isLong || op === Op.BinGet || op === Op.BinPut) {
        const slot = unsigned(rest, p + 1, behind - p - 1);
        if (slot >= beginning.memoized || op === Op.LongBinPut || op === Op.BinPut) {
          if (!isLong || slot < next) return null;
          view.setUint32(p + 1, slot - next + beginning.memoized, true);
        }
      }
      p = behind;
    }
  }
}

/** Stands for a word at which a list of frames begins. */
const LIST = -1;
