import { SnapshotError } from './snapshotError.js';

/** Limits of an input, with the unit in the name, or a count. */
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
  /** Repeated references of a file. */
  | 'mentions'
  /** Packings in each other. */
  | 'packings'
  /** Bytes that packed data unfolds into. */
  | 'unpackedBytes'
  /** Packed data without content. */
  | 'emptyBytes'
  | 'devices'
  /** The size of the directory of a zip archive. */
  | 'directoryBytes'
  /** The number of snapshots on one page. */
  | 'snapshots'
  | 'graphBytes'
  /** Samples of a log. */
  | 'samples'
  | 'timeMs';

/** The limit that an input met. */
export interface LimitMet {
  readonly kind: LimitKind;
  /** The most that is allowed. */
  readonly most: number;
  /** The requested amount, null if only known to exceed the limit. */
  readonly asked: number | null;
  /** Offset in the input, null without a place. */
  readonly offset: number | null;
}

/** An input exceeds a limit. */
export class LimitError extends SnapshotError {
  constructor(
    readonly limit: LimitMet,
    message: string,
  ) {
    super('limit', message);
  }
}
