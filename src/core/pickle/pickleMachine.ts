import { LimitError } from '../bytes/limitError.js';
import { SnapshotError } from '../bytes/snapshotError.js';
import { FORBIDDEN_OPCODES, Op } from './opcodes.js';
import type { PickleSink, RecordSink } from './pickleSink.js';
import { RecordReader } from './recordReader.js';
import { Kind, makeRef, NONE_REF, OPAQUE_REF, PAYLOAD_MASK, type Ref, ValueStack } from './values.js';
import { say } from '../text/say.js';
import { damageText, excessText, type Damage, type Excess } from './pickleDamage.js';

/** Bounds on what an input may ask for. Beyond them stands `LimitError`. */
export interface PickleLimits {
  /** Values on the operand stack at once. */
  stackDepth: number;
  /** Open containers. */
  nesting: number;
  memoSlots: number;
  /** Numbers in the memo, where picklers put none: each takes more memory than other values. */
  memoizedNumbers: number;
  /** Bytes of one text. */
  textBytes: number;
}

export const DEFAULT_PICKLE_LIMITS: PickleLimits = {
  stackDepth: 1 << 26,
  nesting: 10_000,
  memoSlots: 1 << 28,
  memoizedNumbers: 1 << 20,
  textBytes: 1 << 26,
};

const MOST_INTEGER_BYTES = 255;
const NO_SLOT = -1;
/** A file's size may lie; a guess beyond this is not believed. */
const MOST_EXPECTED_SLOTS = 1 << 26;
const MEMO_START = 1 << 12;
/**
 * Bytes that are run over by one call: a function that is called again and again is compiled once and for all, one that
 * only loops is compiled for its loop and thrown away at its end.
 */
const STRETCH = 1 << 14;

/**
 * The pickle virtual machine, protocols 2 to 5, without the opcodes that could reach code. It is fed bytes in pieces of
 * any size and never looks back, so a file of gigabytes passes through a buffer of megabytes.
 */
export class PickleMachine {
  readonly stack = new ValueStack();
  /** True once STOP was met; `result` is the value on top then. */
  done = false;
  result: Ref = NONE_REF;

  private depth = 0;
  private readonly marks: number[] = [];
  private memo: Int32Array;
  private memoCount = 0;
  private started = false;
  private readonly records: RecordReader | null;

  /** @param expectedSlots of the memo, a guess that spares growing: memory that is not written to costs nothing */
  constructor(
    private readonly sink: PickleSink | RecordSink,
    private readonly name: string,
    expectedSlots = 0,
    private readonly limits: PickleLimits = DEFAULT_PICKLE_LIMITS,
  ) {
    const slots = Math.max(MEMO_START, Math.min(MOST_EXPECTED_SLOTS, Math.ceil(expectedSlots)));
    this.memo = new Int32Array(Math.min(limits.memoSlots, slots));
    this.records = 'record' in sink ? new RecordReader(sink, this.stack) : null;
  }

  /**
   * Runs every opcode that lies whole in `buffer[from .. end)`.
   * @param base offset of `buffer[0]` in the input, for messages
   * @returns the place of the first byte not consumed; bring it again with what follows. Unchanged `from` means that
   *   one opcode is longer than the piece: bring a larger one, of at least {@link wanted} bytes.
   * @throws SnapshotError
   */
  run(buffer: Uint8Array, from: number, end: number, base: number): number {
    this.wanted = 0;
    this.records?.use(buffer);
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
    const stack = this.stack;
    const sink = this.sink;
    let { ref, low, high, memoSlot } = stack;
    let capacity = ref.length;
    let memo = this.memo;
    let memoCount = this.memoCount;
    let sp = this.depth;
    let p = from;

    if (!this.started && p < end && buffer[p] !== Op.Proto) throw this.damaged('noHeader', base + p);
    running: while (p < until) {
      if (sp + 4 > capacity) {
        if (capacity >= this.limits.stackDepth) throw this.limit('stackDepth', base + p);
        stack.grow();
        ({ ref, low, high, memoSlot } = stack);
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
            if (slot >= memoCount) throw this.damaged('unknownMemo', base + p, slot);
            if (sp === capacity) {
              if (capacity >= this.limits.stackDepth) throw this.limit('stackDepth', base + p);
              stack.grow();
              ({ ref, low, high, memoSlot } = stack);
              capacity = ref.length;
            }
            ref[sp++] = memo[slot];
            get = p < end ? buffer[p] : 0;
          } while (get === Op.LongBinGet || get === Op.BinGet);
          break;
        }
        case Op.Memoize: {
          if (sp === 0) throw this.damaged('emptyStack', base + p);
          if (memoCount === memo.length) {
            memo = this.growMemo(memoCount, base + p);
          }
          const top = sp - 1;
          memoSlot[top] = memoCount;
          memo[memoCount++] = ref[top] >>> 28 >= 2 && ref[top] >>> 28 <= 4 ? this.box(top, base + p) : ref[top];
          p++;
          break;
        }
        case Op.BinPut:
        case Op.LongBinPut: {
          const long = op === Op.LongBinPut;
          if (end - p < (long ? 5 : 2)) break running;
          if (sp === 0) throw this.damaged('emptyStack', base + p);
          const slot = long
            ? (buffer[p + 1] | (buffer[p + 2] << 8) | (buffer[p + 3] << 16) | (buffer[p + 4] << 24)) >>> 0
            : buffer[p + 1];
          // Writers number their slots one after the other; a far slot would only ask for memory.
          if (slot > memoCount) throw this.damaged('memoOrder', base + p, slot);
          if (slot === memoCount) {
            if (memoCount === memo.length) {
              memo = this.growMemo(memoCount, base + p);
            }
            memoCount++;
          } else this.records?.giveUp();
          const top = sp - 1;
          memoSlot[top] = slot;
          memo[slot] = ref[top] >>> 28 >= 2 && ref[top] >>> 28 <= 4 ? this.box(top, base + p) : ref[top];
          p += long ? 5 : 2;
          break;
        }
        case Op.Mark: {
          if (this.marks.length >= this.limits.nesting) throw this.limit('nesting', base + p);
          this.marks.push(sp);
          p++;
          break;
        }
        case Op.BinInt1:
          if (end - p < 2) break running;
          ref[sp] = INT_REF;
          low[sp] = buffer[p + 1];
          high[sp++] = 0;
          p += 2;
          break;
        case Op.BinInt2:
          if (end - p < 3) break running;
          ref[sp] = INT_REF;
          low[sp] = buffer[p + 1] | (buffer[p + 2] << 8);
          high[sp++] = 0;
          p += 3;
          break;
        case Op.BinInt: {
          if (end - p < 5) break running;
          const value = buffer[p + 1] | (buffer[p + 2] << 8) | (buffer[p + 3] << 16) | (buffer[p + 4] << 24);
          ref[sp] = INT_REF;
          low[sp] = value;
          high[sp++] = value >> 31;
          p += 5;
          break;
        }
        case Op.Long1: {
          if (end - p < 2) break running;
          const bytes = buffer[p + 1];
          if (end - p < 2 + bytes) break running;
          const top = buffer[p + 1 + bytes];
          if (bytes >= 5 && bytes <= 8 && top < 0x80) {
            // Addresses and times: the common case without loops.
            ref[sp] = INT_REF;
            low[sp] = buffer[p + 2] | (buffer[p + 3] << 8) | (buffer[p + 4] << 16) | (buffer[p + 5] << 24);
            high[sp++] =
              bytes === 6
                ? buffer[p + 6] | (buffer[p + 7] << 8)
                : bytes === 7
                  ? buffer[p + 6] | (buffer[p + 7] << 8) | (buffer[p + 8] << 16)
                  : bytes === 5
                    ? buffer[p + 6]
                    : buffer[p + 6] | (buffer[p + 7] << 8) | (buffer[p + 8] << 16) | (buffer[p + 9] << 24);
          } else this.pushLong(buffer, p + 2, bytes, sp++);
          p += 2 + bytes;
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
          const behind = records === null ? p : records.read(p, end, memo, memoCount, sp);
          if (records !== null && behind !== p) {
            memoCount = records.memoCount;
            sp = records.depth;
            p = behind;
            break;
          }
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
        case Op.Appends: {
          const mark = this.popMark(sp, base + p);
          if (mark === 0) throw this.damaged('noContainer', base + p);
          const at = mark - 1;
          const before = ref[at];
          const after =
            op === Op.Appends ? sink.appendItems(before, stack, mark, sp) : this.setItems(before, mark, sp, base + p);
          this.replace(at, before, after, memo);
          sp = mark;
          p++;
          break;
        }
        case Op.SetItem:
        case Op.Append: {
          const items = op === Op.Append ? 1 : 2;
          if (sp <= items) throw this.damaged('noContainer', base + p);
          const at = sp - items - 1;
          const before = ref[at];
          const after =
            items === 1 ? sink.appendItems(before, stack, at + 1, sp) : this.setItems(before, at + 1, sp, base + p);
          this.replace(at, before, after, memo);
          sp = at + 1;
          p++;
          break;
        }
        case Op.Tuple2: {
          if (sp < 2) throw this.damaged('emptyStack', base + p);
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
          this.depth = sp;
          const behind = this.rare(op, buffer, p, end, base);
          if (behind === p) break running;
          p = behind;
          sp = this.depth;
          if (this.done) break running;
        }
      }
    }
    this.depth = sp;
    this.memoCount = memoCount;
    return p;
  }

  /**
   * Runs an opcode that records are not made of: apart, so that what runs all the time is small and soon compiled.
   * @returns the place behind it, `p` if it does not lie whole in the buffer
   */
  private rare(op: number, buffer: Uint8Array, p: number, end: number, base: number): number {
    const { stack, sink } = this;
    const { ref, low, high, memoSlot } = stack;
    let sp = this.depth;
    switch (op) {
      case Op.Proto: {
        if (end - p < 2) return p;
        const protocol = buffer[p + 1];
        if (this.started || protocol < 2 || protocol > 5) {
          throw this.otherProtocol(protocol);
        }
        this.started = true;
        p += 2;
        break;
      }
      case Op.BinFloat: {
        if (end - p < 9) return p;
        ref[sp] = makeRef(Kind.Float, 0);
        high[sp] = (buffer[p + 1] << 24) | (buffer[p + 2] << 16) | (buffer[p + 3] << 8) | buffer[p + 4];
        low[sp++] = (buffer[p + 5] << 24) | (buffer[p + 6] << 16) | (buffer[p + 7] << 8) | buffer[p + 8];
        p += 9;
        break;
      }
      case Op.BinUnicode:
      case Op.BinUnicode8:
      case Op.BinBytes:
      case Op.ShortBinBytes:
      case Op.BinBytes8:
      case Op.ByteArray8: {
        const short = op === Op.ShortBinBytes;
        const eight = op === Op.BinUnicode8 || op === Op.BinBytes8 || op === Op.ByteArray8;
        const head = short ? 2 : eight ? 9 : 5;
        if (end - p < head) return p;
        const bytes = short ? buffer[p + 1] : unsigned(buffer, p + 1, head - 1);
        if (bytes > this.limits.textBytes) throw this.limit('textBytes', base + p, bytes);
        if (end - p < head + bytes) {
          this.wanted = head + bytes;
          return p;
        }
        const isText = op === Op.BinUnicode || op === Op.BinUnicode8;
        ref[sp++] = isText ? TEXT_BITS | sink.text(buffer, p + head, p + head + bytes) : OPAQUE_REF;
        p += head + bytes;
        break;
      }
      case Op.Long4: {
        if (end - p < 5) return p;
        const bytes = unsigned(buffer, p + 1, 4);
        if (bytes > MOST_INTEGER_BYTES) throw this.limit('integerBytes', base + p, bytes);
        if (end - p < 5 + bytes) return p;
        this.pushLong(buffer, p + 5, bytes, sp++);
        p += 5 + bytes;
        break;
      }
      case Op.EmptyTuple:
        ref[sp] = sink.tuple(stack, sp, sp);
        sp++;
        p++;
        break;
      case Op.Tuple1:
      case Op.Tuple3: {
        const items = op === Op.Tuple1 ? 1 : 3;
        if (sp < items) throw this.damaged('emptyStack', base + p);
        ref[sp - items] = sink.tuple(stack, sp - items, sp);
        sp -= items - 1;
        p++;
        break;
      }
      case Op.Tuple:
      case Op.List:
      case Op.Dict: {
        const mark = this.popMark(sp, base + p);
        let value: Ref;
        if (op === Op.Tuple) value = sink.tuple(stack, mark, sp);
        else if (op === Op.List) value = sink.appendItems(EMPTY_LIST_REF, stack, mark, sp);
        else value = this.setItems(EMPTY_DICT_REF, mark, sp, base + p);
        memoSlot[mark] = NO_SLOT;
        ref[mark] = value;
        sp = mark + 1;
        p++;
        break;
      }
      case Op.EmptySet:
        ref[sp++] = OPAQUE_REF;
        p++;
        break;
      case Op.AddItems:
        sp = this.popMark(sp, base + p);
        p++;
        break;
      case Op.FrozenSet: {
        sp = this.popMark(sp, base + p);
        ref[sp++] = OPAQUE_REF;
        p++;
        break;
      }
      case Op.Pop:
        if (sp === 0) throw this.damaged('emptyStack', base + p);
        if (this.marks.length > 0 && this.marks[this.marks.length - 1] === sp) this.marks.pop();
        else sp--;
        p++;
        break;
      case Op.PopMark:
        sp = this.popMark(sp, base + p);
        p++;
        break;
      case Op.Dup:
        if (sp === 0) throw this.damaged('emptyStack', base + p);
        ref[sp] = ref[sp - 1];
        low[sp] = low[sp - 1];
        high[sp] = high[sp - 1];
        memoSlot[sp] = memoSlot[sp - 1];
        sp++;
        p++;
        break;
      case Op.Stop:
        if (sp !== 1 || this.marks.length > 0) throw this.damaged('endInside', base + p);
        this.result = ref[0];
        this.done = true;
        p++;
        return p;
      default:
        throw this.refused(op, base + p);
    }
    this.depth = sp;
    return p;
  }

  /** Bytes that the opcode at the place where {@link run} stopped needs; 0 if any more will do. */
  wanted = 0;

  /** A container that grew is known to its memo slot by its new value. */
  private replace(at: number, before: Ref, after: Ref, memo: Int32Array): void {
    const { ref, memoSlot } = this.stack;
    if (before === after) return;
    ref[at] = after;
    const slot = memoSlot[at];
    if (slot === NO_SLOT || memo[slot] !== before) return;
    memo[slot] = after;
    if (before !== EMPTY_LIST_REF && before !== EMPTY_DICT_REF) this.records?.giveUp();
  }

  private setItems(dict: Ref, from: number, to: number, offset: number): Ref {
    if ((to - from) % 2 !== 0) throw this.damaged('keyWithoutValue', offset);
    return this.sink.setItems(dict, this.stack, from, to);
  }

  private popMark(sp: number, offset: number): number {
    const mark = this.marks.pop();
    if (mark === undefined || mark > sp) throw this.damaged('noContainer', offset);
    return mark;
  }

  private box(place: number, offset: number): Ref {
    const boxed = this.stack.box(place);
    if ((boxed & PAYLOAD_MASK) >= this.limits.memoizedNumbers) throw this.limit('memoizedNumbers', offset);
    return boxed;
  }

  private growMemo(used: number, offset: number): Int32Array {
    if (used >= this.limits.memoSlots) throw this.limit('memoSlots', offset);
    const next = new Int32Array(Math.min(this.limits.memoSlots, Math.max(MEMO_START, used + (used >> 1))));
    next.set(this.memo.subarray(0, used));
    this.memo = next;
    return next;
  }

  /** Two's complement, little-endian. Beyond 64 bits only the nearest double is kept. */
  private pushLong(buffer: Uint8Array, at: number, bytes: number, place: number): void {
    const { ref, low, high } = this.stack;
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

  private otherProtocol(protocol: number): SnapshotError {
    return new SnapshotError(
      'unsupported',
      say(
        '{0} is a pickle of protocol {1}; Leakline reads 2 to 5. Dump it again with _dump_snapshot.',
        this.name,
        protocol,
      ),
    );
  }

  private damaged(damage: Damage, offset: number, detail = 0): SnapshotError {
    return new SnapshotError(
      'notASnapshot',
      say(
        '{0} is no readable pickle: {1} at byte {2}. Dump the snapshot again.',
        this.name,
        damageText(damage, detail),
        offset,
      ),
    );
  }

  /** @param asked how much, where that is known */
  private limit(kind: Excess, offset: number, asked: number | null = null): LimitError {
    const most = kind === 'integerBytes' ? MOST_INTEGER_BYTES : this.limits[kind];
    return new LimitError(
      { kind, most, asked, offset },
      say(
        '{0} asks for more {1} than Leakline allows, at byte {2}. Record with a smaller max_entries.',
        this.name,
        excessText(kind, asked),
        offset,
      ),
    );
  }

  private refused(op: number, offset: number): SnapshotError {
    const forbidden = FORBIDDEN_OPCODES.get(op);
    if (forbidden !== undefined) {
      return new SnapshotError(
        'forbidden',
        say(
          '{0} asks to run code ({1} at byte {2}), which no memory snapshot does; it was not read. Dump with ' +
            'torch.cuda.memory._dump_snapshot.',
          this.name,
          forbidden,
          offset,
        ),
        offset,
      );
    }
    return this.damaged('unknownOpcode', offset, op);
  }
}

const INT_REF = makeRef(Kind.Int, 0);
const EMPTY_LIST_REF = makeRef(Kind.EmptyList, 0);
const EMPTY_DICT_REF = makeRef(Kind.EmptyDict, 0);
const TEXT_BITS = makeRef(Kind.Text, 0);

function unsigned(buffer: Uint8Array, at: number, bytes: number): number {
  let value = 0;
  for (let i = bytes - 1; i >= 0; i--) value = value * 256 + buffer[at + i];
  return value;
}
