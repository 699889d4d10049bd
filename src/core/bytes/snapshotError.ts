/** Why an input could not be read. Callers decide by `reason`, never by the text. */
export type SnapshotErrorReason =
  | 'truncated' // ends early: probably still being written; come back later
  | 'notASnapshot'
  | 'unsupported'
  | 'forbidden' // names or calls code
  | 'limit'
  | 'pointer' // stands for content that Git LFS has not fetched
  | 'unreadable' // the file system said no
  | 'cancelled';

/** An input could not be read. The message tells the problem, its place and the remedy. */
export class SnapshotError extends Error {
  override readonly name = 'SnapshotError';

  constructor(
    readonly reason: SnapshotErrorReason,
    message: string,
    /** The offset of a forbidden opcode in its pickle; null for other errors. */
    readonly offset: number | null = null,
  ) {
    super(message);
  }

  static is(error: unknown, reason?: SnapshotErrorReason): error is SnapshotError {
    return error instanceof SnapshotError && (reason === undefined || error.reason === reason);
  }
}
