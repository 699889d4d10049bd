/**
 * How the pickle machine holds values: one 32-bit word each, four bits of kind and 28 of payload. Numbers lie
 * beside their word in two further words. So a million references to frames are a million words, and no objects.
 */

/** A value: `kind << 28 | payload`, signed, so that the engine never makes a heap object of it. */
export type Ref = number;

export const PAYLOAD_BITS = 28;
export const PAYLOAD_MASK = 0x0fffffff;

/** Kinds 0 to 9 are the machine's; 10 to 15 are for the sink to give meaning to. */
export const enum Kind {
  None = 0,
  /** Payload 0 or 1. */
  Bool = 1,
  /** Signed 64-bit, in `low` and `high`. */
  Int = 2,
  /** Unsigned 64-bit of at least 2^63, in `low` and `high`. */
  Uint = 3,
  /** IEEE double, its bits in `low` and `high`. */
  Float = 4,
  /** Payload is what the sink's `text` returned. */
  Text = 5,
  /** Bytes, sets and other things that no snapshot uses. */
  Opaque = 6,
  EmptyList = 7,
  EmptyDict = 8,
  /** A number that was memoized; payload is an index into the machine's side table. */
  BoxedNumber = 9,
}

/** @param kind one of {@link Kind} or the sink's own, 10 to 15 */
export function makeRef(kind: number, payload: number): Ref {
  return (kind << PAYLOAD_BITS) | payload;
}

export const NONE_REF: Ref = makeRef(Kind.None, 0);
export const OPAQUE_REF: Ref = makeRef(Kind.Opaque, 0);
export const INT_REF: Ref = makeRef(Kind.Int, 0);
export const EMPTY_LIST_REF: Ref = makeRef(Kind.EmptyList, 0);
export const EMPTY_DICT_REF: Ref = makeRef(Kind.EmptyDict, 0);
/** A text's reference without its payload. */
export const TEXT_BITS: Ref = makeRef(Kind.Text, 0);

/** Stands in {@link ValueStack.memoSlot} for a value without a memo slot. */
export const NO_SLOT = -1;

const TWO_32 = 4294967296;

/** The operand stack of the machine. Its arrays are replaced when it grows: take them again in every call. */
export class ValueStack {
  ref: Int32Array<ArrayBuffer>;
  low: Uint32Array<ArrayBuffer>;
  high: Uint32Array<ArrayBuffer>;
  /** Memo slot of the container in this place, `NO_SLOT` where it has none yet. */
  memoSlot: Int32Array<ArrayBuffer>;
  private readonly boxed: { low: number; high: number; kind: number }[];
  private readonly float = new DataView(new ArrayBuffer(8));

  /** @param machine whose memoized numbers may lie here too; its own where left out @param capacity values, at first */
  constructor(machine?: ValueStack, capacity = 4096) {
    this.boxed = machine?.boxed ?? [];
    this.ref = new Int32Array(capacity);
    this.low = new Uint32Array(capacity);
    this.high = new Uint32Array(capacity);
    this.memoSlot = new Int32Array(capacity);
  }

  grow(): void {
    const capacity = this.ref.length * 2;
    this.ref = copyInto(new Int32Array(capacity), this.ref);
    this.low = copyInto(new Uint32Array(capacity), this.low);
    this.high = copyInto(new Uint32Array(capacity), this.high);
    this.memoSlot = copyInto(new Int32Array(capacity), this.memoSlot);
  }

  kind(at: number): number {
    return this.ref[at] >>> PAYLOAD_BITS;
  }

  payload(at: number): number {
    return this.ref[at] & PAYLOAD_MASK;
  }

  /** The number in a place, NaN if it holds none. Rounded beyond 2^53: use {@link words} where that matters. */
  number(at: number): number {
    const { kind, low, high } = this.words(at);
    switch (kind) {
      case Kind.Int:
        return (high | 0) * TWO_32 + low;
      case Kind.Uint:
        return high * TWO_32 + low;
      case Kind.Float:
        this.float.setUint32(0, low, true);
        this.float.setUint32(4, high, true);
        return this.float.getFloat64(0, true);
      case Kind.Bool:
        return low;
      default:
        return Number.NaN;
    }
  }

  /** The number's kind and its 64 bits, all zero where the value is not a number. */
  words(at: number): { kind: number; low: number; high: number } {
    const kind = this.ref[at] >>> PAYLOAD_BITS;
    if (kind === Kind.BoxedNumber) return this.boxed[this.payload(at)];
    if (kind === Kind.Bool) return { kind, low: this.payload(at), high: 0 };
    if (kind === Kind.Int || kind === Kind.Uint || kind === Kind.Float) {
      return { kind, low: this.low[at], high: this.high[at] };
    }
    return { kind, low: 0, high: 0 };
  }

  /** Gives a number an identity of its own, so that the memo can hold it. */
  box(at: number): Ref {
    this.boxed.push(this.words(at));
    return makeRef(Kind.BoxedNumber, this.boxed.length - 1);
  }
}

function copyInto<T extends Uint32Array | Int32Array>(target: T, source: T): T {
  target.set(source);
  return target;
}
