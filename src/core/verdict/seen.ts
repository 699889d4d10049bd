import { countUpTo, distinctOf } from '../model/ascending.js';
import { evenly } from '../model/evenly.js';
import { deepDrops } from './lifetimeFeatures.js';
import type { DigestLifetimes } from '../digest/digest.js';
import type { Bytes } from '../model/units.js';
import type { StackShape } from './shapeOf.js';
import type { Seen } from './features.js';

/** A stack that decides a line's verdict. */
interface SeenStack {
  readonly shape: StackShape;
  readonly lifetimes: DigestLifetimes | null;
  /** Live bytes, one per snapshot. */
  readonly series: readonly Bytes[];
  /** Live blocks, one per snapshot. */
  readonly blocks: readonly number[];
}

/** Maximum number of steps in a report; the newest count. */
const MAX_BIRTHS = 32;
const MAX_FLOORS = 64;

/** Combines the observations of stacks. @returns null for one snapshot without lifetimes */
export function seenOf(stacks: readonly SeenStack[]): Seen | null {
  return fromLifetimes(stacks) ?? fromSeries(stacks);
}

function fromLifetimes(stacks: readonly SeenStack[]): Seen | null {
  const lived = stacks.flatMap(({ lifetimes, shape }) =>
    lifetimes !== null && shape.from === 'lifetimes' ? [lifetimes] : [],
  );
  if (lived.length === 0) return null;
  const all = distinctOf(lived.map(({ survivorBirths }) => survivorBirths));
  // Allocations before the first step belong to no step.
  const births = all.subarray(countUpTo(all, 0));
  return {
    from: 'lifetimes',
    steps: Math.max(...lived.map(({ steps }) => steps)),
    allocatedOnSteps: Array.from(births.subarray(-MAX_BIRTHS)),
    birthSteps: births.length,
    survivors: sum(lived, ({ survivorBirths }) => survivorBirths.length),
    oldestFreedAge: oldest(lived.map(({ oldestFreedAge }) => oldestFreedAge)),
    usualFreedAge: oldest(lived.map(({ usualFreedAge }) => usualFreedAge)),
    floors: floorsOf(lived),
    drops: Math.max(...lived.map((one) => deepDrops(one).length)),
  };
}

/** Together, at no more than so many bins of steps. */
function floorsOf(lived: readonly DigestLifetimes[]): Bytes[] {
  return evenly(lived[0].floors.length, MAX_FLOORS).map((bin) => {
    let bytes = 0;
    for (const { floors } of lived) bytes += floors[bin] ?? 0;
    return bytes;
  });
}

function fromSeries(stacks: readonly SeenStack[]): Seen | null {
  const points = stacks[0]?.series.length ?? 0;
  if (points < 2) return null;
  const floors = Array.from({ length: points }, (_, at) => sum(stacks, ({ series }) => series[at]));
  const changes = floors.slice(1).map((bytes, i) => bytes - floors[i]);
  const rises = changes.flatMap((change, i) => (change > 0 ? [i + 1] : []));
  return {
    from: 'snapshots',
    steps: changes.length,
    allocatedOnSteps: rises.slice(-MAX_BIRTHS),
    birthSteps: rises.length,
    survivors: sum(stacks, ({ blocks }) => blocks[points - 1]),
    oldestFreedAge: null,
    usualFreedAge: null,
    floors: evenly(points, MAX_FLOORS).map((at) => floors[at]),
    drops: changes.filter((change) => change < 0).length,
  };
}

/** The highest of the known ages, null if none is known. */
export function oldest(ages: readonly (number | null)[]): number | null {
  const known = ages.filter((age) => age !== null);
  return known.length === 0 ? null : Math.max(...known);
}

function sum<Item>(items: readonly Item[], figure: (item: Item) => number): number {
  return items.reduce((total, item) => total + figure(item), 0);
}
