import { reportBuckets } from '../bucketParts.js';
import { CATEGORIES, CategoryCode, type Category } from '../../attribution/categories/category.js';
import type { SnapshotDigest } from '../../digest/digest.js';
import { hasLostEvents } from '../../model/lostEvents.js';
import type { DigestFrame } from '../../model/digestFrame.js';
import type { DigestPeak, DigestPeakGroup } from '../../digest/digestPeak.js';
import { libraryName } from '../../attribution/libraryName.js';
import {
  eachBucket,
  ownerKey,
  ownerLineOf,
  ownerOf,
  type FileLookup,
  type OwnerLine,
} from '../../attribution/owner.js';
import { getOrAdd } from '../../maps.js';
import { isEvaluationWithGraph, turnsOffGradients } from './evaluation.js';
import type { Bytes } from '../../model/units.js';
import { BatchLines } from '../lines/batchLines.js';
import { sum } from '../lineSelection.js';
import { modulePath } from './modulePath.js';
import { peakAdvice, type PeakAmount } from './peakAdvice.js';
import { reportFrame } from '../reportFrame.js';
import type { CategoryAmount, OlderReport, PeakLine, PeakReport } from '../report.js';
import type { ReportWorkspace } from '../reportWorkspace.js';
import { SPLIT_SHARE, waysOf, type HeldStack } from './ways.js';

interface LineAmounts {
  readonly line: OwnerLine;
  /** The amounts of the categories of the line. */
  readonly amounts: PeakAmount[];
  readonly groups: DigestPeakGroup[];
}

/** Memory that a step allocates and frees. */
const OF_ONE_STEP: ReadonlySet<Category> = new Set(['activations', 'inputs']);

/** Maximum number of lines of a peak; the smaller ones are added up. */
const MAX_LINES = 5000;

/** What the report on a run knows beside the peak. */
export interface PeakContext {
  readonly workspace: ReportWorkspace;
  readonly lookup: FileLookup;
  /** Lines with a finding: advice on a peak leaves their memory out, because the finding has its own. */
  readonly isFinding: (line: OwnerLine) => boolean;
  /** Maximum number of bytes that are older than the recording. */
  readonly maxOlder: Bytes;
  /** Bytes of objects that outlive their pass, as the recorder saw them: they need other advice than activations. */
  readonly keptBytes?: Bytes;
  /** True if several steps are known to have had no backward pass. */
  readonly isForwardOnly: boolean;
}

/**
 * Who held the memory at each device's peak in a run's last trace, that of most bytes first. What ran after the last
 * step counts if its peak is higher.
 *
 * @param exits snapshots taken when the process ended
 */
export function peakReports(
  snapshots: readonly SnapshotDigest[],
  exits: readonly SnapshotDigest[],
  context: PeakContext,
): PeakReport[] {
  const last = snapshots.findLast(({ peaks }) => peaks.length > 0);
  const highest = new Map<number, { digest: SnapshotDigest; peak: DigestPeak }>();
  for (const digest of last === undefined ? exits : [last, ...exits]) {
    for (const peak of digest.peaks) {
      const before = highest.get(peak.device);
      if (before === undefined || peak.liveBytes > before.peak.liveBytes) highest.set(peak.device, { digest, peak });
    }
  }
  return [...highest.values()].map(({ digest, peak }) => peakReport(digest, peak, context));
}

/** Who held the memory of a device at a moment. */
export function peakReport(
  digest: SnapshotDigest,
  peak: DigestPeak,
  { workspace, lookup, isFinding, maxOlder, keptBytes = 0, isForwardOnly }: PeakContext,
): PeakReport {
  const batches = new BatchLines(workspace, lookup);
  const framesOf = (indices: readonly number[]): DigestFrame[] => indices.map((index) => digest.frames[index]);
  const lines = new Map<string, LineAmounts>();
  const buckets = eachBucket((): Bytes => 0);
  const libraries = new Map<string, PeakReport['libraries'][number]>();
  const totals = CATEGORIES.map(emptyAmount);
  const advised = CATEGORIES.map(emptyAmount);
  let outputBytes = 0;
  for (const group of peak.groups) {
    const frames = framesOf(group.frames);
    const forward = framesOf(group.forwardFrames);
    const code = batches.settle(group.category, frames);
    addTo(totals[code], group, frames);
    if (frames.some(({ file }) => TRAINERS_OUTPUTS.test(file))) outputBytes += group.bytes;
    const owner = ownerOf(frames, forward, group.stackless, lookup);
    if (!('line' in owner) || !isFinding(owner.line)) addTo(advised[code], group, frames);
    if ('bucket' in owner) {
      buckets[owner.bucket] += group.bytes;
      const name = owner.bucket === 'library' ? libraryName(frames) : null;
      if (name !== null) {
        const sum = getOrAdd(libraries, name, () => ({ name, bytes: 0, blocks: 0 }));
        sum.bytes += group.bytes;
        sum.blocks += group.blocks;
      }
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
  const older = olderReport(peak, framesOf, lookup);
  const activations = largestOf(held, 'activations');
  const texts = textsOf(activations?.groups.flatMap((group) => framesOf(group.frames)) ?? [], workspace, lookup);
  return {
    path: digest.path,
    device: peak.device,
    isState: peak.isState,
    event: peak.event,
    timeUs: peak.timeUs,
    step: peak.step,
    phase: peak.phase,
    at: ownerLineOf(frames, [], lookup),
    module: modulePath(frames, lookup, workspace),
    liveBytes: peak.liveBytes,
    reservedBytes: peak.reservedBytes,
    isTruncated: hasLostEvents(digest.warnings, peak.device),
    lines: held.map((line) => peakLine(line, peak.liveBytes, heldBy)),
    otherLines: { lines: others.length, bytes: sum(others, bytesOf), blocks: sum(others, blocksOf) },
    ...reportBuckets(buckets, maxOlder),
    libraries: [...libraries.values()].sort((a, b) => b.bytes - a.bytes),
    older,
    categories: CATEGORIES.map((category, i) => ({ category, bytes: totals[i].bytes })),
    advice: peakAdvice({
      peakBytes: peak.liveBytes,
      keptBytes,
      amounts: advised,
      older,
      phase: peak.phase,
      forwardOnly: (!ranOut || isForwardOnly) && !peak.hasBackward,
      ranOut,
      isEvaluation: isEvaluationWithGraph(texts),
      turnsOffGradients: turnsOffGradients(texts),
      activationsAt: activations?.line ?? null,
      repeatedActivations: sum(held, repeatedActivations),
      outputBytes,
    }),
  };
}

/** Joins the outputs of an evaluation in transformers' Trainer. */
const TRAINERS_OUTPUTS = /[\\/]transformers[\\/]trainer_pt_utils\.py$/;

/** The line that holds most of a category. */
function largestOf(lines: readonly LineAmounts[], category: Category): LineAmounts | null {
  const bytes = ({ amounts }: LineAmounts): Bytes => amounts.find((one) => one.category === category)?.bytes ?? 0;
  return lines.reduce<LineAmounts | null>(
    (most, line) => (bytes(line) > (most === null ? 0 : bytes(most)) ? line : most),
    null,
  );
}

/** The sources of a stack. */
function textsOf(frames: readonly DigestFrame[], { sourceText }: ReportWorkspace, lookup: FileLookup): string[] {
  const files = new Set(frames.map(({ file }) => lookup(file)).filter((file) => file !== null));
  return [...files].map((file) => sourceText?.(file) ?? '');
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
    fromEarlierSteps: sum(
      sorted.filter(({ category }) => OF_ONE_STEP.has(category)),
      (amount) => amount.fromEarlierSteps,
    ),
  };
}

function olderReport(
  { older: { freed, ...older } }: DigestPeak,
  framesOf: (indices: readonly number[]) => DigestFrame[],
  lookup: FileLookup,
): OlderReport {
  const byLine = new Map<string, OlderReport['freed'][number]>();
  for (const { frames, bytes, blocks } of freed) {
    const by = ownerLineOf(framesOf(frames), [], lookup);
    const known = getOrAdd(byLine, by === null ? '' : ownerKey(by), () => ({ by, bytes: 0, blocks: 0 }));
    known.bytes += bytes;
    known.blocks += blocks;
  }
  return { ...older, freed: [...byLine.values()].sort((a, b) => b.bytes - a.bytes) };
}

function emptyAmount(category: Category): PeakAmount {
  return { category, bytes: 0, blocks: 0, keptForBackward: 0, fromEarlierSteps: 0, foreachBytes: 0 };
}

function amountOf(amounts: PeakAmount[], category: Category): PeakAmount {
  return amounts.find((amount) => amount.category === category) ?? amounts[amounts.push(emptyAmount(category)) - 1];
}

/** Fewer equal blocks of one stack, or of one line, may be equal by chance. */
const REPEATED = 3;
const REPEATED_ON_LINE = 8;

/** Bytes of a line's equal activations. Code that torch.compile generates has a stack for each layer. */
function repeatedActivations({ groups }: LineAmounts): Bytes {
  const bySize = new Map<Bytes, number>();
  let ofStacks = 0;
  for (const { category, equal } of groups) {
    if (category !== CategoryCode.Activations) continue;
    if (equal.blocks >= REPEATED) ofStacks += equal.size * equal.blocks;
    bySize.set(equal.size, (bySize.get(equal.size) ?? 0) + equal.blocks);
  }
  const ofLine = sum([...bySize], ([size, blocks]) => (blocks >= REPEATED_ON_LINE ? size * blocks : 0));
  return Math.max(ofStacks, ofLine);
}

/** PyTorch's optimizers name functions on all tensors like this. */
const FOREACH = '_multi_tensor_';

/** True for the stack of an optimizer that works on all tensors at once. */
export function isForeach(frames: readonly DigestFrame[]): boolean {
  return frames.some((frame) => frame.function.startsWith(FOREACH));
}

function addTo(amount: PeakAmount, more: DigestPeakGroup, frames: readonly DigestFrame[]): void {
  amount.bytes += more.bytes;
  amount.blocks += more.blocks;
  amount.keptForBackward += more.keptForBackward;
  amount.fromEarlierSteps += more.fromEarlierSteps;
  if (isForeach(frames)) amount.foreachBytes += more.bytes;
}
