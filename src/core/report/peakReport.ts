import { reportBuckets } from './bucketParts.js';
import { CATEGORIES, type Category } from '../attribution/categories.js';
import type { SnapshotDigest } from '../digest/digest.js';
import type { DigestFrame } from '../model/digestFrame.js';
import type { DigestPeak, DigestPeakGroup } from '../digest/digestPeak.js';
import { eachBucket, ownerKey, ownerOf, type FileLookup, type OwnerLine } from '../attribution/owner.js';
import { getOrAdd } from '../maps.js';
import type { Bytes } from '../model/units.js';
import { BatchLines } from './batchLines.js';
import { sum } from './lineSelection.js';
import { modulePath, peakAdvice, peakFacts, type PeakAmount } from './peakFacts.js';
import { reportFrame } from './reportFrame.js';
import type { CategoryAmount, OlderReport, PeakLine, PeakReport } from './report.js';
import type { ReportWorkspace } from './reportWorkspace.js';
import { SPLIT_SHARE, waysOf, type HeldStack } from './ways.js';

interface LineAmounts {
  readonly line: OwnerLine;
  /** Of its categories, few of all. */
  readonly amounts: PeakAmount[];
  readonly groups: DigestPeakGroup[];
}

/** Lines of a peak beyond the largest are added up. */
const MAX_LINES = 5000;

/** Who held the memory at each device's peak in a run's last recording, that of most bytes first. */
export function peakReports(
  snapshots: readonly SnapshotDigest[],
  workspace: ReportWorkspace,
  lookup: FileLookup,
): PeakReport[] {
  const digest = snapshots.findLast(({ peaks }) => peaks.length > 0);
  return digest?.peaks.map((peak) => peakReport(digest, peak, workspace, lookup)) ?? [];
}

/** Who held the memory of a device at a moment. */
export function peakReport(
  digest: SnapshotDigest,
  peak: DigestPeak,
  workspace: ReportWorkspace,
  lookup: FileLookup,
): PeakReport {
  const batches = new BatchLines(workspace, lookup);
  const framesOf = (indices: readonly number[]): DigestFrame[] => indices.map((index) => digest.frames[index]);
  const lines = new Map<string, LineAmounts>();
  const buckets = eachBucket((): Bytes => 0);
  const totals = CATEGORIES.map(emptyAmount);
  for (const group of peak.groups) {
    const frames = framesOf(group.frames);
    const forward = framesOf(group.forwardFrames);
    const code = batches.settle(group.category, frames);
    addTo(totals[code], group, frames);
    const owner = ownerOf(frames, forward, group.stackless, lookup);
    if ('bucket' in owner) {
      buckets[owner.bucket] += group.bytes;
      continue;
    }
    const { amounts, groups } = getOrAdd(lines, ownerKey(owner.line), () => ({
      line: owner.line,
      amounts: [],
      groups: [],
    }));
    addTo(amountOf(amounts, CATEGORIES[code]), group, frames);
    groups.push(group);
  }
  const heldBy = (group: DigestPeakGroup): HeldStack => ({
    ...group,
    frames: framesOf([...group.frames, ...group.forwardFrames]).map((frame) => reportFrame(frame, lookup)),
  });
  const held = [...lines.values()].sort((a, b) => bytesOf(b) - bytesOf(a));
  const others = held.splice(MAX_LINES);
  const frames = framesOf(peak.frames);
  const ranOut = digest.curves.some(({ outOfMemory }) => outOfMemory.length > 0);
  const forwardOnly = !ranOut && !peak.older.hasGradients;
  return {
    path: digest.path,
    device: peak.device,
    event: peak.event,
    timeUs: peak.timeUs,
    step: peak.step,
    phase: peak.phase,
    at: lineOf(frames, lookup),
    module: modulePath(frames, lookup, workspace),
    liveBytes: peak.liveBytes,
    reservedBytes: peak.reservedBytes,
    lines: held.map((line) => peakLine(line, peak.liveBytes, forwardOnly, heldBy)),
    otherLines: { lines: others.length, bytes: sum(others, bytesOf), blocks: sum(others, blocksOf) },
    ...reportBuckets(buckets),
    older: olderReport(peak, framesOf, lookup),
    categories: CATEGORIES.map((category, i) => ({ category, bytes: totals[i].bytes })),
    advice: peakAdvice(totals, forwardOnly),
  };
}

function lineOf(frames: readonly DigestFrame[], lookup: FileLookup): OwnerLine | null {
  const owner = ownerOf(frames, [], 'noStack', lookup);
  return 'line' in owner ? owner.line : null;
}

function bytesOf({ amounts }: Pick<LineAmounts, 'amounts'>): Bytes {
  return sum(amounts, ({ bytes }) => bytes);
}

function blocksOf({ amounts }: Pick<LineAmounts, 'amounts'>): number {
  return sum(amounts, ({ blocks }) => blocks);
}

function peakLine(
  { line, amounts, groups }: LineAmounts,
  peakBytes: Bytes,
  forwardOnly: boolean,
  heldBy: (group: DigestPeakGroup) => HeldStack,
): PeakLine {
  const held = bytesOf({ amounts });
  const sorted = CATEGORIES.flatMap((category) => amounts.filter((one) => one.category === category && one.bytes > 0));
  return {
    ...line,
    bytes: held,
    blocks: blocksOf({ amounts }),
    categories: sorted.map(({ category, bytes }): CategoryAmount => ({ category, bytes })),
    ways: held >= SPLIT_SHARE * peakBytes ? waysOf(line, groups.map(heldBy)) : [],
    facts: peakFacts(sorted, forwardOnly),
  };
}

function olderReport(
  { older: { parameterBytes, stateBytes, freed } }: DigestPeak,
  framesOf: (indices: readonly number[]) => DigestFrame[],
  lookup: FileLookup,
): OlderReport {
  const byLine = new Map<string, OlderReport['freed'][number]>();
  for (const { frames, bytes, blocks } of freed) {
    const by = lineOf(framesOf(frames), lookup);
    const key = by === null ? '' : ownerKey(by);
    const known = byLine.get(key) ?? { by, bytes: 0, blocks: 0 };
    known.bytes += bytes;
    known.blocks += blocks;
    byLine.set(key, known);
  }
  return { parameterBytes, stateBytes, freed: [...byLine.values()].sort((a, b) => b.bytes - a.bytes) };
}

function emptyAmount(category: Category): PeakAmount {
  return {
    category,
    bytes: 0,
    blocks: 0,
    keptForBackward: 0,
    fromEarlierSteps: 0,
    repeatedBytes: 0,
    foreachBytes: 0,
  };
}

function amountOf(amounts: PeakAmount[], category: Category): PeakAmount {
  const known = amounts.find((amount) => amount.category === category);
  if (known !== undefined) return known;
  const amount = emptyAmount(category);
  amounts.push(amount);
  return amount;
}

/** Fewer equal blocks of one stack may be equal by chance. */
const REPEATED = 3;
/** PyTorch's optimizers name functions on all tensors like this. */
const FOREACH = '_multi_tensor_';

function addTo(amount: PeakAmount, more: DigestPeakGroup, frames: readonly DigestFrame[]): void {
  amount.bytes += more.bytes;
  amount.blocks += more.blocks;
  amount.keptForBackward += more.keptForBackward;
  amount.fromEarlierSteps += more.fromEarlierSteps;
  if (more.equal.blocks >= REPEATED) amount.repeatedBytes += more.equal.size * more.equal.blocks;
  if (frames.some((frame) => frame.function.startsWith(FOREACH))) amount.foreachBytes += more.bytes;
}
