import type { Ref } from './values.js';

/**
 * A file refers to something that the reader of records has left out of the memo, or changes what it has numbered. No pickler
 * of snapshots does. Read it again by the machine alone.
 */
export class Forgotten extends Error {}

/** Reads dictionaries that lie whole in the input, in place of the machine, which does the same in many more steps. */
export interface RecordReader {
  /** The machine's memo. Its empty slots are zero, see `recall`. */
  readonly memo: Int32Array;
  /** Slots of the memo that are filled, after the last record. */
  readonly memoCount: number;
  /** The depth of the stack after the last record. */
  readonly depth: number;

  /** Takes the piece of the input that the next records lie in, which ends at `end`. */
  use(buffer: Uint8Array, end: number): void;

  /**
   * Reads records one after the other, from `from` to what is none, and pushes them.
   * @param memoCount filled slots of the memo; records add their own
   * @param depth of the stack
   * @returns the place behind the last record, with `memoCount` and `depth` set; `from` if the machine has to go on
   */
  read(from: number, memoCount: number, depth: number): number;

  /** Makes room for so many slots. @returns the memo from now on */
  growMemo(slots: number): Int32Array;

  /**
   * A memo slot got another value: texts and lists are known by their slots.
   * @throws Forgotten
   */
  giveUp(): never;

  /** The value of a slot that is empty in the memo. @throws Forgotten */
  recall(slot: number): Ref;

  /** No record follows: the memo is no longer the machine's. @param filled slots of it, at most */
  close(filled: number): void;
}
