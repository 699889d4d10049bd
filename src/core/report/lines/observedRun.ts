import type { SnapshotDigest } from '../../digest/digest.js';
import {
  eachBucket,
  ownerKey,
  ownerOf,
  type Owner,
  userLines,
  type FileLookup,
  type OwnerLine,
  type StacklessBucket,
} from '../../attribution/owner.js';
import { stepAt } from '../../attribution/steps/steps.js';
import type { Place } from '../../facts/evidence.js';
import { RecordedFacts } from '../../facts/recordedFacts.js';
import { getOrAdd } from '../../maps.js';
import type { Bytes } from '../../model/units.js';
import { joinTraces, type JoinedTraces } from '../../runs/joinTraces.js';
import { traceStepOf } from '../../runs/runNames.js';
import { type Run, splitAtExit } from '../../runs/runs.js';
import { reachesBack, sameHistory } from '../../runs/sameProcess.js';
import { ChanceCounts } from '../../verdict/chanceCounts.js';
import { limit } from '../../verdict/thresholds.js';
import { BatchLines } from './batchLines.js';
import { CycleHolders } from './cycleReport.js';
import { observeLine, type KnownRun, type LineSeries, type ObservedLine } from './observedLine.js';
import { NO_OTHERS, type OtherInputs } from '../otherInputs.js';
import type { RunSources, StepSource } from '../report.js';
import type { ReportWorkspace } from '../reportWorkspace.js';
import { RunStatements, SourceFits } from './statement.js';
import { stackSeries, type StackSeries } from './stackSeries.js';

/** Observations of a run, before any verdict. */
export interface ObservedRun {
  readonly run: Run;
  /** Snapshots taken when the process ended, not part of the run. Their traces show what ran after the last step. */
  readonly exits: Run;
  /** The unit of a step, null if too few snapshots have one. */
  readonly steps: StepSource | null;
  /** The step of each snapshot. */
  readonly at: readonly number[];
  /** Between traces that were joined. */
  readonly gaps: number;
  readonly lines: readonly ObservedLine[];
  readonly stacks: readonly StackSeries[];
  readonly buckets: Record<StacklessBucket | 'library', Bytes>;
  /** True if memory that no line owns grows in a lasting way. */
  readonly growsInBuckets: boolean;
  readonly sources: RunSources | null;
  /** Workspace files that the run shows to have run. */
  readonly ranWith: ReadonlySet<string>;
  /** How often loops repeated and releases ran. */
  readonly counts: ChanceCounts;
  /** True if the recorder counted rounds of a loop as steps, because no optimizer steps in it; null without a recorder. */
  readonly countsRounds: boolean | null;
  /** The loop whose rounds are steps, as the recorder counted it; null without. */
  readonly stepLoop: Place | null;
}

/** Everything that is seen of one run. */
export function observeRun(
  whole: Run,
  workspace: ReportWorkspace,
  lookup: FileLookup,
  others: OtherInputs = NO_OTHERS,
): ObservedRun {
  const { run, exits } = splitAtExit(whole);
  const { snapshots } = run;
  const joined = reachesBack(snapshots) ? null : joinTraces(snapshots);
  const { source, at } = stepsOf(run, joined);
  const stacks = stackSeries(snapshots, at, joined, workspace, lookup, new BatchLines(workspace, lookup));
  let growsInBuckets = false;
  const statements = new RunStatements(snapshots, workspace, lookup);
  const lines = new Map<string, LineSeries>();
  const lineOf = (line: OwnerLine): LineSeries =>
    getOrAdd(lines, ownerKey(line), () => ({ line, stacks: [], totalBytes: 0 }));
  const buckets = eachBucket((): Bytes => 0);
  const facts = new RecordedFacts(snapshots, lookup);
  const recording = snapshots.at(-1)?.recording;
  const maxLiveBytes = Math.max(
    0,
    ...snapshots.map(({ devices }) => devices.reduce((sum, one) => sum + one.liveBytes, 0)),
  );
  for (const stack of stacks) {
    const owner = withHolder(ownerOf(stack.frames, stack.forward, stack.stackless, lookup), stack, facts);
    const live = stack.series[snapshots.length - 1];
    if ('bucket' in owner) {
      buckets[owner.bucket] += live;
      growsInBuckets ||= stack.shape.shape === 'lasting' && live >= limit('minorGrowth') * maxLiveBytes;
    } else lineOf(owner.line).stacks.push(stack);
    for (const line of userLines(stack.frames, stack.forward, lookup)) lineOf(line).totalBytes += live;
  }
  const shown = [...lines.values()].filter(
    (line) => line.totalBytes > 0 || line.stacks.some((stack) => stack.series.some((bytes) => bytes > 0)),
  );
  const loop = recording?.chances.loops?.find(({ isStepLoop }) => isStepLoop) ?? null;
  const stepLoop = loop && { file: lookup(loop.file) ?? loop.file, line: loop.line };
  const countsRounds = recording?.stepSource == null ? null : recording.stepSource === 'loop';
  const counts = new ChanceCounts(snapshots, lookup, stacks);
  const ranWith = new Set(shown.flatMap(({ line }) => (line.mapped ? [line.file] : [])));
  const known: KnownRun = {
    ...{ at, maxLiveBytes, lookup, statements, facts, counts },
    hasSteps: source !== null,
    lastStep: run.steps.at(-1) ?? null,
    fits: new SourceFits(workspace),
    nextPart: nextPartOf(snapshots, lookup),
    isOptimized: recording?.stepSource === 'optimizer',
    evaluation: countsRounds === true ? loop : null,
    cycles: new CycleHolders(
      snapshots.map(({ path }) => path),
      others,
      lookup,
    ),
    nothing: snapshots.map(() => 0),
  };
  return {
    run,
    exits,
    steps: source,
    at,
    gaps: joined?.gaps ?? 0,
    stacks,
    buckets,
    growsInBuckets,
    sources: statements.sources(ranWith),
    ranWith,
    counts,
    ...{ countsRounds, stepLoop },
    lines: shown
      .map((line) => observeLine(line, known))
      .sort(
        (a, b) =>
          b.liveBytes - a.liveBytes ||
          b.totalBytes - a.totalBytes ||
          compareText(a.owner.file, b.owner.file) ||
          a.owner.line - b.owner.line,
      ),
  };
}

/** The owner of a stack: lasting growth without frames, such as gradients that are kept, belongs to the line that holds it. */
function withHolder(owner: Owner, { frames, forward, shape }: StackSeries, facts: RecordedFacts): Owner {
  const isStackless = frames.length === 0 && forward.length === 0;
  if (!isStackless || shape.shape !== 'lasting' || facts.stacklessHolder === null) return owner;
  return { line: facts.stacklessHolder };
}

/** Where training goes on, by the last search for holders. */
function nextPartOf(snapshots: readonly SnapshotDigest[], lookup: FileLookup): Place | null {
  const next = snapshots.findLast(({ recording }) => (recording?.owners.length ?? 0) > 0)?.recording?.nextPart ?? null;
  return next === null ? null : { ...next, file: lookup(next.file) ?? next.file };
}

/** The unit of a step, and the step of each snapshot. */
function stepsOf({ snapshots }: Run, joined: JoinedTraces | null): { source: StepSource | null; at: number[] } {
  const last = snapshots[snapshots.length - 1];
  const counted = joined === null ? stepsInTrace(snapshots, last) : stepsInJoined(joined);
  if (counted !== null && last.steps?.source === 'annotations') return { source: 'annotations', at: counted };
  const bySnapshot = snapshots.length >= limit('minSnapshots') ? 'snapshots' : null;
  const recorded = snapshots.map((digest) => digest.recording?.step ?? null);
  if (recorded.every((step) => step !== null))
    return { source: last.recording?.stepSource === 'requests' ? bySnapshot : 'recorder', at: recorded };
  const named = stepsInNames(snapshots);
  if (bySnapshot !== null && named !== null) return { source: 'names', at: named };
  if (counted !== null) return { source: 'period', at: counted };
  return { source: bySnapshot, at: snapshots.map((_, i) => i) };
}

/** The steps that the snapshots' names say, null unless each says a later one. */
function stepsInNames(snapshots: readonly SnapshotDigest[]): number[] | null {
  const steps = snapshots.map(({ path }) => traceStepOf(path));
  return steps.every((step, i): step is number => step !== null && step > (steps[i - 1] ?? -1)) ? steps : null;
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

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
