/** Bounds on what an input may ask for. Beyond them stands a `SnapshotError` with the reason `limit`. */
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

/** Maximum number of bytes of one whole number. */
export const MAX_INTEGER_BYTES = 255;
