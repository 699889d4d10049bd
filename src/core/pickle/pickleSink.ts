import type { Ref, ValueStack } from './values.js';

/**
 * Receives what a pickle builds. A container comes with the places `[from, to)` of the value stack that hold its new
 * contents; the sink returns the value that stands for the container from then on. Containers of more than 1,000 items
 * come in several parts: the value returned for one part is the container of the next.
 */
export interface PickleSink {
  /** A text, `bytes[from .. to)` in UTF-8. Returns a payload of 28 bits, the same for the same text. */
  text(bytes: Uint8Array, from: number, to: number): number;
  /** Keys and values in turn. */
  setItems(dict: Ref, stack: ValueStack, from: number, to: number): Ref;
  appendItems(list: Ref, stack: ValueStack, from: number, to: number): Ref;
  /** Returns the same for the same numbers. */
  tuple(stack: ValueStack, from: number, to: number): Ref;
}
