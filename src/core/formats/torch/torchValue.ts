import { SnapshotError } from '../../bytes/snapshotError.js';
import { Kind, PAYLOAD_BITS, PAYLOAD_MASK, type ValueStack } from '../../pickle/values.js';
import { t } from '../../text/translate.js';

/** The kinds of value of a PyTorch snapshot, beside those of the pickle machine. */
export const enum Torch {
  /** Payload: frame id. */
  Frame = 10,
  /** A list of frames; payload: capture number. */
  Capture = 11,
  /** Payload: event index. */
  Event = 12,
  /** Payload: block index. */
  Block = 13,
  /** Anything else; payload: index into the sink's objects. */
  Object = 14,
}

/** True for the kinds of whole numbers. */
export function isNumber(kind: number): boolean {
  return kind === Kind.Int || kind === Kind.Uint || kind === Kind.BoxedNumber;
}

/** The lower word of a whole number, 0 of anything else. */
export function lowWord(stack: ValueStack, at: number): number {
  const kind = stack.ref[at] >>> PAYLOAD_BITS;
  if (kind === Kind.Int || kind === Kind.Uint) return stack.low[at];
  return isNumber(kind) ? stack.words(at).low : 0;
}

/** The upper word of a whole number, 0 of anything else. */
export function highWord(stack: ValueStack, at: number): number {
  const kind = stack.ref[at] >>> PAYLOAD_BITS;
  if (kind === Kind.Int || kind === Kind.Uint) return stack.high[at];
  return isNumber(kind) ? stack.words(at).high : 0;
}

/** No count or time of PyTorch takes more than 64 bits. Sums of such stay finite. */
const MAX_INTEGER = 2 ** 63;

/** A count or time: whole, never negative, infinite or NaN. */
export function byteCount(stack: ValueStack, at: number): number {
  // The common case without a call: a non-negative integer in its words.
  if (stack.ref[at] >>> PAYLOAD_BITS === Kind.Int && stack.high[at] < 0x80000000) {
    return stack.high[at] * 4294967296 + stack.low[at];
  }
  const value = stack.number(at);
  return value > 0 ? Math.min(Math.trunc(value), MAX_INTEGER) : 0;
}

/** The exact decimal text of a 64-bit handle. Handles are unsigned; the C++ writer stores them as signed integers. */
export function integerText(stack: ValueStack, at: number): string {
  const { low, high } = stack.words(at);
  return high === 0 ? String(low) : ((BigInt(high) << 32n) | BigInt(low)).toString();
}

/** Checks that a value fits into the 28 bits of a payload. @throws SnapshotError `limit` */
export function checkedPayload(payload: number, name: string): number {
  if (payload > PAYLOAD_MASK) throw tooManyObjects(name);
  return payload;
}

/** Limits repeated references, which would expand to more than the file. */
export function tooManyMentions(name: string, what: keyof ReturnType<typeof mentionTexts>): SnapshotError {
  return new SnapshotError(
    'limit',
    t(
      '{0} refers to {1} far more often than PyTorch does, and would expand to a multiple of its size. Dump the snapshot again.',
      name,
      mentionTexts()[what],
    ),
  );
}

function mentionTexts() {
  return {
    stack: t('the same stack'),
    list: t('the same list'),
    dictionary: t('the same dictionary'),
    generated: t('the same frame of generated code'),
  };
}

export function tooManyObjects(name: string): SnapshotError {
  return new SnapshotError(
    'limit',
    t('{0} holds more objects than Leakline allows. Record with a smaller max_entries.', name),
  );
}
