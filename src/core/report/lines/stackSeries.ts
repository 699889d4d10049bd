import { CATEGORIES } from '../../attribution/categories/category.js';
import type { EqualBlocks } from '../../attribution/categories/equalBlocks.js';
import { eachStackTotal } from '../../digest/digestFacts.js';
import type { LiveGroup } from '../../digest/liveGroups.js';
import type { JoinedLifetimes, JoinedTraces } from '../../runs/joinTraces.js';
import type { DigestLifetimes, SnapshotDigest } from '../../digest/digest.js';
import type { DigestFrame } from '../../model/digestFrame.js';
import type { FileLookup, StacklessBucket } from '../../attribution/owner.js';
import type { Bytes } from '../../model/units.js';
import { maxOlderBytes } from '../../runs/maxOlder.js';
import { shapeOf, type StackShape } from '../../verdict/shapeOf.js';
import type { BatchLines } from './batchLines.js';
import type { ReportWorkspace } from '../reportWorkspace.js';
import { stackKey, stackOfKey, type KnownStack, type StackKey } from '../../digest/stackKey.js';
import { getOrAdd } from '../../maps.js';

/** One stack over all snapshots of a run. */
export interface StackSeries extends KnownStack {
  /** Live bytes, one per snapshot. */
  series: number[];
  /** Live blocks, one per snapshot. */
  blocks: number[];
  /** The live blocks of one size that hold most bytes in the last snapshot. */
  equal: EqualBlocks;
  /** Live bytes in the last snapshot, by category. */
  categories: Float64Array;
  lifetimes: DigestLifetimes | null;
  shape: StackShape;
}

/** Lifetimes in all joined traces, else in the latest trace, which has most steps. */
function runLifetimes(snapshots: readonly SnapshotDigest[], joined: JoinedTraces | null): readonly JoinedLifetimes[] {
  if (joined !== null) return joined.stacks;
  const digest = snapshots.findLast(({ eventCount }) => eventCount > 0);
  return digest === undefined
    ? []
    : digest.lifetimes.map((lifetimes) => ({ key: stackKey(digest, lifetimes), lifetimes }));
}

/** A usual call of the garbage collector. */
const COLLECTS = /\bgc\s*\.\s*collect\s*\(/;

/**
 * The verdicts of all stacks of a run, and of stacks in the latest trace that outlive a step.
 * @param steps at which the snapshots were taken
 * @param joined the traces as one history, null if the latest contains all
 */
export function stackSeries(
  snapshots: readonly SnapshotDigest[],
  steps: readonly number[],
  joined: JoinedTraces | null,
  workspace: ReportWorkspace,
  lookup: FileLookup,
  batches: BatchLines,
): StackSeries[] {
  const stacks = new Map<StackKey, StackSeries>();
  const seriesOf = (key: StackKey): StackSeries => getOrAdd(stacks, key, () => emptySeries(key, snapshots.length));
  snapshots.forEach((digest, at) => {
    eachStackTotal(digest, (key, bytes, blocks) => {
      // A function made for every stack of every dump would cost most of the report on a long run.
      const stack = stacks.get(key) ?? seriesOf(key);
      stack.series[at] += bytes;
      stack.blocks[at] += blocks;
    });
  });
  settleStackless(stacks, maxOlderBytes(snapshots), snapshots.length);
  const last = snapshots[snapshots.length - 1];
  const usual = amountsOfTrace(snapshots);
  for (const group of last.groups) {
    const stack = seriesOf(stackKey(last, group));
    stack.equal = group.equal;
    const settled = batches.settleAll(codesOf(group, usual.get(keyOfAll(last, group))), stack.frames);
    if (stack.categories === NO_BYTES) stack.categories = settled;
    else settled.forEach((bytes, category) => (stack.categories[category] += bytes));
  }
  for (const { key, lifetimes } of runLifetimes(snapshots, joined)) {
    const stack = seriesOf(key);
    // The device with most survivors has most evidence.
    if (lifetimes.survivorBirths.length >= (stack.lifetimes?.survivorBirths.length ?? 0)) stack.lifetimes = lifetimes;
  }
  const collects = (site: DigestFrame): boolean | null => {
    const file = lookup(site.file);
    const text = file === null ? null : (workspace.lineText?.(file, site.line) ?? null);
    return text === null ? null : COLLECTS.test(text);
  };
  for (const stack of stacks.values()) {
    stack.shape = shapeOf({
      series: { bytes: stack.series, blocks: stack.blocks, at: steps },
      lifetimes: stack.lifetimes,
      collects,
    });
  }
  return [...stacks.values()];
}

/**
 * Moves memory without a stack that cannot be older than the recording to the memory that no stack was recorded for.
 * Only snapshots with a trace tell the two apart.
 */
function settleStackless(stacks: Map<StackKey, StackSeries>, maxOlder: Bytes, count: number): void {
  const older = stacks.get(STACKLESS.beforeRecording);
  if (older === undefined || older.series.every((bytes) => bytes <= maxOlder)) return;
  const younger = getOrAdd(stacks, STACKLESS.noStack, () => emptySeries(STACKLESS.noStack, count));
  const fewestBlocks = Math.min(...older.blocks);
  older.series.forEach((bytes, at) => {
    if (bytes <= maxOlder) return;
    younger.series[at] += bytes - maxOlder;
    younger.blocks[at] += older.blocks[at] - fewestBlocks;
    older.series[at] = maxOlder;
    older.blocks[at] = fewestBlocks;
  });
}

const keyOfStackless = (stackless: StacklessBucket): StackKey =>
  stackKey({ frames: [] }, { frames: [], forwardFrames: [], stackless });
const STACKLESS = { beforeRecording: keyOfStackless('beforeRecording'), noStack: keyOfStackless('noStack') };

/** Live memory by stack, where the last trace ends; empty if the last snapshot has one: its own categories are better. */
function amountsOfTrace(snapshots: readonly SnapshotDigest[]): Map<StackKey | null, StackAmounts> {
  const amounts = new Map<StackKey | null, StackAmounts>();
  const traced = snapshots.findLast(({ eventCount }) => eventCount > 0);
  if (traced === undefined || traced === snapshots.at(-1)) return amounts;
  for (const group of traced.groups) {
    const key = keyOfAll(traced, group);
    const sum = amounts.get(key);
    amounts.set(key, {
      liveBytes: group.liveBytes + (sum?.liveBytes ?? 0),
      categories: group.categories.map((bytes, code) => bytes + (sum?.categories[code] ?? 0)),
    });
  }
  return amounts;
}

type StackAmounts = Pick<LiveGroup, 'liveBytes' | 'categories'>;

/** The key of a stack, null for all memory without one: only a trace shows what of it is older than the recording. */
function keyOfAll(digest: SnapshotDigest, group: LiveGroup): StackKey | null {
  return group.frames.length + group.forwardFrames.length === 0 ? null : stackKey(digest, group);
}

/** The bytes of a group by code. Without a trace, frames alone say little: an earlier snapshot knew the lifetimes, too. */
function codesOf(group: LiveGroup, usual: StackAmounts | undefined): Float64Array {
  if (usual === undefined) return group.categories;
  if (usual.liveBytes === group.liveBytes) return usual.categories;
  const code = usual.categories.indexOf(usual.liveBytes);
  return code < 0 ? group.categories : new Float64Array(group.categories.length).fill(group.liveBytes, code, code + 1);
}

/** Shared by all stacks until they have their own: there may be 100,000. */
const NO_BLOCKS: EqualBlocks = { size: 0, blocks: 0 };
const NO_BYTES = new Float64Array(CATEGORIES.length);
const UNKNOWN: StackShape = { shape: 'tooShort', confidence: 0, from: 'snapshots' };

function emptySeries(key: StackKey, snapshots: number): StackSeries {
  const { frames, forward, stackless } = stackOfKey(key);
  return {
    frames,
    forward,
    stackless,
    series: new Array<number>(snapshots).fill(0),
    blocks: new Array<number>(snapshots).fill(0),
    equal: NO_BLOCKS,
    categories: NO_BYTES,
    lifetimes: null,
    shape: UNKNOWN,
  };
}
