import { getOrAdd } from '../maps.js';
import type { Snapshot } from '../model/snapshot.js';
import { LifeSpan, type AllocationIndex } from './allocationIndex.js';
import type { Category, CategoryCode } from '../attribution/categories/category.js';
import type { DigestFrame } from '../model/digestFrame.js';
import { ownerOfRow, stackFrames } from '../attribution/ownerTally.js';
import { ownerKey, type Owner, type OwnerSearch } from '../attribution/owner.js';

/** The common property of bands of one color. */
export type BandGrouping = 'line' | 'file' | 'stack' | 'verdict' | 'category' | 'age';

/** A group of bands: one color, one place among the series. */
export interface BandGroup {
  /** The name of its group: a file, a verdict, a lifetime class; empty for single series. */
  readonly name: string;
  /** 0 for the group that holds most over the whole history. */
  readonly rank: number;
}

/** The allocations of one line (of one stack, if stacks are requested) in one group: neighbors among the series. */
interface Series {
  readonly group: number;
  readonly owner: Owner;
  /** Set if the series is one stack; an index into the sources. */
  readonly source: number | null;
  /** The use of memory before recording that its sizes show; null where they show none, and of other memory. */
  readonly use: Category | null;
}

/** The series from the bottom up. The longest-lived are lowest, so that short-lived ones move nothing else. */
export interface SeriesLayout {
  readonly grouping: BandGrouping;
  readonly groups: readonly BandGroup[];
  readonly allSeries: readonly Series[];
  /** Series of each source of the index. */
  readonly seriesOf: Uint32Array;
}

interface StackedBands {
  bytes: number;
  weight: number;
}

interface Growing extends StackedBands {
  group: string;
  owner: Owner;
  source: number | null;
  use: Category | null;
}

const SPAN_NAMES: Record<LifeSpan, string> = {
  [LifeSpan.Before]: 'before',
  [LifeSpan.Live]: 'kept',
  [LifeSpan.Steps]: 'steps',
  [LifeSpan.Step]: 'step',
};

/** Labels of allocations that the caller knows. */
export interface SeriesLabels {
  verdictOf(owner: Owner): string;
  /** @param frames of the allocating stack, innermost first */
  categoryOf(code: CategoryCode, frames: readonly DigestFrame[]): Category;
}

export function seriesLayout(
  snapshot: Snapshot,
  index: AllocationIndex,
  grouping: BandGrouping,
  search: OwnerSearch,
  labels: SeriesLabels,
): SeriesLayout {
  const { sources } = index;
  const allSeries = new Map<string, Growing>();
  const groups = new Map<string, StackedBands>();
  const keyOf: string[] = [];
  for (let source = 0; source < sources.count; source++) {
    const stackless = sources.isRecorded[source] === 1 ? 'noStack' : 'beforeRecording';
    const stacks = { stack: sources.stack[source], forward: sources.forwardStack[source] };
    const isKept = sources.span[source] === LifeSpan.Live;
    const owner = ownerOfRow(snapshot, { ...stacks, stackless, isKept }, search);
    const category = labels.categoryOf(sources.category[source], stackFrames(snapshot, stacks.stack));
    const use = 'bucket' in owner && owner.bucket === 'beforeRecording' && category !== 'other' ? category : null;
    const line = 'line' in owner ? ownerKey(owner.line) : `${owner.bucket}${use ?? ''}`;
    const stack = grouping === 'stack' ? `${stacks.stack}/${stacks.forward}` : '';
    const group = {
      line: () => line,
      file: () => ('line' in owner ? owner.line.file : owner.bucket),
      stack: () => stack,
      verdict: () => labels.verdictOf(owner),
      category: () => category,
      age: () => SPAN_NAMES[sources.span[source] as LifeSpan],
    }[grouping]();
    const key = `${group}\n\n${line}\n\n${stack}`;
    keyOf.push(key);
    const { bytes, weight } = { bytes: sources.bytes[source], weight: sources.weight[source] };
    const none = { bytes: 0, weight: 0 };
    const own = { group, owner, source: grouping === 'stack' ? source : null, use };
    const series = getOrAdd(allSeries, key, () => ({ ...own, ...none }));
    for (const sum of [series, getOrAdd(groups, group, () => ({ ...none }))]) {
      sum.bytes += bytes;
      sum.weight += weight;
    }
  }
  return arranged(grouping, allSeries, groups, keyOf);
}

function arranged(
  grouping: BandGrouping,
  allSeries: ReadonlyMap<string, Growing>,
  groups: ReadonlyMap<string, StackedBands>,
  keyOf: readonly string[],
): SeriesLayout {
  const ages = new Map([...groups].map(([name, stacked]) => [name, meanAge(stacked)]));
  const lowestFirst = [...groups.keys()].sort((a, b) => (ages.get(b) ?? 0) - (ages.get(a) ?? 0));
  const heaviestFirst = [...groups].sort(([, a], [, b]) => b.weight - a.weight).map(([name]) => name);
  const place = new Map(lowestFirst.map((name, at) => [name, at]));
  const rank = new Map(heaviestFirst.map((name, at) => [name, at]));
  const order = [...allSeries].sort(
    ([, a], [, b]) => (place.get(a.group) ?? 0) - (place.get(b.group) ?? 0) || meanAge(b) - meanAge(a),
  );
  const at = new Map(order.map(([key], position) => [key, position]));
  const named = grouping !== 'line' && grouping !== 'stack';
  return {
    grouping,
    groups: lowestFirst.map((name) => ({ name: named ? name : '', rank: rank.get(name) ?? 0 })),
    allSeries: order.map(([, { group, owner, source, use }]) => ({ group: place.get(group) ?? 0, owner, source, use })),
    seriesOf: Uint32Array.from(keyOf, (key) => at.get(key) ?? 0),
  };
}

/** Mean events that a byte lived for. */
function meanAge({ bytes, weight }: StackedBands): number {
  return bytes === 0 ? 0 : weight / bytes;
}
