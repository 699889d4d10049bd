import { SnapshotError } from '../../bytes/snapshotError.js';
import { Kind } from '../../pickle/values.js';
import { t } from '../../text/translate.js';

/** Kinds of numbers: integers have all 64 bits. */
export type NumberKind = Kind.Int | Kind.Uint | Kind.Float;

/** Receives the parts of a JSON text. Strings are UTF-8 without escapes, valid during the call. */
export interface JsonHandler {
  /** An object or an array begins. */
  begin(isObject: boolean): void;
  /** The innermost object or array ends. */
  end(): void;
  key(bytes: Uint8Array, from: number, to: number): void;
  text(bytes: Uint8Array, from: number, to: number): void;
  /** `Int` is signed, `Uint` is at least 2^63, `Float` an IEEE double by its bits. */
  number(kind: NumberKind, low: number, high: number): void;
  literal(value: boolean | null): void;
}

const enum Expect {
  Value,
  ValueOrEnd,
  Key,
  KeyOrEnd,
  Colon,
  CommaOrEnd,
  /** Behind the top value. */
  Nothing,
}

const enum Byte {
  Quote = 0x22,
  Comma = 0x2c,
  Minus = 0x2d,
  Colon = 0x3a,
  OpenArray = 0x5b,
  Backslash = 0x5c,
  CloseArray = 0x5d,
  OpenObject = 0x7b,
  CloseObject = 0x7d,
}

const MAX_DEPTH = 1000;
const MAX_TEXT = 1 << 26;
/** Digits that a double holds exactly, whatever they are. */
const EXACT_DIGITS = 15;
const MAX_NUMBER = 400;

const LITERALS: ReadonlyMap<string, boolean | null | number> = new Map<string, boolean | null | number>([
  ['true', true],
  ['false', false],
  ['null', null],
  // Python writes these, JSON does not know them.
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
]);

/** Reads JSON in pieces of any size and never looks back: no text of the file has to fit a string of the engine. */
export class JsonMachine {
  private expect = Expect.Value;
  /** 1 for the open objects, 0 for the open arrays. */
  private readonly isObject = new Uint8Array(MAX_DEPTH);
  private depth = 0;
  private seen = false;
  private scratch = new Uint8Array(256);
  private readonly float = new DataView(new ArrayBuffer(8));

  /** @param sequence accept one value after the other at the top (JSON lines) */
  constructor(
    private readonly handler: JsonHandler,
    private readonly name: string,
    private readonly sequence = false,
  ) {}

  /** True if the input may end here. */
  get complete(): boolean {
    return this.depth === 0 && (this.expect === Expect.Nothing || (this.sequence && this.seen));
  }

  /**
   * Reads each complete token in `buffer[from .. end)`.
   * @param base offset of `buffer[0]` in the input, for messages
   * @param last no more bytes follow
   * @returns the offset of the first byte to pass again with the next piece
   * @throws SnapshotError
   */
  run(buffer: Uint8Array, from: number, end: number, base: number, last: boolean): number {
    let p = from;
    while (p < end) {
      const byte = buffer[p];
      if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) {
        p++;
        continue;
      }
      switch (this.expect) {
        case Expect.CommaOrEnd:
          if (byte === Byte.Comma) {
            this.expect = this.isObject[this.depth - 1] === 1 ? Expect.Key : Expect.Value;
            p++;
          } else p = this.close(byte, p, base);
          continue;
        case Expect.Colon:
          if (byte !== Byte.Colon) throw this.damaged(base + p);
          this.expect = Expect.Value;
          p++;
          continue;
        case Expect.Key:
        case Expect.KeyOrEnd: {
          if (byte === Byte.CloseObject && this.expect === Expect.KeyOrEnd) {
            p = this.close(byte, p, base);
            continue;
          }
          if (byte !== Byte.Quote) throw this.damaged(base + p);
          const next = this.string(buffer, p, end, base, true);
          if (next < 0) return p;
          this.expect = Expect.Colon;
          p = next;
          continue;
        }
        case Expect.Nothing:
          throw new SnapshotError(
            'unsupported',
            t('{0} has data after its JSON value, at byte {1}. Write one value per file.', this.name, base + p),
          );
        case Expect.ValueOrEnd:
          if (byte === Byte.CloseArray) {
            p = this.close(byte, p, base);
            continue;
          }
          break;
        case Expect.Value:
      }
      // A value.
      if (byte === Byte.Quote) {
        const next = this.string(buffer, p, end, base, false);
        if (next < 0) return p;
        p = next;
        this.afterValue();
      } else if (byte === Byte.OpenObject || byte === Byte.OpenArray) {
        this.open(byte === Byte.OpenObject, base + p);
        p++;
      } else {
        const next = this.scalar(buffer, p, end, base, last);
        if (next < 0) return p;
        p = next;
        this.afterValue();
      }
    }
    return p;
  }

  private open(isObject: boolean, offset: number): void {
    if (this.depth === MAX_DEPTH) {
      throw new SnapshotError(
        'limit',
        t(
          '{0} is nested more than {1} levels deep at byte {2}, unlike any snapshot. Dump it again.',
          this.name,
          MAX_DEPTH,
          offset,
        ),
      );
    }
    this.isObject[this.depth++] = isObject ? 1 : 0;
    this.handler.begin(isObject);
    this.expect = isObject ? Expect.KeyOrEnd : Expect.ValueOrEnd;
  }

  private close(byte: number, p: number, base: number): number {
    const isObject = this.isObject[this.depth - 1] === 1;
    if (byte !== (isObject ? Byte.CloseObject : Byte.CloseArray)) throw this.damaged(base + p);
    this.depth--;
    this.handler.end();
    this.afterValue();
    return p + 1;
  }

  private afterValue(): void {
    if (this.depth > 0) this.expect = Expect.CommaOrEnd;
    else {
      this.seen = true;
      this.expect = this.sequence ? Expect.Value : Expect.Nothing;
    }
  }

  /** @returns the place behind the closing quote, -1 if the text does not end in the piece */
  private string(buffer: Uint8Array, at: number, end: number, base: number, isKey: boolean): number {
    let p = at + 1;
    while (p < end && buffer[p] !== Byte.Quote && buffer[p] !== Byte.Backslash) p++;
    let bytes = buffer;
    let from = at + 1;
    let to = p;
    if (p < end && buffer[p] === Byte.Backslash) {
      let close = p;
      while (close < end && buffer[close] !== Byte.Quote) close += buffer[close] === Byte.Backslash ? 2 : 1;
      if (close < end) {
        to = this.unescape(buffer, from, close, base);
        bytes = this.scratch;
        from = 0;
      }
      p = close;
    }
    if (p - at > MAX_TEXT) {
      throw new SnapshotError(
        'limit',
        t(
          '{0} has a string of more than {1} bytes at byte {2}, unlike any snapshot. Dump it again.',
          this.name,
          MAX_TEXT,
          base + at,
        ),
      );
    }
    if (p >= end) return -1;
    if (isKey) this.handler.key(bytes, from, to);
    else this.handler.text(bytes, from, to);
    return p + 1;
  }

  /** Writes `buffer[from .. to)` without its escapes into the scratch. @returns their length */
  private unescape(buffer: Uint8Array, from: number, to: number, base: number): number {
    if (this.scratch.length < to - from) this.scratch = new Uint8Array((to - from) * 2);
    const { scratch } = this;
    let length = 0;
    for (let p = from; p < to; p++) {
      if (buffer[p] !== Byte.Backslash) {
        scratch[length++] = buffer[p];
        continue;
      }
      const escape = String.fromCharCode(buffer[++p]);
      const plain = ESCAPES.get(escape);
      if (plain !== undefined) {
        scratch[length++] = plain;
        continue;
      }
      if (escape !== 'u') throw this.damaged(base + p);
      let code = this.hex(buffer, p + 1, to, base);
      p += 4;
      if (code >= 0xd800 && code < 0xdc00 && buffer[p + 1] === Byte.Backslash && buffer[p + 2] === 0x75) {
        const low = this.hex(buffer, p + 3, to, base);
        if (low >= 0xdc00 && low < 0xe000) {
          code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
          p += 6;
        }
      }
      length = writeUtf8(scratch, length, code);
    }
    return length;
  }

  private hex(buffer: Uint8Array, from: number, to: number, base: number): number {
    let value = 0;
    for (let p = from; p < from + 4; p++) {
      const digit = p < to ? Number.parseInt(String.fromCharCode(buffer[p]), 16) : Number.NaN;
      if (Number.isNaN(digit)) throw this.damaged(base + p);
      value = value * 16 + digit;
    }
    return value;
  }

  /** A number or literal. @returns the place behind it, -1 if it may go on behind the piece */
  private scalar(buffer: Uint8Array, at: number, end: number, base: number, last: boolean): number {
    let p = at;
    const negative = buffer[p] === Byte.Minus;
    if (negative) p++;
    let value = 0;
    const digits = p;
    while (p < end && buffer[p] >= 0x30 && buffer[p] <= 0x39) value = value * 10 + buffer[p++] - 0x30;
    if (p < end && p > digits && p - digits <= EXACT_DIGITS && !continuesScalar(buffer[p])) {
      const signed = negative ? -value : value;
      this.handler.number(Kind.Int, signed >>> 0, Math.floor(signed / 4294967296) >>> 0);
      return p;
    }
    while (p < end && continuesScalar(buffer[p])) p++;
    if (p - at > MAX_NUMBER) throw this.damaged(base + at);
    if (p === end && !last) return -1;
    const text = String.fromCharCode(...buffer.subarray(at, p));
    const literal = LITERALS.get(text) ?? (text === 'null' ? null : undefined);
    if (typeof literal === 'boolean' || literal === null) this.handler.literal(literal);
    else if (literal !== undefined) this.double(literal);
    else if (text === '-Infinity') this.double(Number.NEGATIVE_INFINITY);
    else if (/^-?\d+$/.test(text)) this.bigInteger(BigInt(text));
    else if (/^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text)) this.double(Number(text));
    else if (p === end) return -1;
    else throw this.damaged(base + at);
    return p;
  }

  private bigInteger(value: bigint): void {
    const isSigned = BigInt.asIntN(64, value) === value;
    if (!isSigned && BigInt.asUintN(64, value) !== value) {
      this.double(Number(value));
      return;
    }
    const bits = BigInt.asUintN(64, value);
    this.handler.number(isSigned ? Kind.Int : Kind.Uint, Number(bits & 0xffffffffn), Number(bits >> 32n));
  }

  private double(value: number): void {
    this.float.setFloat64(0, value, true);
    this.handler.number(Kind.Float, this.float.getUint32(0, true), this.float.getUint32(4, true));
  }

  private damaged(offset: number): SnapshotError {
    return new SnapshotError(
      'notASnapshot',
      t('{0} is not valid JSON at byte {1}. Write the file again.', this.name, offset),
    );
  }
}

const ESCAPES: ReadonlyMap<string, number> = new Map(
  Object.entries({ '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }).map(
    ([escape, text]) => [escape, text.charCodeAt(0)],
  ),
);

/** Digits, letters, signs and the point: all that numbers and literals consist of. */
function continuesScalar(byte: number): boolean {
  return (
    (byte >= 0x30 && byte <= 0x39) ||
    (byte >= 0x61 && byte <= 0x7a) ||
    (byte >= 0x41 && byte <= 0x5a) ||
    byte === 0x2e ||
    byte === 0x2b ||
    byte === Byte.Minus
  );
}

/** A lone surrogate is written like any other character, as Python does with `surrogatepass`. */
function writeUtf8(bytes: Uint8Array, at: number, code: number): number {
  let p = at;
  if (code < 0x80) bytes[p++] = code;
  else if (code < 0x800) {
    bytes[p++] = 0xc0 | (code >> 6);
    bytes[p++] = 0x80 | (code & 63);
  } else if (code < 0x10000) {
    bytes[p++] = 0xe0 | (code >> 12);
    bytes[p++] = 0x80 | ((code >> 6) & 63);
    bytes[p++] = 0x80 | (code & 63);
  } else {
    bytes[p++] = 0xf0 | (code >> 18);
    bytes[p++] = 0x80 | ((code >> 12) & 63);
    bytes[p++] = 0x80 | ((code >> 6) & 63);
    bytes[p++] = 0x80 | (code & 63);
  }
  return p;
}
