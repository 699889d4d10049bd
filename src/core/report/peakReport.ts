import { reportBuckets } from './bucketParts.js';
import { CATEGORIES } from '../attribution/categories.js';
import type { SnapshotDigest } from '../digest/digest.js';
import type { DigestFrame } from '../model/digestFrame.js';
import type { DigestPeak } from '../digest/digestPeak.js';
import { eachBucket, ownerKey, ownerOf, type FileLookup, type OwnerLine } from '../attribution/owner.js';
import type { Bytes } from '../model/units.js';
import type { BatchLines } from './batchLines.js';
import { peakAdvice, peakFacts, type PeakAmount } from './peakFacts.js';
import type { CategoryAmount, PeakReport } from './report.js';

interface LineAmounts {
  line: OwnerLine;
  /** By category. */
  amounts: PeakAmount[];
}

/** Who held the memory at each device's highest point in a run's last recording, that of most bytes first. */
export function peakReports(
  snapshots: readonly SnapshotDigest[],
  lookup: FileLookup,
  batches: BatchLines,
): PeakReport[] {
  const digest = snapshots.findLast(({ peaks }) => peaks.length > 0);
  return digest?.peaks.map((peak) => peakReport(digest, peak, lookup, batches)) ?? [];
}

/** Who held the memory of a device at a moment. */
export function peakReport(
  digest: SnapshotDigest,
  peak: DigestPeak,
  lookup: FileLookup,
  batches: BatchLines,
): PeakReport {
  const lines = new Map<string, LineAmounts>();
  const buckets = eachBucket((): Bytes => 0);
  const totals = emptyAmounts();
  for (const group of peak.groups) {
    const words = (indices: readonly number[]): DigestFrame[] => indices.map((index) => digest.frames[index]);
    const frames = words(group.frames);
    const code = batches.settle(group.category, frames);
    addTo(totals[code], group);
    const owner = ownerOf(frames, words(group.forwardFrames), group.stackless, lookup);
    if ('bucket' in owner) {
      buckets[owner.bucket] += group.bytes;
      continue;
    }
    const { amounts } = lineAmounts(lines, owner.line);
    addTo(amounts[code], group);
  }
  return {
    path: digest.path,
    device: peak.device,
    event: peak.event,
    timeUs: peak.timeUs,
    step: peak.step,
    liveBytes: peak.liveBytes,
    reservedBytes: peak.reservedBytes,
    lines: [...lines.values()]
      .map(({ line, amounts }) => ({
        ...line,
        bytes: amounts.reduce((sum, amount) => sum + amount.bytes, 0),
        blocks: amounts.reduce((sum, amount) => sum + amount.blocks, 0),
        categories: amounts.flatMap(({ bytes }, i): CategoryAmount[] =>
          bytes > 0 ? [{ category: CATEGORIES[i], bytes }] : [],
        ),
        facts: peakFacts(amounts),
      }))
      .sort((a, b) => b.bytes - a.bytes),
    ...reportBuckets(buckets),
    categories: CATEGORIES.map((category, i) => ({ category, bytes: totals[i].bytes })),
    advice: peakAdvice(totals),
  };
}

function emptyAmounts(): PeakAmount[] {
  return CATEGORIES.map(() => ({ bytes: 0, blocks: 0, keptForBackward: 0, fromEarlierSteps: 0 }));
}

function addTo(amount: PeakAmount, more: PeakAmount): void {
  amount.bytes += more.bytes;
  amount.blocks += more.blocks;
  amount.keptForBackward += more.keptForBackward;
  amount.fromEarlierSteps += more.fromEarlierSteps;
}

function lineAmounts(lines: Map<string, LineAmounts>, line: OwnerLine): LineAmounts {
  const key = ownerKey(line);
  let known = lines.get(key);
  if (known === undefined) {
    known = { line, amounts: emptyAmounts() };
    lines.set(key, known);
  }
  return known;
}
