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

/** A sink that makes use of records being alike, see `RecordReader`. */
export interface RecordSink extends PickleSink {
  /**
   * A whole dictionary, as `setItems` of an empty one with `cells[0 .. 2 * keys)`.
   * @param isSame true if the keys are those of the call before
   */
  record(cells: ValueStack, keys: number, isSame: boolean): Ref;
  /**
   * A dictionary inside a list of a record, as `setItems` of an empty one with `cells[0 .. 2 * keys)`, if its value says
   * all about it: it may come again. `NONE_REF` for one that may come only once, of which nothing is kept.
   */
  item(cells: ValueStack, keys: number): Ref;
  /** A number for what a list of references holds, from 1 on, so that its bytes can be kept; 0 for none. */
  listContent(list: Ref): number;
  /** `next` is what the next such list probably holds, 0 where nothing is expected. */
  readonly forecast: { readonly next: number };
  /** A list that holds what the number stands for: as `appendItems` of an empty list with just that. */
  knownList(content: number): Ref;
}
