import type { Category } from '../attribution/categories/category.js';
import type { Chance, KnownBound } from '../facts/evidence.js';
import type { Bytes } from '../model/units.js';
import type { Custody } from './custody.js';
import type { Shape } from './shape.js';
import { limit } from './thresholds.js';

/** The observations of the stacks that decide a line's verdict, combined. */
export interface Seen {
  /** `lifetimes` of the allocations in the trace, or the live bytes of the `snapshots`. */
  from: 'lifetimes' | 'snapshots';
  /** Number of observed steps, or of intervals between snapshots. */
  steps: number;
  /** Steps (1-based) on which blocks that are alive at the end were allocated, or intervals over which live bytes rose: the newest, at most 32. */
  allocatedOnSteps: number[];
  /** Number of such steps in total. */
  birthSteps: number;
  /** Blocks alive at the end. */
  survivors: number;
  /** Steps that the oldest freed block lived, null if none was freed or lifetimes are not known. */
  oldestFreedAge: number | null;
  /** Age that 95 % of the freed blocks did not exceed; survivors are compared with it. */
  usualFreedAge: number | null;
  /** Live bytes at the ends of steps (the lowest of each bin), or in the snapshots; at most 64, evenly thinned. */
  floors: Bytes[];
  /** How often half of the maximum was freed at once, or live bytes fell between snapshots. */
  drops: number;
}

/** True if freed blocks lived for several steps: something takes them out of their holder. */
export function isEmptied({ usualFreedAge }: Pick<Seen, 'usualFreedAge'>): boolean {
  return (usualFreedAge ?? 0) > 2;
}

/** True if few steps allocate what stays. A single one is that of a tensor that each step replaces. */
export function isSeldom(births: NonNullable<LineObservations['births']>): boolean {
  return births.steps > 1 && births.steps < limit('allocatedShare') * births.of;
}

/** True if most steps allocate nothing that stays. */
export function isOfFew({ steps, of }: NonNullable<LineObservations['births']>): boolean {
  return steps > 1 && 2 * steps < of;
}

/** Evidence of source and recorder on releases. */
export type Knowledge =
  /** The chances are known; there may be none. */
  | 'known'
  /** The source was read, but does not show the holder. */
  | 'noHolder'
  /** Neither was available. */
  | 'nothing';

/** Observations of a line that its verdict depends on. */
export interface LineObservations {
  /** The worst of its stacks' shapes. */
  readonly shape: Shape;
  /** True if the recorder or the cycle detector found a reference cycle that holds the memory. */
  readonly isInCycle: boolean;
  /** The recorder saw garbage of many steps wait in the cycle. */
  readonly isAccumulating: boolean;
  /** Garbage is little, or waits for a few steps only until it is freed. */
  readonly isMinorGarbage: boolean;
  /** What grows is little of the run's memory. */
  readonly isMinorGrowth: boolean;
  /** Steps that allocated survivors, and all steps; null without lifetimes. */
  readonly births: { readonly steps: number; readonly of: number } | null;
  /** That of most live bytes of the stacks that have the line's shape. */
  readonly category: Category;
  /** Proof by the recorder alone, or what is missing for it; null without a recording that shows it. */
  readonly custody: Custody | null;
  /** The recorder has searched all objects, and found none that holds any of it. */
  readonly isUnheld: boolean;
  /** The step at the last snapshot; null if unknown. */
  readonly lastStep: number | null;
}

/** All inputs of the verdict on a line. */
export interface LineFeatures extends LineObservations {
  /** Blocks alive at the end. */
  readonly survivors: number;
  /** Freed blocks lived for several steps. */
  readonly isEmptied: boolean;
  /** Optimizer state: no more than the parameters need, or that of an optimizer of the program. */
  readonly isStateOfParameters: boolean;
  /** A container in the source, other than an optimizer, holds the memory. */
  readonly isHeldBySource: boolean;
  /** The holder is known, and not only by name from the recorder. */
  readonly isHolderSure: boolean;
  readonly bound: KnownBound | null;
  readonly chances: readonly Chance[];
  readonly knowledge: Knowledge;
  /** What most of the memory is held through, if that is not its container alone; null if unknown. */
  readonly through: 'graph' | 'traceback' | 'hook' | null;
  /** Few steps add to it, as once per epoch. */
  readonly isAddedSeldom: boolean;
  /** A graph holds it, which no program keeps on purpose. */
  readonly isThroughGraph: boolean;
  /** The source that ran proved the leak, and was edited since. */
  readonly wasProved: boolean;
}

/** A device's capacity and headroom. */
export interface Room {
  readonly capacityBytes: Bytes;
  readonly roomBytes: Bytes;
}
