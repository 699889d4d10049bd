/**
 * Buckets for the report and for users. In a report, `beforeRecording` is all memory without frames. Users see two
 * parts: memory older than the recording, and memory without a stack for another reason.
 */
import { BUCKETS, type Bucket } from '../attribution/owner.js';
import type { Bytes } from '../model/units.js';
import { addCells } from './compare/compareCells.js';
import type { Buckets, CompareCell, CompareReport } from './report.js';

/**
 * Memory without a stack counts as older memory, and is listed beside it.
 * @param maxOlder maximum number of bytes that are older than the recording, see `maxOlderBytes`
 */
export function reportBuckets(
  { library, beforeRecording, noStack }: Readonly<Record<Bucket, Bytes>>,
  maxOlder: Bytes,
): { buckets: Buckets; noStack: Bytes } {
  const older = Math.min(beforeRecording, maxOlder);
  return {
    buckets: { library, beforeRecording: beforeRecording + noStack },
    noStack: noStack + beforeRecording - older,
  };
}

/** Parts that hold anything: they add up. */
export function bucketParts(of: { buckets: Buckets; noStack: Bytes }): (readonly [Bucket, Bytes])[] {
  const { buckets, noStack } = of;
  const parts = { ...buckets, beforeRecording: buckets.beforeRecording - noStack, noStack };
  return shown(parts, (bytes) => bytes > 0);
}

/** The buckets of a comparison that hold memory on a side, each with its amounts. */
export function comparedBucketParts(
  report: Pick<CompareReport, 'buckets' | 'noStack'>,
): (readonly [Bucket, CompareCell])[] {
  const { buckets, noStack } = report;
  const parts = { ...buckets, beforeRecording: addCells(buckets.beforeRecording, noStack, -1), noStack };
  return shown(parts, ({ blocksA, blocksB }) => blocksA + blocksB > 0);
}

function shown<Cell>(
  parts: Readonly<Record<Bucket, Cell>>,
  isFilled: (cell: Cell) => boolean,
): (readonly [Bucket, Cell])[] {
  return BUCKETS.filter((bucket) => isFilled(parts[bucket])).map((bucket) => [bucket, parts[bucket]] as const);
}
