import { putNumber } from './integers.js';
import { Op } from './opcodes.js';
import { Operands } from './operands.js';
import { PickleErrors } from './pickleErrors.js';
import { DEFAULT_PICKLE_LIMITS, type PickleLimits } from './pickleLimits.js';
import type { PickleSink } from './pickleSink.js';
import { RareOpcodes } from './rareOpcodes.js';
import type { RecordReader } from './recordReader.js';
import {
  EMPTY_DICT_REF,
  EMPTY_LIST_REF,
  Kind,
  makeRef,
  NO_SLOT,
  NONE_REF,
  PAYLOAD_MASK,
  type Ref,
  TEXT_BITS,
  type ValueStack,
} from './values.js';

/** A file's size may lie; a guess beyond this is not believed. */
const MAX_EXPECTED_SLOTS = 1 << 26;
const MEMO_START = 1 << 12;
/**
 * Bytes that are run over by one call: a function that is called repeatedly is compiled once and for all, one that
 * only loops is compiled for its loop and thrown away at its end.
 */
const STRETCH = 1 << 14;
/** A trace entry is seldom longer. */
const NEAR_END = 1 << 10;

/**
 * The pickle virtual machine, protocols 2 to 5, without the opcodes that could reach code. It is fed bytes in pieces of
 * any size and never looks back, so a file of gigabytes passes through a buffer of megabytes.
 */
export class PickleMachine {
  private readonly errors: PickleErrors;
  private readonly operands: Operands;
  private readonly rare: RareOpcodes;
  private readonly records: RecordReader | null;
  private memo: Int32Array;
  private memoCount = 0;
  /** Dictionaries that begin here or later are left for the next piece, in which they are whole. */
  private wholeFrom = 0;

  /**
   * @param expectedSlots of the memo, a guess that spares growing: memory that is not written to costs nothing
   * @param recordsFor makes a faster reader of dictionaries for a stack and a memo of so many slots, if there is one
   */
  constructor(
    private readonly sink: PickleSink,
    name: string,
    expectedSlots = 0,
    private readonly limits: PickleLimits = DEFAULT_PICKLE_LIMITS,
    recordsFor: (stack: ValueStack, slots: number) => RecordReader | null = () => null,
  ) {
    const slots = Math.min(
      limits.memoSlots,
      Math.max(MEMO_START, Math.min(MAX_EXPECTED_SLOTS, Math.ceil(expectedSlots))),
    );
    this.errors = new PickleErrors(name);
    this.operands = new Operands(sink, this.errors);
    this.rare = new RareOpcodes(this.operands, sink, limits, this.errors);
    this.records = recordsFor(this.operands.stack, slots);
    this.memo = this.records?.memo ?? new Int32Array(slots);
  }

  /** True once STOP was met. */
  get done(): boolean {
    return this.operands.done;
  }

  /** The value on top when STOP was met. */
  get result(): Ref {
    return this.operands.result;
  }

  /** The value on top of the stack. */
  get top(): Ref {
    return this.operands.depth === 0 ? NONE_REF : this.operands.stack.ref[this.operands.depth - 1];
  }

  /** Numbered objects. */
  get memoized(): number {
    return this.memoCount;
  }

  memoAt(slot: number): Ref {
    return this.memo[slot];
  }

  /** Bytes that the opcode at the place where {@link run} stopped needs; 0 if any more will do. */
  get wanted(): number {
    return this.operands.wanted;
  }

  /** Releases the machine. Call it after the last opcode. */
  close(): void {
    // After an error, more slots may be filled than were counted.
    this.records?.close(this.done ? this.memoCount : this.memo.length);
  }

  /**
   * Runs every opcode that lies whole in `buffer[from .. end)`.
   * @param base offset of `buffer[0]` in the input, for messages
   * @param hasMore true if more of the input follows: then a dictionary near the end may be left for the next piece
   * @returns the place of the first byte not consumed; bring it again with what follows. Unchanged `from` means that
   *   one opcode is longer than the piece: bring a larger one, of at least {@link wanted} bytes.
   * @throws SnapshotError
   */
  run(buffer: Uint8Array, from: number, end: number, base: number, hasMore = false): number {
    this.operands.wanted = 0;
    this.records?.use(buffer, end);
    this.wholeFrom = hasMore && this.records !== null ? Math.max(from + 1, end - NEAR_END) : end;
    let at = from;
    for (;;) {
      const until = Math.min(end, at + STRETCH);
      const next = this.stretch(buffer, at, until, end, base);
      if (this.done || next < until || next === end) return next;
      at = next;
    }
  }

  /** Runs the opcodes that begin in `buffer[from .. until)`: see {@link run}. */
  private stretch(buffer: Uint8Array, from: number, until: number, end: number, base: number): number {
    const { operands, sink, errors, limits } = this;
    const { stack, marks } = operands;
    let { ref, memoSlot } = stack;
    let capacity = ref.length;
    let memo = this.memo;
    let memoCount = this.memoCount;
    let sp = operands.depth;
    let p = from;

    if (!operands.started && p < end && buffer[p] !== Op.Proto) throw errors.damaged('noHeader', base + p);
    running: while (p < until) {
      if (sp + 4 > capacity) {
        if (capacity >= limits.stackDepth) throw errors.limit('stackDepth', base + p);
        stack.grow();
        ({ ref, memoSlot } = stack);
        capacity = ref.length;
      }
      const op = buffer[p];
      switch (op) {
        case Op.LongBinGet:
        case Op.BinGet: {
          // References come in runs, of keys and above all of frames: stay in a loop of their own.
          let get: number = op;
          do {
            let slot: number;
            if (get === Op.BinGet) {
              if (end - p < 2) break running;
              slot = buffer[p + 1];
              p += 2;
            } else {
              if (end - p < 5) break running;
              slot = (buffer[p + 1] | (buffer[p + 2] << 8) | (buffer[p + 3] << 16) | (buffer[p + 4] << 24)) >>> 0;
              p += 5;
            }
            if (slot >= memoCount) throw errors.damaged('unknownMemo', base + p, slot);
            if (sp === capacity) {
              if (capacity >= limits.stackDepth) throw errors.limit('stackDepth', base + p);
              stack.grow();
              ({ ref, memoSlot } = stack);
              capacity = ref.length;
            }
            const value = memo[slot];
            ref[sp++] = value === NONE_REF && this.records !== null ? this.records.recall(slot) : value;
            get = p < end ? buffer[p] : 0;
          } while (get === Op.LongBinGet || get === Op.BinGet);
          break;
        }
        case Op.Memoize:
        case Op.BinPut:
        case Op.LongBinPut: {
          const bytes = op === Op.Memoize ? 1 : op === Op.BinPut ? 2 : 5;
          if (end - p < bytes) break running;
          if (sp === 0) throw errors.damaged('emptyStack', base + p);
          let slot = memoCount;
          if (bytes === 2) slot = buffer[p + 1];
          else if (bytes === 5) {
            slot = (buffer[p + 1] | (buffer[p + 2] << 8) | (buffer[p + 3] << 16) | (buffer[p + 4] << 24)) >>> 0;
          }
          // Writers number their slots one after the other; a far slot would only ask for memory.
          if (slot > memoCount) throw errors.damaged('memoOrder', base + p, slot);
          if (slot === memoCount) {
            if (memoCount === memo.length) memo = this.growMemo(memoCount, base + p);
            memoCount++;
          } else this.records?.giveUp();
          const top = sp - 1;
          memoSlot[top] = slot;
          memo[slot] = ref[top] >>> 28 >= 2 && ref[top] >>> 28 <= 4 ? this.box(top, base + p) : ref[top];
          p += bytes;
          break;
        }
        case Op.Mark: {
          if (marks.length >= limits.nesting) throw errors.limit('nesting', base + p);
          marks.push(sp);
          p++;
          break;
        }
        case Op.BinInt1:
        case Op.BinInt2:
        case Op.BinInt:
        case Op.Long1: {
          const behind = putNumber(stack, sp, op, buffer, p, end);
          if (behind === p) break running;
          p = behind;
          sp++;
          break;
        }
        case Op.ShortBinUnicode: {
          if (end - p < 2) break running;
          const bytes = buffer[p + 1];
          if (end - p < 2 + bytes) break running;
          ref[sp++] = TEXT_BITS | sink.text(buffer, p + 2, p + 2 + bytes);
          p += 2 + bytes;
          break;
        }
        case Op.EmptyDict: {
          const { records } = this;
          const behind = records === null ? p : records.read(p, memoCount, sp);
          if (records !== null && behind !== p) {
            memoCount = records.memoCount;
            sp = records.depth;
            p = behind;
            break;
          }
          if (p >= this.wholeFrom) break running;
          memoSlot[sp] = NO_SLOT;
          ref[sp++] = EMPTY_DICT_REF;
          p++;
          break;
        }
        case Op.EmptyList:
          memoSlot[sp] = NO_SLOT;
          ref[sp++] = EMPTY_LIST_REF;
          p++;
          break;
        case Op.SetItems:
        case Op.Appends:
        case Op.SetItem:
        case Op.Append:
          sp = this.fill(op, sp, memo, base + p);
          p++;
          break;
        case Op.Tuple2: {
          if (sp < 2) throw errors.damaged('emptyStack', base + p);
          ref[sp - 2] = sink.tuple(stack, sp - 2, sp);
          sp--;
          p++;
          break;
        }
        case Op.NewTrue:
        case Op.NewFalse:
          ref[sp++] = makeRef(Kind.Bool, op === Op.NewTrue ? 1 : 0);
          p++;
          break;
        case Op.None:
          ref[sp++] = NONE_REF;
          p++;
          break;
        case Op.Frame:
          // The length of a frame is the writer's buffering; the opcodes inside say all there is to know.
          if (end - p < 9) break running;
          p += 9;
          break;
        default: {
          operands.depth = sp;
          const behind = this.rare.run(op, buffer, p, end, base);
          if (behind === p) break running;
          p = behind;
          sp = operands.depth;
          if (operands.done) break running;
        }
      }
    }
    operands.depth = sp;
    this.memoCount = memoCount;
    return p;
  }

  /**
   * Runs SETITEMS, APPENDS, SETITEM or APPEND on top of the stack.
   * @returns the depth of the stack then
   */
  private fill(op: number, sp: number, memo: Int32Array, offset: number): number {
    const { operands, sink, errors } = this;
    const isList = op === Op.Appends || op === Op.Append;
    let from: number;
    if (op === Op.SetItems || op === Op.Appends) from = operands.popMark(sp, offset);
    else from = sp - (isList ? 1 : 2);
    if (from <= 0) throw errors.damaged('noContainer', offset);
    const at = from - 1;
    const before = operands.stack.ref[at];
    const after = isList
      ? sink.appendItems(before, operands.stack, from, sp)
      : operands.setItems(before, from, sp, offset);
    this.replace(at, before, after, memo);
    return from;
  }

  /** A container that grew is known to its memo slot by its new value. */
  private replace(at: number, before: Ref, after: Ref, memo: Int32Array): void {
    const { ref, memoSlot } = this.operands.stack;
    if (before === after) return;
    ref[at] = after;
    const slot = memoSlot[at];
    if (slot === NO_SLOT || memo[slot] !== before) return;
    memo[slot] = after;
    if (before !== EMPTY_LIST_REF && before !== EMPTY_DICT_REF) this.records?.giveUp();
  }

  private box(place: number, offset: number): Ref {
    const boxed = this.operands.stack.box(place);
    if ((boxed & PAYLOAD_MASK) >= this.limits.memoizedNumbers) throw this.errors.limit('memoizedNumbers', offset);
    return boxed;
  }

  private growMemo(used: number, offset: number): Int32Array {
    if (used >= this.limits.memoSlots) throw this.errors.limit('memoSlots', offset);
    const slots = Math.min(this.limits.memoSlots, Math.max(MEMO_START, used + (used >> 1)));
    if (this.records !== null) return (this.memo = this.records.growMemo(slots));
    const next = new Int32Array(slots);
    next.set(this.memo.subarray(0, used));
    this.memo = next;
    return next;
  }
}
