import type { Category } from '../attribution/categories.js';
import type { Bytes } from '../model/units.js';
import type { Shape } from './shape.js';

/** A line of a program. */
export interface Place {
  readonly file: string;
  readonly line: number;
}

/**
 * An event at which a program releases memory, if it ever does.
 * - `loop`: a loop around the steps comes round; `nextLoop`: training goes on in another loop
 * - `release`: a statement that releases runs
 * - `bound`: a container is full; `keys`: all keys have come; `count`: a test stops to hold
 */
export interface Chance {
  readonly kind: 'loop' | 'nextLoop' | 'release' | 'bound' | 'keys' | 'count';
  /** `passed`: it came, and memory of before is still there; `pending`: it has not come since. */
  readonly state: 'passed' | 'pending';
  readonly place: Place;
  /** How often it came, null where that is not counted. */
  readonly times: number | null;
}

/** What was seen of the stacks that decide a line's verdict, taken together. */
export interface Seen {
  /** `lifetimes` of the allocations in the trace, or the live bytes of the `snapshots`. */
  from: 'lifetimes' | 'snapshots';
  /** Steps that were looked at, or intervals between snapshots. */
  steps: number;
  /** Steps (1-based) on which blocks that are alive at the end were allocated, or intervals over which live bytes rose: the newest, at most 32. */
  allocatedOnSteps: number[];
  /** How many such steps there are in all. */
  birthSteps: number;
  /** Blocks alive at the end. */
  survivors: number;
  /** Steps that the oldest freed block lived, null if none was freed or lifetimes are not known. */
  oldestFreedAge: number | null;
  /** Age that 95 % of the freed blocks did not exceed: what survivors are measured by. */
  usualFreedAge: number | null;
  /** Live bytes at the ends of steps (the lowest of each bin), or in the snapshots; at most 64, evenly thinned. */
  floors: Bytes[];
  /** How often half of the most that was ever live was freed at once, or live bytes fell from one snapshot to the next. */
  drops: number;
}

/** What the source, or the recorder's look, says of releases. */
export type Knowledge =
  /** Chances are known, or there are none. */
  | 'known'
  /** The source was read, and does not show what holds the memory. */
  | 'noHolder'
  /** Neither was at hand. */
  | 'nothing';

/** What keeps a line's memory, and cannot grow for ever. */
export interface KnownBound {
  readonly name: string;
  readonly place: Place;
  readonly limit: BoundLimit;
  readonly isFull: boolean;
  /** What it keeps once it is full, null where that is not known. */
  readonly full: FullSize | null;
}

/** What bounds: a container by its type, a loop around it, a backward pass or a number of items. */
export type BoundLimit =
  | { readonly kind: 'container'; readonly type: string; readonly items: number }
  | { readonly kind: 'loop' }
  | { readonly kind: 'graph' | 'items'; readonly text: string; readonly items: number | null };

/** What something with a bound keeps once it is full. */
export interface FullSize {
  readonly bytes: Bytes;
  /** Of these, what it does not keep yet. */
  readonly moreBytes: Bytes;
  /** False if it may be more: an item may be more than one block. */
  readonly isExact: boolean;
}

/** All that the verdict on a line depends on. */
export interface LineFeatures {
  /** The worst of its stacks' shapes. */
  readonly shape: Shape;
  /** The recorder or the cycle detector saw a reference cycle hold the memory. */
  readonly isInCycle: boolean;
  /** Blocks alive at the end. */
  readonly survivors: number;
  /** Steps with births of survivors, and steps in all; null without lifetimes. */
  readonly births: { readonly steps: number; readonly of: number } | null;
  readonly category: Category;
  /** Optimizer state: no more than the parameters need, or that of an optimizer of the program. */
  readonly isStateOfParameters: boolean;
  /** A container in the source, other than an optimizer, holds the memory. */
  readonly isHeldBySource: boolean;
  /** What holds the memory is known, other than a name that the recorder alone saw. */
  readonly isHolderSure: boolean;
  readonly bound: KnownBound | null;
  readonly chances: readonly Chance[];
  readonly knowledge: Knowledge;
  /** It was proved to leak from the source that ran, which is another one now. */
  readonly wasProved: boolean;
  /** The step at the last snapshot, null where it is not known. */
  readonly lastStep: number | null;
}
