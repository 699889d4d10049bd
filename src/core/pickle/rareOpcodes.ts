import { putInteger, unsigned } from './integers.js';
import { Op } from './opcodes.js';
import type { Operands } from './operands.js';
import type { PickleErrors } from './pickleErrors.js';
import { MAX_INTEGER_BYTES, type PickleLimits } from './pickleLimits.js';
import type { PickleSink } from './pickleSink.js';
import { EMPTY_DICT_REF, EMPTY_LIST_REF, Kind, makeRef, NO_SLOT, OPAQUE_REF, type Ref, TEXT_BITS } from './values.js';

/** Opcodes that records are not made of: apart, so that what runs all the time is small and soon compiled. */
export class RareOpcodes {
  constructor(
    private readonly operands: Operands,
    private readonly sink: PickleSink,
    private readonly limits: PickleLimits,
    private readonly errors: PickleErrors,
  ) {}

  /**
   * Runs one opcode. There is room for it on the stack.
   * @returns the place behind it, `p` if it does not lie whole in the buffer
   */
  run(op: number, buffer: Uint8Array, p: number, end: number, base: number): number {
    const { operands, sink, errors } = this;
    const { stack } = operands;
    const { ref, low, high, memoSlot } = stack;
    let sp = operands.depth;
    switch (op) {
      case Op.Proto: {
        if (end - p < 2) return p;
        const protocol = buffer[p + 1];
        if (operands.started) throw errors.damaged('secondHeader', base + p);
        if (protocol < 2 || protocol > 5) {
          throw errors.otherProtocol(protocol);
        }
        operands.started = true;
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
      case Op.ByteArray8:
        return this.text(op, buffer, p, end, base);
      case Op.Long4: {
        if (end - p < 5) return p;
        const bytes = unsigned(buffer, p + 1, 4);
        if (bytes > MAX_INTEGER_BYTES) throw errors.limit('integerBytes', base + p, bytes);
        if (end - p < 5 + bytes) return p;
        putInteger(stack, sp++, buffer, p + 5, bytes);
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
        if (sp < items) throw errors.damaged('emptyStack', base + p);
        ref[sp - items] = sink.tuple(stack, sp - items, sp);
        sp -= items - 1;
        p++;
        break;
      }
      case Op.Tuple:
      case Op.List:
      case Op.Dict: {
        const mark = operands.popMark(sp, base + p);
        ref[mark] = this.container(op, mark, sp, base + p);
        memoSlot[mark] = NO_SLOT;
        sp = mark + 1;
        p++;
        break;
      }
      case Op.EmptySet:
        ref[sp++] = OPAQUE_REF;
        p++;
        break;
      case Op.AddItems:
        sp = operands.popMark(sp, base + p);
        p++;
        break;
      case Op.FrozenSet: {
        sp = operands.popMark(sp, base + p);
        ref[sp++] = OPAQUE_REF;
        p++;
        break;
      }
      case Op.Pop:
        if (sp === 0) throw errors.damaged('emptyStack', base + p);
        if (operands.marks.length > 0 && operands.marks[operands.marks.length - 1] === sp) operands.marks.pop();
        else sp--;
        p++;
        break;
      case Op.PopMark:
        sp = operands.popMark(sp, base + p);
        p++;
        break;
      case Op.Dup:
        if (sp === 0) throw errors.damaged('emptyStack', base + p);
        ref[sp] = ref[sp - 1];
        low[sp] = low[sp - 1];
        high[sp] = high[sp - 1];
        memoSlot[sp] = memoSlot[sp - 1];
        sp++;
        p++;
        break;
      case Op.Stop:
        if (sp !== 1 || operands.marks.length > 0) throw errors.damaged('endInside', base + p);
        operands.result = ref[0];
        operands.done = true;
        p++;
        return p;
      default:
        throw errors.refused(op, base + p);
    }
    operands.depth = sp;
    return p;
  }

  /** Runs an opcode of a text, or of bytes, which no snapshot uses. */
  private text(op: number, buffer: Uint8Array, p: number, end: number, base: number): number {
    const { operands, sink, errors, limits } = this;
    const short = op === Op.ShortBinBytes;
    const eight = op === Op.BinUnicode8 || op === Op.BinBytes8 || op === Op.ByteArray8;
    const head = short ? 2 : eight ? 9 : 5;
    if (end - p < head) return p;
    const bytes = short ? buffer[p + 1] : unsigned(buffer, p + 1, head - 1);
    if (bytes > limits.textBytes) throw errors.limit('textBytes', base + p, bytes);
    if (end - p < head + bytes) {
      operands.wanted = head + bytes;
      return p;
    }
    const isText = op === Op.BinUnicode || op === Op.BinUnicode8;
    const value = isText ? TEXT_BITS | sink.text(buffer, p + head, p + head + bytes) : OPAQUE_REF;
    operands.stack.ref[operands.depth++] = value;
    return p + head + bytes;
  }

  /** What TUPLE, LIST and DICT make of the values from a mark on. */
  private container(op: number, mark: number, sp: number, offset: number): Ref {
    const { operands, sink } = this;
    if (op === Op.Tuple) return sink.tuple(operands.stack, mark, sp);
    if (op === Op.List) return sink.appendItems(EMPTY_LIST_REF, operands.stack, mark, sp);
    return operands.setItems(EMPTY_DICT_REF, mark, sp, offset);
  }
}
