import { CATEGORIES, type Category } from '../attribution/categories.js';
import type { SnapshotDigest } from '../digest/digest.js';
import {
  eachBucket,
  ownerKey,
  ownerOf,
  unfoundInside,
  userLines,
  type FileLookup,
  type OwnerLine,
} from '../attribution/owner.js';
import { joinTraces, type JoinedTraces } from '../runs/joinTraces.js';
import { theilSen, type Rate } from '../verdict/rate.js';
import type { Run } from '../runs/runs.js';
import { sameHistory } from '../runs/sameProcess.js';
import { stepAt } from '../attribution/steps.js';
import { FEWEST_SNAPSHOTS } from '../verdict/seriesVerdict.js';
import { BatchLines } from './batchLines.js';
import { weighBound } from './bound.js';
import { deviceRooms, widest, type DeviceRoom } from './deviceRoom.js';
import { CycleHolders } from './cycleHolders.js';
import { NO_OTHERS, type OtherInputs } from './otherInputs.js';
import { evidenceOf } from './evidence.js';
import { forecastOf } from './forecast.js';
import { Holders } from './holder.js';
import { outOfMemory } from './outOfMemory.js';
import { peakReports } from './peakReport.js';
import { processFindings } from './process/processFindings.js';
import { sampledUses, type SampledUse } from './process/sampledUse.js';
import type { Bytes } from '../model/units.js';
import { reportBuckets } from './bucketParts.js';
import type { LineReport, ReportFrame, RunReport, StackReport, StepSource, Verdict } from './report.js';
import type { ReportWorkspace } from './reportWorkspace.js';
import { RecordedBounds } from './recordedBounds.js';
import { snapshotReport } from './snapshotReport.js';
import { RunStatements } from './statement.js';
import { stackSeries, type StackSeries } from './stackSeries.js';
import { reportFrame } from './reportFrame.js';
import { sayUnfound } from './unfound.js';

interface LineSeries {
  line: OwnerLine;
  stacks: StackSeries[];
  totalBytes: number;
}

/** One run, judged. */
export function runReport(
  run: Run,
  workspace: ReportWorkspace,
  lookup: FileLookup,
  others: OtherInputs = NO_OTHERS,
): RunReport {
  const { snapshots } = run;
  const joined = reachesBack(snapshots) ? null : joinTraces(snapshots);
  const { source, at } = stepsOf(run, joined);
  const batches = new BatchLines(workspace, lookup);
  const stacks = stackSeries(snapshots, at, joined, workspace, lookup, batches);
  const holders = new Holders(snapshots, lookup);
  const bounds = new RecordedBounds(snapshots, lookup);
  const statements = new RunStatements(snapshots, workspace, lookup);
  const cycles = new CycleHolders(
    snapshots.map(({ path }) => path),
    others,
    lookup,
  );
  const sampledOf = (device: number): SampledUse[] => sampledUses(snapshots, device, others);
  const rooms = deviceRooms(snapshots, sampledOf, workspace.capacityBytes ?? null);
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
  const buckets = eachBucket((): Bytes => 0);
  for (const stack of stacks) {
    const owner = ownerOf(stack.frames, stack.forward, stack.stackless, lookup);
    const live = stack.series[snapshots.length - 1];
    if ('bucket' in owner) buckets[owner.bucket] += live;
    else lineOf(owner.line).stacks.push(stack);
    for (const line of userLines(stack.frames, stack.forward, lookup)) lineOf(line).totalBytes += live;
  }
  const reports = [...lines.values()]
    .filter((line) => line.totalBytes > 0 || line.stacks.some((stack) => stack.series.some((bytes) => bytes > 0)))
    .map((line) =>
      lineReport(
        line,
        at,
        joined?.gaps ?? 0,
        { source, holders, cycles, statements, bounds, room: widest(rooms) },
        lookup,
      ),
    )
    .sort(
      (a, b) =>
        b.liveBytes - a.liveBytes || b.totalBytes - a.totalBytes || compareText(a.file, b.file) || a.line - b.line,
    );
  const verdict = worst(
    reports.map((line) => line.verdict),
    snapshots.length,
  );
  const peaks = peakReports(snapshots, lookup, batches);
  const peak = peaks.at(0) ?? null;
  const live = categoriesOf(stacks);
  return {
    id: run.id,
    rank: run.rank,
    steps: source,
    order: run.order,
    snapshots: snapshots.map((digest, i) => snapshotReport(digest, run.steps[i])),
    verdict,
    process: processFindings(snapshots, lookup, sampledOf),
    forecast: verdict === 'leak' ? forecastOf(snapshots, at, rooms) : null,
    sources: statements.sources(new Set(reports.flatMap(({ file, mapped }) => (mapped ? [file] : [])))),
    lines: reports,
    ...reportBuckets(buckets),
    categories: CATEGORIES.map((category, i) => ({
      category,
      liveBytes: live[i],
      peakBytes: peak?.categories[i].bytes ?? 0,
    })),
    peak,
    peaks,
    outOfMemory: outOfMemory(snapshots),
  };
}

/** Live bytes of stacks in the last snapshot, by category. */
function categoriesOf(stacks: readonly StackSeries[]): Float64Array {
  const sums = new Float64Array(CATEGORIES.length);
  for (const { categories } of stacks) categories.forEach((bytes, i) => (sums[i] += bytes));
  return sums;
}

/** The category with most bytes; of none, it is not known. */
function mainCategory(stacks: readonly StackSeries[]): Category {
  const sums = categoriesOf(stacks);
  const most = Math.max(...sums);
  return most === 0 ? 'other' : CATEGORIES[sums.indexOf(most)];
}

/** What one step is, and at which step each snapshot was taken. */
function stepsOf({ snapshots }: Run, joined: JoinedTraces | null): { source: StepSource | null; at: number[] } {
  const last = snapshots[snapshots.length - 1];
  const counted = joined === null ? stepsInTrace(snapshots, last) : stepsInJoined(joined);
  if (counted !== null && last.steps?.source === 'annotations') return { source: 'annotations', at: counted };
  const recorded = snapshots.map((digest) => digest.recording?.step ?? null);
  if (recorded.every((step) => step !== null)) return { source: 'recorder', at: recorded };
  if (counted !== null) return { source: 'period', at: counted };
  return { source: snapshots.length < FEWEST_SNAPSHOTS ? null : 'snapshots', at: snapshots.map((_, i) => i) };
}

/** True if the latest trace holds all events of the others, so that it needs no joining. */
function reachesBack(snapshots: readonly SnapshotDigest[]): boolean {
  const traced = snapshots.filter(({ eventCount }) => eventCount > 0);
  const last = traced[traced.length - 1];
  return traced.every((digest) => digest === last || sameHistory(digest, last));
}

/** The steps of the joined traces, null unless they were counted up to each snapshot without a gap. */
function stepsInJoined({ at, gaps }: JoinedTraces): number[] | null {
  return gaps === 0 && at.every((step) => step !== null) ? at : null;
}

/** The steps that the last trace counts up to each snapshot, null unless all are dumps of its history. */
function stepsInTrace(snapshots: readonly SnapshotDigest[], last: SnapshotDigest): number[] | null {
  const { steps } = last;
  if (steps === null || !snapshots.every((digest) => digest === last || sameHistory(digest, last))) return null;
  const events = snapshots.map((digest) => digest.heads.find((head) => head.device === steps.device)?.events);
  return events.every((count) => count !== undefined) ? events.map((count) => stepAt(steps, count - 1)) : null;
}

function lineReport(
  series: LineSeries,
  at: readonly number[],
  gaps: number,
  {
    source,
    holders,
    cycles,
    statements,
    bounds,
    room,
  }: {
    source: StepSource | null;
    holders: Holders;
    cycles: CycleHolders;
    statements: RunStatements;
    bounds: RecordedBounds;
    room: DeviceRoom | null;
  },
  lookup: FileLookup,
): LineReport {
  const { line, stacks } = series;
  const last = at.length - 1;
  const own = at.map((_, i) => stacks.reduce((sum, stack) => sum + stack.series[i], 0));
  const shape = worst(
    stacks.map((stack) => stack.judgement.verdict),
    at.length,
  );
  // The recorder or the cycle detector saw the cycle: what looks like a list that is cleared is the collector's work.
  const verdict = shape === 'periodic' && (holders.isCycle(line) || cycles.has(line)) ? 'cycle' : shape;
  const deciding = stacks.filter((stack) => stack.judgement.verdict === shape);
  const report: LineReport = {
    file: line.file,
    line: line.line,
    function: line.function,
    mapped: line.mapped,
    liveBytes: own[last],
    totalBytes: series.totalBytes,
    growthBytes: own[last] - own[0],
    leakedBytes: stacks.reduce((sum, stack) => sum + (stack.judgement.verdict === 'leak' ? stack.series[last] : 0), 0),
    bytesPerStep: source === null ? null : ((theilSen(at, own) ?? floorRate(stacks))?.median ?? null),
    blocks: stacks.reduce((sum, stack) => sum + stack.blocks[last], 0),
    category: mainCategory(stacks),
    series: own,
    verdict,
    confidence: Math.max(0, ...deciding.map((stack) => stack.judgement.confidence)),
    evidence: evidenceOf(verdict, deciding, gaps),
    // A line that only calls others keeps no memory of its own.
    holder:
      HELD.has(verdict) && own.some((bytes) => bytes > 0)
        ? (holders.of(line) ?? (verdict === 'cycle' ? cycles.of(line) : null))
        : null,
    unfound: unfoundOf(deciding, lookup),
    bound: null,
    statement: line.mapped ? statements.of(line.file, line.line) : null,
    ignored: false,
    stacks: stacks
      .filter((stack) => stack.series[last] > 0)
      .map((stack) => stackReport(stack, lookup))
      .sort((a, b) => b.liveBytes - a.liveBytes),
  };
  if (verdict === 'leak') {
    const growing = at.map((_, i) => deciding.reduce((sum, stack) => sum + stack.series[i], 0));
    const bound = bounds.of(line, growing);
    if (bound !== null) weighBound(report, bound, room);
  }
  sayUnfound(report);
  return report;
}

/** What the largest of the stacks that decide a line's verdict says of where it allocates. */
function unfoundOf(stacks: readonly StackSeries[], lookup: FileLookup): ReportFrame | null {
  const live = ({ series }: StackSeries): Bytes => series[series.length - 1];
  const largest = [...stacks].sort((a, b) => live(b) - live(a)).at(0);
  const frame = largest === undefined ? null : unfoundInside(largest.frames, largest.forward, lookup);
  return frame === null ? null : reportFrame(frame, lookup);
}

/** Growth per step of the floors of a line's stacks, for a single snapshot whose trace shows steps. */
function floorRate(stacks: readonly StackSeries[]): Rate | null {
  const known = stacks.flatMap(({ lifetimes }) =>
    lifetimes === null || lifetimes.stepSource === 'period' ? [] : [lifetimes],
  );
  if (known.length === 0) return null;
  const floors = Array.from(known[0].floors, (_, bin) => known.reduce((sum, one) => sum + (one.floors[bin] ?? 0), 0));
  // The first tenth is warm-up.
  const from = Math.ceil(floors.length / 10);
  return theilSen(
    floors.slice(from).map((_, i) => i * known[0].binSteps),
    floors.slice(from),
  );
}

function stackReport(stack: StackSeries, lookup: FileLookup): StackReport {
  return {
    frames: [...stack.frames, ...stack.forward].map((frame) => reportFrame(frame, lookup)),
    liveBytes: stack.series[stack.series.length - 1],
    blocks: stack.blocks[stack.blocks.length - 1],
    verdict: stack.judgement.verdict,
  };
}

/** Verdicts whose memory somebody keeps who need not. */
const HELD: ReadonlySet<Verdict> = new Set(['leak', 'cycle', 'growing', 'tooShort']);

/** From what must be looked at to what needs no look. */
const SEVERITY: readonly Verdict[] = [
  'leak',
  'cycle',
  'growing',
  'tooShort',
  'periodic',
  'oneOff',
  'plateau',
  'steady',
];

/** The verdict of several lines or stacks together: that which most needs a look. */
export function worst(verdicts: readonly Verdict[], snapshots: number): Verdict {
  return (
    SEVERITY.find((verdict) => verdicts.includes(verdict)) ?? (snapshots < FEWEST_SNAPSHOTS ? 'tooShort' : 'steady')
  );
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
