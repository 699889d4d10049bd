import type { Bytes } from '../model/units.js';

/** A line of a program. */
export interface Place {
  readonly file: string;
  readonly line: number;
}

/**
 * An event at which a program may release memory:
 * - `loop`: a loop around the steps repeats; `nextLoop`: training continues in another loop
 * - `read`: a loop ends, and its result is read; `use`: no event, because each step uses the memory
 * - `release`: a statement that releases runs
 * - `bound`: a container is full; `keys`: all keys have occurred; `count`: a test no longer holds
 */
export interface Chance {
  readonly kind: 'loop' | 'nextLoop' | 'read' | 'use' | 'release' | 'bound' | 'keys' | 'count';
  /** `passed`: it happened, and older memory is still live; `pending`: it has not happened since. */
  readonly state: 'passed' | 'pending';
  readonly place: Place;
  /** The number of times that it happened; null if not counted. */
  readonly times: number | null;
}

/** A holder whose size is bounded. */
export interface KnownBound {
  readonly name: string;
  readonly place: Place;
  readonly limit: BoundLimit;
  readonly isFull: boolean;
  /** The size of the full holder; null if unknown. */
  readonly full: FullSize | null;
}

/** The kind of bound: type of the container, loop around it, backward pass or number of items. */
export type BoundLimit =
  | { readonly kind: 'container'; readonly type: string; readonly items: number }
  | { readonly kind: 'loop' }
  | { readonly kind: 'graph' | 'items'; readonly text: string; readonly items: number | null };

/** The content of a bounded holder when it is full. */
export interface FullSize {
  readonly bytes: Bytes;
  /** The part of these bytes that it does not hold yet. */
  readonly moreBytes: Bytes;
  /** False if it may be more: an item may be more than one block. */
  readonly isExact: boolean;
}
