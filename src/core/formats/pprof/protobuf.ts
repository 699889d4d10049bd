import { LimitError } from '../../bytes/limitError.js';
import { SnapshotError } from '../../bytes/snapshotError.js';
import { countText } from '../../text/numberText.js';
import { t } from '../../text/translate.js';

/** One field of a protobuf message: a number, or the bytes of a text, message or packed list. */
export interface Field {
  readonly id: number;
  /** Signed; 0 for fields of bytes. Exact up to 2^53. */
  readonly value: number;
  /** Empty for numbers. */
  readonly bytes: Uint8Array;
}

/** Fields of one message: a field may be two bytes long, and takes fifty here. */
const MAX_FIELDS = 1 << 22;

const NOTHING = new Uint8Array(0);

const enum Wire {
  Varint = 0,
  Fixed64 = 1,
  Bytes = 2,
  Fixed32 = 5,
}

/** The fields of a message, in order. @throws SnapshotError `truncated` in the last field, else `notASnapshot` */
export function fields(message: Uint8Array, name: string): Field[] {
  const found: Field[] = [];
  const reader = new Reader(message, name);
  while (!reader.atEnd) {
    if (found.length >= MAX_FIELDS) throw tooManyFields(name, reader.at);
    const tag = reader.varint();
    const id = Math.floor(tag / 8);
    switch (tag % 8) {
      case Wire.Varint:
        found.push({ id, value: reader.varint(), bytes: NOTHING });
        break;
      case Wire.Bytes:
        found.push({ id, value: 0, bytes: reader.bytes(reader.varint()) });
        break;
      case Wire.Fixed64:
        reader.bytes(8);
        break;
      case Wire.Fixed32:
        reader.bytes(4);
        break;
      default:
        throw new SnapshotError(
          'notASnapshot',
          t('{0} is not a valid profile at byte {1}. Save it again.', name, reader.at),
        );
    }
  }
  return found;
}

function tooManyFields(name: string, offset: number): LimitError {
  return new LimitError(
    { kind: 'objects', most: MAX_FIELDS, asked: null, offset },
    t('{0} has more than {1} fields in one message. Save a smaller profile.', name, countText(MAX_FIELDS)),
  );
}

/** The numbers of a repeated field, packed or not. @throws SnapshotError as `fields` */
export function numbersOf(message: readonly Field[], id: number, name: string): number[] {
  return message
    .filter((field) => field.id === id)
    .flatMap((field) => {
      if (field.bytes.length === 0) return [field.value];
      const numbers: number[] = [];
      const reader = new Reader(field.bytes, name);
      while (!reader.atEnd) numbers.push(reader.varint());
      return numbers;
    });
}

class Reader {
  at = 0;

  constructor(
    private readonly buffer: Uint8Array,
    private readonly name: string,
  ) {}

  get atEnd(): boolean {
    return this.at >= this.buffer.length;
  }

  varint(): number {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      if (this.atEnd) throw this.truncated();
      const byte = this.buffer[this.at++];
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return Number(BigInt.asIntN(64, value));
    }
    throw new SnapshotError(
      'notASnapshot',
      t('{0} is not a valid profile: the number before byte {1} does not end. Save it again.', this.name, this.at),
    );
  }

  bytes(length: number): Uint8Array {
    if (length < 0 || this.at + length > this.buffer.length) throw this.truncated();
    this.at += length;
    return this.buffer.subarray(this.at - length, this.at);
  }

  private truncated(): SnapshotError {
    return new SnapshotError(
      'truncated',
      t('{0} ends early: it is still being written or truncated. Wait until it is complete.', this.name),
    );
  }
}
