import type { DigestFrame, DigestLifetimes, SnapshotDigest } from '../analysis/digest.js';
import { frameKind } from '../analysis/frameKind.js';
import { ownerKey, ownerOf, userLines, type FileLookup, type OwnerLine } from '../analysis/owner.js';
import { theilSenRate } from '../analysis/rate.js';
import { groupRuns, sameHistory, type Run } from '../analysis/runs.js';
import { stepAt } from '../analysis/steps.js';
import { FEWEST_SNAPSHOTS, judge, type Judgement } from '../analysis/verdict.js';
import { mapPaths, type PathMapping, type PathRule, type UnmappedFiles } from '../source/pathMapping.js';
import {
  REPORT_SCHEMA,
  type Buckets,
  type LineReport,
  type Report,
  type RunReport,
  type SnapshotReport,
  type StackReport,
  type StepSource,
  type Verdict,
} from './report.js';

/** What recorded paths are mapped to. */
export interface ReportWorkspace {
  /** Workspace-relative paths of Python files, with `/`. */
  files: readonly string[];
  rules: readonly PathRule[];
  /** The text of a line of a workspace file, null where it cannot be had. */
  lineText?: (file: string, line: number) => string | null;
}

/** The report over any number of snapshots, and what its paths left open. */
export function buildReport(
  digests: readonly SnapshotDigest[],
  workspace: ReportWorkspace,
): { report: Report; paths: UnmappedFiles } {
  const mapping = mapDigests(digests, workspace);
  const runs = groupRuns(digests).map((run) => runReport(run, workspace, (file) => mapping.lookup(file)));
  return {
    report: { schema: REPORT_SCHEMA, runs },
    paths: { unmapped: mapping.unmapped, ambiguous: mapping.ambiguous, learned: mapping.learned },
  };
}

/** Maps the files of all live stacks at once, so that what one snapshot teaches holds for the others. */
export function mapDigests(digests: readonly SnapshotDigest[], workspace: ReportWorkspace): PathMapping {
  const files = new Set<string>();
  for (const digest of digests) {
    for (const frame of digest.frames) if (frameKind(frame.file) !== 'native') files.add(frame.file);
  }
  return mapPaths([...files], workspace.files, workspace.rules);
}

/** One snapshot's own figures. */
export function snapshotReport(digest: SnapshotDigest, step: number | null): SnapshotReport {
  return {
    path: digest.path,
    format: digest.format,
    bytes: digest.fileBytes,
    events: digest.eventCount,
    step,
    takenAtUs: digest.takenAtUs,
    devices: digest.devices.map((device) => ({ ...device })),
    warnings: digest.warnings.map((warning) => ({ ...warning })),
  };
}

/** One stack over all snapshots of a run. */
interface StackSeries {
  frames: readonly DigestFrame[];
  forward: readonly DigestFrame[];
  series: number[];
  blocks: number;
  lifetimes: DigestLifetimes | null;
  judgement: Judgement;
}

interface LineSeries {
  line: OwnerLine;
  stacks: StackSeries[];
  totalBytes: number;
}

function runReport(run: Run, workspace: ReportWorkspace, lookup: FileLookup): RunReport {
  const { snapshots } = run;
  const { source, at } = stepsOf(run);
  const stacks = stackSeries(snapshots, workspace, lookup);
  const lines = new Map<string, LineSeries>();
  const lineOf = (line: OwnerLine): LineSeries => {
    const key = ownerKey(line);
    let series = lines.get(key);
    if (series === undefined) {
      series = { line, stacks: [], totalBytes: 0 };
      lines.set(key, series);
    }
    return series;
  };
  const buckets: Buckets = { library: 0, beforeRecording: 0 };
  for (const stack of stacks) {
    const owner = ownerOf(stack.frames, stack.forward, lookup);
    const live = stack.series[snapshots.length - 1];
    if ('bucket' in owner) buckets[owner.bucket] += live;
    else lineOf(owner.line).stacks.push(stack);
    for (const line of userLines(stack.frames, stack.forward, lookup)) lineOf(line).totalBytes += live;
  }
  const reports = [...lines.values()]
    .filter((line) => line.totalBytes > 0 || line.stacks.some((stack) => stack.series.some((bytes) => bytes > 0)))
    .map((line) => lineReport(line, at, lookup))
    .sort(
      (a, b) =>
        b.liveBytes - a.liveBytes || b.totalBytes - a.totalBytes || compareText(a.file, b.file) || a.line - b.line,
    );
  return {
    id: run.id,
    rank: run.rank,
    steps: source,
    snapshots: snapshots.map((digest, i) => snapshotReport(digest, run.nameSteps[i])),
    verdict: worst(
      reports.map((line) => line.verdict),
      snapshots.length,
    ),
    process: [],
    forecast: null,
    lines: reports,
    buckets,
  };
}

/** What one step is, and at which step each snapshot was taken. */
function stepsOf(run: Run): { source: StepSource; at: number[] } {
  const last = run.snapshots[run.snapshots.length - 1];
  const { steps } = last;
  const shared = run.snapshots.every((digest) => digest === last || sameHistory(digest, last));
  // In a single snapshot a rhythm may as well be that of an inner loop: nothing confirms it.
  const proved = steps !== null && (steps.source === 'annotations' || run.snapshots.length > 1);
  if (proved && shared) {
    const events = run.snapshots.map((digest) => digest.heads.find((head) => head.device === steps.device)?.events);
    if (events.every((count) => count !== undefined)) {
      return { source: steps.source, at: events.map((count) => stepAt(steps, count - 1)) };
    }
  }
  return { source: 'snapshots', at: run.snapshots.map((_, i) => i) };
}

function stackSeries(
  snapshots: readonly SnapshotDigest[],
  workspace: ReportWorkspace,
  lookup: FileLookup,
): StackSeries[] {
  const stacks = new Map<string, StackSeries>();
  const seriesOf = (digest: SnapshotDigest, group: StackWords): StackSeries => {
    const key = groupKey(digest, group);
    let stack = stacks.get(key);
    if (stack === undefined) {
      stack = {
        frames: group.frames.map((frame) => digest.frames[frame]),
        forward: group.forwardFrames.map((frame) => digest.frames[frame]),
        series: new Array<number>(snapshots.length).fill(0),
        blocks: 0,
        lifetimes: null,
        judgement: { verdict: 'tooShort', confidence: 0 },
      };
      stacks.set(key, stack);
    }
    return stack;
  };
  snapshots.forEach((digest, at) => {
    for (const group of digest.groups) {
      const stack = seriesOf(digest, group);
      stack.series[at] += group.liveBytes;
      if (at === snapshots.length - 1) stack.blocks += group.blocks;
    }
  });
  // The latest trace reaches furthest; what an earlier one saw may have been taken back since.
  const latest = snapshots.findLast((digest) => digest.eventCount > 0);
  if (latest !== undefined) {
    for (const lifetimes of latest.lifetimes) seriesOf(latest, lifetimes).lifetimes = lifetimes;
  }
  const collects = (site: DigestFrame): boolean | null => {
    const file = lookup(site.file);
    const text = file === null ? null : (workspace.lineText?.(file, site.line) ?? null);
    return text === null ? null : COLLECTS.test(text);
  };
  for (const stack of stacks.values()) {
    stack.judgement = judge({ series: stack.series, lifetimes: stack.lifetimes, collects });
  }
  return [...stacks.values()];
}

/** A call of the garbage collector, as people write it. */
const COLLECTS = /\bgc\s*\.\s*collect\s*\(/;

/** A stack as a digest names it. */
interface StackWords {
  frames: readonly number[];
  forwardFrames: readonly number[];
}

/** Equal for equal stacks of different snapshots. */
export function groupKey(digest: SnapshotDigest, group: StackWords): string {
  const words = (indices: readonly number[]): string =>
    indices
      .map((index) => {
        const frame = digest.frames[index];
        return `${frame.file}\n${frame.line}\n${frame.function}`;
      })
      .join('\n');
  return `${words(group.frames)}\0${words(group.forwardFrames)}`;
}

function lineReport(series: LineSeries, at: readonly number[], lookup: FileLookup): LineReport {
  const { line, stacks } = series;
  const last = at.length - 1;
  const own = at.map((_, i) => stacks.reduce((sum, stack) => sum + stack.series[i], 0));
  const verdict = worst(
    stacks.map((stack) => stack.judgement.verdict),
    at.length,
  );
  const deciding = stacks.filter((stack) => stack.judgement.verdict === verdict);
  return {
    file: line.file,
    line: line.line,
    function: line.function,
    mapped: line.mapped,
    liveBytes: own[last],
    totalBytes: series.totalBytes,
    growthBytes: own[last] - own[0],
    leakedBytes: stacks.reduce((sum, stack) => sum + (stack.judgement.verdict === 'leak' ? stack.series[last] : 0), 0),
    bytesPerStep: theilSenRate(at, own) ?? floorRate(stacks),
    blocks: stacks.reduce((sum, stack) => sum + stack.blocks, 0),
    series: own,
    verdict,
    confidence: Math.max(0, ...deciding.map((stack) => stack.judgement.confidence)),
    holder: null,
    stacks: stacks
      .filter((stack) => stack.series[last] > 0)
      .map((stack) => stackReport(stack, lookup))
      .sort((a, b) => b.liveBytes - a.liveBytes),
  };
}

/** Growth per step of the floors of a line's stacks, for a single snapshot whose trace shows steps. */
function floorRate(stacks: readonly StackSeries[]): number | null {
  const known = stacks.flatMap(({ lifetimes }) => (lifetimes?.stepSource === 'annotations' ? [lifetimes] : []));
  if (known.length === 0) return null;
  const floors = Array.from(known[0].floors, (_, bin) => known.reduce((sum, one) => sum + (one.floors[bin] ?? 0), 0));
  // The first tenth is warm-up.
  const from = Math.ceil(floors.length / 10);
  return theilSenRate(
    floors.slice(from).map((_, i) => i * known[0].binSteps),
    floors.slice(from),
  );
}

function stackReport(stack: StackSeries, lookup: FileLookup): StackReport {
  return {
    frames: [...stack.frames, ...stack.forward].map((frame) => reportFrame(frame, lookup)),
    liveBytes: stack.series[stack.series.length - 1],
    blocks: stack.blocks,
    verdict: stack.judgement.verdict,
  };
}

/** A frame with its file in workspace terms where there is one. */
export function reportFrame(frame: DigestFrame, lookup: FileLookup): { file: string; line: number; function: string } {
  return { file: lookup(frame.file) ?? frame.file, line: frame.line, function: frame.function };
}

/** From what must be looked at to what needs no look. */
const SEVERITY: readonly Verdict[] = [
  'leak',
  'sawtooth',
  'filling',
  'tooShort',
  'periodic',
  'oneOff',
  'plateau',
  'steady',
];

function worst(verdicts: readonly Verdict[], snapshots: number): Verdict {
  return (
    SEVERITY.find((verdict) => verdicts.includes(verdict)) ?? (snapshots < FEWEST_SNAPSHOTS ? 'tooShort' : 'steady')
  );
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
