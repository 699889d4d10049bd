import { SnapshotError } from './snapshotError.js';

/** What no input may exceed: the unit is in the name, else it is pieces. */
export type LimitKind =
  /** Values that a pickle, or a list of JSON, holds ready at once. */
  | 'stackDepth'
  /** Containers that are open in each other. */
  | 'nesting'
  | 'memoSlots'
  | 'memoizedNumbers'
  | 'textBytes'
  | 'integerBytes'
  /** Dictionaries and lists, events, blocks, stacks and texts. */
  | 'objects'
  /** How often things are looked at that a file mentions repeatedly. */
  | 'mentions'
  /** Packings in each other. */
  | 'packings'
  /** Bytes that packed data unfolds into. */
  | 'unpackedBytes'
  /** Packed data that unfolds into nothing. */
  | 'emptyBytes'
  | 'devices'
  /** Of a zip archive. */
  | 'directoryBytes'
  /** On one page. */
  | 'snapshots'
  | 'graphBytes'
  | 'profileBytes'
  /** Of a log, times what it samples. */
  | 'samples'
  | 'timeMs';

/** The limit that an input met. */
export interface LimitMet {
  readonly kind: LimitKind;
  /** The most that is allowed. */
  readonly most: number;
  /** What it requested, null where all that is known is that it is more. */
  readonly asked: number | null;
  /** Where in the input, in bytes, null where it is not about a place. */
  readonly offset: number | null;
}

/** An input asks for more than it may. */
export class LimitError extends SnapshotError {
  constructor(
    readonly limit: LimitMet,
    message: string,
  ) {
    super('limit', message);
  }
}
