import { eachBucket, type FileLookup, ownerKey, ownerOf, type StacklessBucket } from '../../attribution/owner.js';
import type { Tally } from '../../attribution/ownerTally.js';
import type { SnapshotDigest } from '../../digest/digest.js';
import type { LiveGroup } from '../../digest/liveGroups.js';
import { stackKey, type StackKey } from '../../digest/stackKey.js';
import type { DigestFrame } from '../../model/digestFrame.js';
import { getOrAdd } from '../../maps.js';
import { followBlocks } from '../../runs/flow.js';
import { patternOf } from '../../runs/runNames.js';
import { groupRuns, type Run, splitAtExit, stepOfDigest } from '../../runs/runs.js';
import { maxOlderBytes } from '../../runs/maxOlder.js';
import { sameHistory } from '../../runs/sameProcess.js';
import { boundCompare } from '../boundReport.js';
import { addCells, emptyCell } from './compareCells.js';
import { basename } from '../../text/pathText.js';
import { fixVerdict } from './fixVerdict.js';
import { type IgnoredLeak, runWithIgnored } from '../ignoredLeaks.js';
import { observeRun } from '../lines/observedRun.js';
import type { CompareCell, CompareLine, CompareReport, RunReport } from '../report.js';
import { reportFrame } from '../reportFrame.js';
import { mapDigests, type ReportWorkspace } from '../reportWorkspace.js';
import { runReport } from '../runReport.js';
import { snapshotReport } from '../snapshotReport.js';

interface ComparedStack {
  cell: CompareCell;
  frames: DigestFrame[];
  forward: DigestFrame[];
  stackless: StacklessBucket;
}

/**
 * Compares two snapshots: growth of B over A per owner line and stack. Lines and buckets add up to the difference of
 * the live bytes, to the byte. For different runs, the fate of the leak too.
 * @param known snapshots that contain the others of their runs
 * @param ignored leaks that do not count
 */
export function buildCompare(
  a: SnapshotDigest,
  b: SnapshotDigest,
  workspace: ReportWorkspace,
  known: readonly SnapshotDigest[] = [a, b],
  ignored: readonly IgnoredLeak[] = [],
): CompareReport {
  const runs = groupRuns([...new Set([...known, a, b])]);
  const runOf = (digest: SnapshotDigest): Run | undefined => runs.find(({ snapshots }) => snapshots.includes(digest));
  const before = runOf(a);
  const after = runOf(b);
  const isOneRun = before === undefined || after === undefined || before === after || sameHistory(a, b);
  const sides = isOneRun ? null : { before, after };
  return compareSnapshots(a, b, workspace, sides, ignored, before === after ? before : undefined);
}

/**
 * Two runs at the latest step at which both took a snapshot, else at their ends. @param ignored leaks that do not count
 */
export function compareRuns(
  wholeBefore: Run,
  wholeAfter: Run,
  workspace: ReportWorkspace,
  ignored: readonly IgnoredLeak[] = [],
): CompareReport {
  const [before, after] = [splitAtExit(wholeBefore).run, splitAtExit(wholeAfter).run];
  const steps = before.steps.filter((step) => step !== null && after.steps.includes(step));
  const last = steps.at(-1) ?? null;
  const at = (run: Run): SnapshotDigest =>
    run.snapshots[last === null ? run.snapshots.length - 1 : run.steps.lastIndexOf(last)];
  return compareSnapshots(at(before), at(after), workspace, { before, after }, ignored);
}

function compareSnapshots(
  a: SnapshotDigest,
  b: SnapshotDigest,
  workspace: ReportWorkspace,
  runs: { before: Run; after: Run } | null,
  ignored: readonly IgnoredLeak[],
  run?: Run,
): CompareReport {
  const mapping = mapDigests(runs === null ? [a, b] : [...runs.before.snapshots, ...runs.after.snapshots], workspace);
  const lookup: FileLookup = (file) => mapping.lookup(file);
  const flow = followBlocks(a, b, run?.snapshots);
  const stacks = new Map<StackKey, ComparedStack>();
  const stackOf = (digest: SnapshotDigest, group: LiveGroup): CompareCell =>
    getOrAdd(stacks, stackKey(digest, group), () => ({
      cell: emptyCell(flow !== null),
      frames: group.frames.map((frame) => digest.frames[frame]),
      forward: group.forwardFrames.map((frame) => digest.frames[frame]),
      stackless: group.stackless,
    })).cell;
  a.groups.forEach((group, i) => {
    const cell = stackOf(a, group);
    cell.bytesA += group.liveBytes;
    cell.blocksA += group.blocks;
    cell.growthBytes -= group.liveBytes;
    addAmount(cell.flow?.freed, flow?.freed.get(i));
  });
  b.groups.forEach((group, i) => {
    const cell = stackOf(b, group);
    cell.bytesB += group.liveBytes;
    cell.blocksB += group.blocks;
    cell.growthBytes += group.liveBytes;
    addAmount(cell.flow?.survived, flow?.survived.get(i));
    addAmount(cell.flow?.allocated, flow?.allocated.get(i));
  });
  const sides = runs === null ? [run?.snapshots ?? [a, b]] : [runs.before.snapshots, runs.after.snapshots];
  const isOlder = sides.some((snapshots) => maxOlderBytes(snapshots) > 0);
  const buckets = eachBucket(() => emptyCell(flow !== null));
  const lines = new Map<string, CompareLine>();
  for (const { cell, frames, forward, stackless } of stacks.values()) {
    const owner = ownerOf(frames, forward, isOlder ? stackless : 'noStack', lookup);
    if ('bucket' in owner) {
      buckets[owner.bucket] = addCells(buckets[owner.bucket], cell);
      continue;
    }
    const line = getOrAdd(lines, ownerKey(owner.line), () => ({
      ...owner.line,
      ...emptyCell(flow !== null),
      stacks: [],
    }));
    Object.assign(line, addCells(line, cell));
    line.stacks.push({ ...cell, frames: [...frames, ...forward].map((frame) => reportFrame(frame, lookup)) });
  }
  for (const line of lines.values()) line.stacks.sort((x, y) => y.growthBytes - x.growthBytes);
  const judged = (one: Run): RunReport => {
    const observed = observeRun(one, workspace, lookup);
    // Lasting growth is compared by its rate, with or without a later release.
    const proved = new Map(observed.lines.filter(({ bound }) => bound === null).map((line) => [line, null]));
    const report = runReport(observed, null, workspace, lookup, { findings: new Map(), proved });
    return runWithIgnored(report, ignored);
  };
  const report: CompareReport = {
    schema: 'leakline.compare/1',
    reused: flow !== null && !flow.certain,
    a: snapshotReport(a, stepOfDigest(a)),
    b: snapshotReport(b, stepOfDigest(b)),
    configurations: configurationsOf(a.path, b.path),
    lines: [...lines.values()].sort((x, y) => y.growthBytes - x.growthBytes || y.bytesB - x.bytesB),
    otherLines: { lines: 0, ...emptyCell(flow !== null) },
    buckets: { library: buckets.library, beforeRecording: addCells(buckets.beforeRecording, buckets.noStack) },
    noStack: buckets.noStack,
    fix: runs === null ? null : fixVerdict(judged(runs.before), judged(runs.after)),
  };
  boundCompare(report);
  return report;
}

function addAmount(sum: Tally | undefined, more: Readonly<Tally> | undefined): void {
  if (sum === undefined || more === undefined) return;
  sum.bytes += more.bytes;
  sum.blocks += more.blocks;
}

/**
 * The names of two configurations of a program, from the names of their snapshots. Null if these differ only in step or
 * time, or in too much.
 */
export function configurationsOf(a: string, b: string): CompareReport['configurations'] {
  if (patternOf(a) === patternOf(b)) return null;
  const [partsA, partsB] = [a, b].map((path) =>
    basename(path)
      .replace(/\.[a-z]+(?:\.gz)?$/i, '')
      .split(/[^a-z0-9.]+/i),
  );
  if (partsA.length !== partsB.length) return null;
  const apart = partsA.flatMap((part, i) => (part === partsB[i] ? [] : [i]));
  const isConfigured = apart.length < partsA.length && apart.every((i) => /\d/.test(partsA[i]) && /\d/.test(partsB[i]));
  if (apart.length === 0 || !isConfigured) return null;
  const named = (parts: readonly string[]): string => apart.map((i) => parts[i]).join(' ');
  return { a: named(partsA), b: named(partsB) };
}
