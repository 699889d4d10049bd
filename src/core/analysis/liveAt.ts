import type { Snapshot } from '../model/snapshot.js';
import type { Bytes, StackId } from '../model/units.js';
import type { DigestFrame } from './digest.js';
import type { DeviceHistory } from './history.js';
import {
  eachBucket,
  ownerKey,
  ownerOf,
  type Bucket,
  type FileLookup,
  type OwnerLine,
  type StacklessBucket,
} from './owner.js';
import { stacklessRows } from './stackless.js';

export interface LiveTally {
  bytes: Bytes;
  blocks: number;
}

export type LiveOwner = LiveTally & OwnerLine;

export interface LiveByOwner {
  liveBytes: Bytes;
  /** Null where the input does not say. */
  reservedBytes: Bytes | null;
  /** Largest first. */
  lines: LiveOwner[];
  buckets: Record<Bucket, LiveTally>;
}

/**
 * What is live after an event, by owner line. Lines and buckets add up to the curve's value there.
 * @param ordinal of the event in its device's trace; -1 for the state before the first
 */
export function liveAt(snapshot: Snapshot, history: DeviceHistory, ordinal: number, lookup: FileLookup): LiveByOwner {
  const { allocations } = history;
  const stacklessOf = stacklessRows(snapshot, history);
  const stacks = new Map<string, LiveTally & { stack: StackId; forward: StackId; stackless: StacklessBucket }>();
  for (let row = 0; row < allocations.count; row++) {
    if (allocations.birth[row] > ordinal || allocations.death[row] <= ordinal) continue;
    const stack = allocations.stack[row];
    const forward = allocations.forwardStack[row];
    const stackless = stacklessOf(row);
    const key = `${stack}/${forward}/${stackless}`;
    const tally = stacks.get(key);
    if (tally === undefined) stacks.set(key, { bytes: allocations.bytes[row], blocks: 1, stack, forward, stackless });
    else {
      tally.bytes += allocations.bytes[row];
      tally.blocks++;
    }
  }
  const lines = new Map<string, LiveOwner>();
  const buckets = eachBucket((): LiveTally => ({ bytes: 0, blocks: 0 }));
  for (const { bytes, blocks, stack, forward, stackless } of stacks.values()) {
    const owner = ownerOf(stackFrames(snapshot, stack), stackFrames(snapshot, forward), stackless, lookup);
    const tally = 'bucket' in owner ? buckets[owner.bucket] : lineTally(lines, owner.line);
    tally.bytes += bytes;
    tally.blocks += blocks;
  }
  return {
    liveBytes: history.live[ordinal + 1],
    reservedBytes: history.reserved?.[ordinal + 1] ?? null,
    lines: [...lines.values()].sort((a, b) => b.bytes - a.bytes),
    buckets,
  };
}

/** What is live after a row of a trend, which knows no stacks. */
export function liveWithoutLines(history: DeviceHistory, ordinal: number): LiveByOwner {
  const liveBytes = history.live[ordinal + 1];
  return {
    liveBytes,
    reservedBytes: history.reserved?.[ordinal + 1] ?? null,
    lines: [],
    buckets: { ...eachBucket((): LiveTally => ({ bytes: 0, blocks: 0 })), noStack: { bytes: liveBytes, blocks: 0 } },
  };
}

function lineTally(lines: Map<string, LiveOwner>, line: OwnerLine): LiveOwner {
  const key = ownerKey(line);
  let tally = lines.get(key);
  if (tally === undefined) {
    tally = { ...line, bytes: 0, blocks: 0 };
    lines.set(key, tally);
  }
  return tally;
}

/** A stack in words, innermost first. */
export function stackFrames(snapshot: Snapshot, stack: StackId): DigestFrame[] {
  const { stacks, frames, strings } = snapshot;
  const words: DigestFrame[] = [];
  for (let i = stacks.offset[stack]; i < stacks.offset[stack + 1]; i++) {
    const frame = stacks.frames[i];
    words.push({
      file: strings.text(frames.file[frame]),
      line: frames.line[frame],
      function: strings.text(frames.name[frame]),
    });
  }
  return words;
}
