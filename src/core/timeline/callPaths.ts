/** The live memory at an instant by stack, each as its calls, outermost first. */
import { getOrAdd } from '../maps.js';
import { frameOf } from '../model/digestFrame.js';
import type { Snapshot } from '../model/snapshot.js';
import type { StackId } from '../model/units.js';
import type { DeviceHistory } from '../model/history.js';
import type { HistoryAxis, Stretch } from '../model/historyAxis.js';
import { shownFrame, type FileLookup } from '../attribution/owner.js';
import { stacklessRows } from '../attribution/stackless.js';

/** A place on a path: a row of the frame table, or, counted from the table's end, one of {@link CALL_GROUPS}. */
export type CallId = number;

/** Rows of paths that are no frames. `backward` is above the forward frames of the backward pass's memory. */
export const CALL_GROUPS = ['anyLibrary', 'beforeRecording', 'noStack', 'backward'] as const;

export type CallGroup = (typeof CALL_GROUPS)[number];

/** One row per distinct stack that holds live bytes. */
export interface CallPaths {
  readonly count: number;
  /** The path of row `i` is `calls[offset[i] .. offset[i + 1])`; the array has `count + 1` entries. */
  readonly offset: Uint32Array;
  readonly calls: Uint32Array;
  readonly bytes: Float64Array;
  readonly blocks: Uint32Array;
}

function groupCall(snapshot: Snapshot, group: CallGroup): CallId {
  return snapshot.frames.count + CALL_GROUPS.indexOf(group);
}

/**
 * The paths of all memory that is live after an event; they add up to the curve.
 * @param ordinal of the event in its device's trace; -1 for the state before the first
 * @param folded user frames only
 */
export function livePaths(
  snapshot: Snapshot,
  history: DeviceHistory,
  ordinal: number,
  folded: boolean,
  lookup: FileLookup,
): CallPaths {
  const { birth, death, bytes } = history.allocations;
  const isLive = (row: number): boolean => birth[row] <= ordinal && death[row] > ordinal;
  return pathsOf(snapshot, history, (row) => (isLive(row) ? bytes[row] : null), folded, lookup);
}

/**
 * The paths of all memory that is live in a stretch, as bytes times their share of it: they add up to the curve's mean.
 */
export function meanPaths(
  snapshot: Snapshot,
  history: DeviceHistory,
  axis: HistoryAxis,
  stretch: Stretch,
  folded: boolean,
  lookup: FileLookup,
): CallPaths {
  const { birth, death, bytes } = history.allocations;
  const length = stretch.to - stretch.from;
  const { count } = history.trace;
  const meanOf = (row: number): number | null => {
    const from = birth[row] < 0 ? stretch.from : Math.max(stretch.from, axis.xOf(birth[row]));
    const to = death[row] >= count ? stretch.to : Math.min(stretch.to, axis.xOf(death[row]));
    return to > from ? bytes[row] * ((to - from) / length) : null;
  };
  return pathsOf(snapshot, history, meanOf, folded, lookup);
}

/** @param weigh the bytes that an allocation counts with, null for not at all */
function pathsOf(
  snapshot: Snapshot,
  history: DeviceHistory,
  weigh: (row: number) => number | null,
  folded: boolean,
  lookup: FileLookup,
): CallPaths {
  const { stacks } = snapshot;
  const sums = sumsBySource(snapshot, history, weigh);
  const shown = folded ? userFrames(snapshot, lookup) : null;
  const sources: number[] = [];
  let max = 0;
  for (let source = 0; source < sums.blocks.length; source++) {
    if (sums.blocks[source] === 0) continue;
    sources.push(source);
    const stack = source % stacks.count;
    max += source < 2 * stacks.count ? 2 + stacks.offset[stack + 1] - stacks.offset[stack] : 1;
  }
  const offset = new Uint32Array(sources.length + 1);
  const calls = new Uint32Array(max);
  let end = 0;
  const append = (stack: StackId): void => {
    const before = end;
    for (let i = stacks.offset[stack + 1] - 1; i >= stacks.offset[stack]; i--) {
      if (shown === null || shown[stacks.frames[i]] === 1) calls[end++] = stacks.frames[i];
    }
    if (end === before) calls[end++] = groupCall(snapshot, 'anyLibrary');
  };
  sources.forEach((source, row) => {
    if (source < stacks.count) append(source);
    else if (source < 2 * stacks.count) {
      calls[end++] = groupCall(snapshot, 'backward');
      append(source - stacks.count);
    } else calls[end++] = groupCall(snapshot, source === 2 * stacks.count ? 'beforeRecording' : 'noStack');
    offset[row + 1] = end;
  });
  return {
    count: sources.length,
    offset,
    calls: calls.subarray(0, end),
    bytes: Float64Array.from(sources, (source) => sums.bytes[source]),
    blocks: Uint32Array.from(sources, (source) => sums.blocks[source]),
  };
}

/** Sums by own stack, else by the forward pass's stack, then older memory, then the rest. */
function sumsBySource(
  snapshot: Snapshot,
  history: DeviceHistory,
  weigh: (row: number) => number | null,
): { bytes: Float64Array; blocks: Uint32Array } {
  const { stacks } = snapshot;
  const { stack, forwardStack, count } = history.allocations;
  const stacklessOf = stacklessRows(snapshot, history);
  const sums = { bytes: new Float64Array(2 * stacks.count + 2), blocks: new Uint32Array(2 * stacks.count + 2) };
  const isEmpty = (of: StackId): boolean => stacks.offset[of] === stacks.offset[of + 1];
  for (let row = 0; row < count; row++) {
    const weight = weigh(row);
    if (weight === null) continue;
    let source: number;
    if (!isEmpty(stack[row])) source = stack[row];
    else if (!isEmpty(forwardStack[row])) source = stacks.count + forwardStack[row];
    else source = 2 * stacks.count + (stacklessOf(row) === 'beforeRecording' ? 0 : 1);
    sums.bytes[source] += weight;
    sums.blocks[source]++;
  }
  return sums;
}

/** 1 for each frame that a user wrote. */
function userFrames(snapshot: Snapshot, lookup: FileLookup): Uint8Array {
  const { frames } = snapshot;
  const byFile = new Map<number, number>();
  return Uint8Array.from({ length: frames.count }, (_, frame) => {
    const file = frames.file[frame];
    return getOrAdd(byFile, file, () => Number(shownFrame(frameOf(snapshot, frame), lookup).kind === 'user'));
  });
}
