/** Integers of seven bits per byte, up to 2^52, which shifts of 32 bits cannot split. */

const COARSEST_UNIT = 2 ** 21;
const CUT_OFF = 'The columns are cut off.';

type Numbers = Float64Array | Int32Array | Uint32Array | Uint16Array;

/** Writes numbers one after the other. */
export class NumberWriter {
  private bytes = new Uint8Array(1 << 14);
  private length = 0;

  /** @param value 0 or more */
  whole(value: number): void {
    let rest = value;
    while (rest >= 128) {
      this.push((rest % 128) + 128);
      rest = Math.floor(rest / 128);
    }
    this.push(rest);
  }

  signed(value: number): void {
    this.whole(value < 0 ? -2 * value - 1 : 2 * value);
  }

  /** Table of any kind: differences where all are whole, as they are where not. */
  column(values: Numbers): void {
    this.whole(values.length);
    const unit = unitOf(values);
    this.whole(unit);
    if (unit === 0) {
      for (const value of values) this.float(value);
      return;
    }
    let before = 0;
    for (const value of values) {
      this.signed((value - before) / unit);
      before = value;
    }
  }

  /** Any number, in eight bytes. */
  float(value: number): void {
    for (const byte of new Uint8Array(Float64Array.of(value).buffer)) this.push(byte);
  }

  take(): Uint8Array {
    return this.bytes.slice(0, this.length);
  }

  private push(byte: number): void {
    if (this.length === this.bytes.length) {
      const larger = new Uint8Array(this.bytes.length * 2);
      larger.set(this.bytes);
      this.bytes = larger;
    }
    this.bytes[this.length++] = byte;
  }
}

/** Reads the output of {@link NumberWriter}, in order. */
export class NumberReader {
  private at = 0;

  constructor(private readonly bytes: Uint8Array) {}

  whole(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      if (this.at >= this.bytes.length) throw new RangeError(CUT_OFF);
      const byte = this.bytes[this.at++];
      if (byte < 128) return value + byte * scale;
      value += (byte - 128) * scale;
      scale *= 128;
    }
  }

  signed(): number {
    const value = this.whole();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  column(): Float64Array {
    const length = this.whole();
    const unit = this.whole();
    // Each number takes a byte at least: a longer claim is truncated, and must not allocate memory.
    if (length > this.bytes.length - this.at) throw new RangeError(CUT_OFF);
    const values = new Float64Array(length);
    let before = 0;
    for (let i = 0; i < length; i++) values[i] = before = unit === 0 ? this.float() : before + this.signed() * unit;
    return values;
  }

  float(): number {
    if (this.at + 8 > this.bytes.length) throw new RangeError(CUT_OFF);
    this.at += 8;
    return new Float64Array(this.bytes.slice(this.at - 8, this.at).buffer)[0];
  }
}

/** The largest power of two that divides all numbers; 0 where one is not whole, or too far from the previous one. */
function unitOf(values: Numbers): number {
  let unit = COARSEST_UNIT;
  let before = 0;
  for (const value of values) {
    if (!Number.isSafeInteger(value) || !Number.isSafeInteger(2 * (value - before))) return 0;
    while (value % unit !== 0) unit /= 2;
    before = value;
  }
  return unit;
}
