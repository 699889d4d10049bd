import { CATEGORIES, type Category } from '../attribution/category.js';
import type { SnapshotDigest } from '../digest/digest.js';
import {
  eachBucket,
  ownerKey,
  ownerOf,
  type Owner,
  unfoundInside,
  userLines,
  type FileLookup,
  type OwnerLine,
  type StacklessBucket,
} from '../attribution/owner.js';
import { recordedBound } from '../facts/bounds.js';
import type { Chance, KnownBound, Place } from '../facts/evidence.js';
import { holderName } from '../facts/holderName.js';
import { type LineOwner, RecordedFacts, type RecordedLine, waitOf } from '../facts/recordedFacts.js';
import { joinTraces, type JoinedTraces } from '../runs/joinTraces.js';
import { rateOfRun } from '../verdict/rate.js';
import { type Run, splitAtExit } from '../runs/runs.js';
import { reachesBack, sameHistory } from '../runs/sameProcess.js';
import { stepAt } from '../attribution/steps.js';
import { getOrAdd } from '../maps.js';
import type { RecordedPlace, RecordedStepSource } from '../model/recording.js';
import type { Bytes } from '../model/units.js';
import type { LineObservations, Seen } from '../verdict/features.js';
import { custodyOf } from '../verdict/custody.js';
import { RecordedChances, type LiveShare } from '../verdict/recordedChances.js';
import { seenOf } from '../verdict/seen.js';
import { worstShape, type Shape } from '../verdict/shape.js';
import { SeriesFeatures } from '../verdict/seriesFeatures.js';
import { limit } from '../verdict/thresholds.js';
import { BatchLines } from './batchLines.js';
import { CycleHolders } from './cycleReport.js';
import { NO_OTHERS, type OtherInputs } from './otherInputs.js';
import type { Holder } from './remedy/holder.js';
import type { LineReport, ReportFrame, RunSources, StepSource } from './report.js';
import { reportFrame } from './reportFrame.js';
import type { ReportWorkspace } from './reportWorkspace.js';
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
}

/** Fields of a line's report that no verdict changes. */
type Measured =
  | 'confidence'
  | 'series'
  | 'liveBytes'
  | 'totalBytes'
  | 'bytesPerStep'
  | 'blocks'
  | 'unfound'
  | 'statement'
  | 'differs';

/** Observations of a line, before its verdict. */
export interface ObservedLine extends LineObservations, Readonly<Pick<LineReport, Measured>> {
  /** The recorder counted rounds of a loop as steps, because no optimizer steps in it; null without a recorder. */
  readonly countsRounds: boolean | null;
  /** The loop whose rounds are steps, as the recorder counted it; null without. */
  readonly stepLoop: Place | null;
  readonly owner: OwnerLine;
  readonly stacks: readonly StackSeries[];
  /** Evidence of the traces on the stacks that have the line's shape. */
  readonly seen: Seen | null;
  /** Live bytes of these stacks. */
  readonly growingBytes: Bytes;
  /** The holder that the recorder or the cycle detector saw. */
  readonly holder: Holder | null;
  /** The recorder's view of the line. */
  readonly recorded: RecordedLine;
  /** The bound of the holder that the recorder saw; null without one. */
  readonly bound: KnownBound | null;
  /** These stacks, largest first, in workspace terms; frames innermost first. */
  decidingFrames(): ReportFrame[][];
  /** Workspace files that the run shows to have run. */
  readonly ranWith: ReadonlySet<string>;
  /** Loops around the steps with the recorder's counts; null without, and for lines that do not grow. */
  readonly loops: readonly Chance[] | null;
  /** The recorder's count of runs of a release; null without. */
  release(place: Place): Chance | null;
}

interface LineSeries {
  line: OwnerLine;
  stacks: StackSeries[];
  totalBytes: number;
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
  const stepLoop = recording?.chances.loops?.find(({ isStepLoop }) => isStepLoop) ?? null;
  let chances: RecordedChances | null = null;
  const known: Known = {
    at,
    hasSteps: source !== null,
    lastStep: run.steps.at(-1) ?? null,
    maxLiveBytes,
    lookup,
    statements,
    fits: new SourceFits(workspace),
    facts,
    nextPart: nextPartOf(snapshots, lookup),
    stepSource: recording?.stepSource ?? null,
    stepLoop: stepLoop && { file: lookup(stepLoop.file) ?? stepLoop.file, line: stepLoop.line },
    evaluation: recording?.stepSource === 'loop' ? stepLoop : null,
    chances: () => (chances ??= new RecordedChances(snapshots, lookup, stacks)),
    cycles: new CycleHolders(
      snapshots.map(({ path }) => path),
      others,
      lookup,
    ),
    nothing: snapshots.map(() => 0),
    ranWith: new Set(shown.flatMap(({ line }) => (line.mapped ? [line.file] : []))),
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
    sources: statements.sources(known.ranWith),
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

/** The run's data for the observation of a line. */
interface Known {
  readonly at: readonly number[];
  readonly hasSteps: boolean;
  readonly lastStep: number | null;
  /** The highest live memory of a snapshot. */
  readonly maxLiveBytes: Bytes;
  readonly lookup: FileLookup;
  readonly facts: RecordedFacts;
  /** Where training goes on after its only loop. */
  readonly nextPart: Place | null;
  /** What the recorder counted as steps. */
  readonly stepSource: RecordedStepSource | null;
  /** The loop whose rounds are steps; null where an optimizer steps. */
  readonly stepLoop: Place | null;
  readonly evaluation: RecordedPlace | null;
  /** Made for the first line that may be released. */
  readonly chances: () => RecordedChances;
  readonly cycles: CycleHolders;
  readonly statements: RunStatements;
  readonly fits: SourceFits;
  readonly ranWith: ReadonlySet<string>;
  /** The series of lines that allocate nothing: one array, as in a long run they are most of a report. */
  readonly nothing: readonly Bytes[];
}

function observeLine({ line, stacks, totalBytes }: LineSeries, known: Known): ObservedLine {
  const { at, hasSteps, facts, cycles, lookup } = known;
  const differs = known.fits.of(line);
  const last = at.length - 1;
  const series = stacks.length === 0 ? known.nothing : seriesOf(stacks, at.length);
  const worst = worstShape(stacks.map((stack) => stack.shape.shape)) ?? shapeOfNone(at.length);
  // Stacks of a recursion are all different, and each of them grows once.
  const isDivided = stacks.length > 1 && CALM.has(worst) && keepsRising(stacks, series, at);
  const shape = isDivided ? 'growing' : worst;
  const recorded = facts.of(line);
  const isMuch = Math.max(...series) >= limit('garbageShare') * known.maxLiveBytes;
  const isAccumulating = isMuch && recorded.garbage !== null && waitOf(recorded.garbage) > limit('garbageSteps');
  const isInCycle = isMuch && (recorded.holder?.owner.kind === 'cycle' || isAccumulating || cycles.has(line));
  const deciding = isDivided ? stacks : stacks.filter((stack) => stack.shape.shape === shape);
  const growing = deciding.length === stacks.length ? series : seriesOf(deciding, at.length);
  const live = liveShare(deciding, known.lastStep);
  const held = stacks.filter((stack) => stack.series[last] > 0).sort((a, b) => b.series[last] - a.series[last]);
  const isCycle = isInCycle && (shape === 'cycle' || shape === 'periodic' || isAccumulating);
  const seen = seenOf(deciding);
  const isInTime = seen?.usualFreedAge != null && seen.usualFreedAge <= limit('garbageSteps');
  const loops = shape === 'lasting' ? known.chances().loops(live) : null;
  const births = seen?.from === 'lifetimes' ? { steps: seen.birthSteps, of: seen.steps } : null;
  return {
    owner: line,
    stacks: held,
    shape,
    confidence: Math.max(0, ...deciding.map((stack) => stack.shape.confidence)),
    isInCycle,
    isMinorGarbage: isInTime || !isMuch,
    isAccumulating,
    isMinorGrowth: growing[last] < limit('minorGrowth') * known.maxLiveBytes,
    births,
    seen,
    series,
    liveBytes: series[last],
    totalBytes,
    growingBytes: growing[last],
    bytesPerStep: hasSteps ? (rateOfRun(at, series)?.median ?? floorRate(stacks)) : null,
    blocks: stacks.reduce((sum, stack) => sum + stack.blocks[last], 0),
    category: mainCategory(stacks),
    // A line that only calls others holds no memory.
    holder:
      (isCycle || HELD.has(shape)) && series.some((bytes) => bytes > 0)
        ? (recordedHolder(recorded.holder ?? (isCycle ? recorded.garbage : null), line) ??
          (isCycle ? cycles.of(line) : null))
        : null,
    recorded,
    custody:
      shape === 'lasting'
        ? custodyOf(recorded, {
            ...{
              bytes: growing,
              births,
              lastStep: known.lastStep,
              nextPart: known.nextPart,
              isOptimized: known.stepSource === 'optimizer',
              evaluation: known.evaluation,
            },
            roundsSince: loops === null ? null : (step) => known.chances().roundsSince(step),
            uncounted: known.chances().uncounted,
          })
        : null,
    isUnheld: isUnheld(recorded, growing),
    countsRounds: known.stepSource === null ? null : known.stepSource === 'loop',
    stepLoop: known.stepLoop,
    bound: shape === 'lasting' ? recordedBound(recorded, growing) : null,
    unfound: unfoundOf(deciding, lookup),
    statement: differs === null && line.mapped ? known.statements.of(line.file, line.line) : null,
    differs,
    decidingFrames: () => {
      const decidingLive = held.filter((stack) => deciding.includes(stack));
      return (decidingLive.length > 0 ? decidingLive : held).map((stack) => framesOf(stack, lookup));
    },
    ranWith: known.ranWith,
    lastStep: known.lastStep,
    loops,
    release: (place) => known.chances().release(place, live),
  };
}

/** True if a search that ended found no object that holds a line, though most of its growth was there. */
function isUnheld({ owners, lastSearch, isComplete }: RecordedLine, bytes: readonly Bytes[]): boolean {
  const grown = (at: number): Bytes => bytes[at] - bytes[0];
  return lastSearch >= 0 && isComplete && owners.length === 0 && 2 * grown(lastSearch) > grown(bytes.length - 1);
}

/** Where training goes on, by the last search for holders. */
function nextPartOf(snapshots: readonly SnapshotDigest[], lookup: FileLookup): Place | null {
  const next = snapshots.findLast(({ recording }) => (recording?.owners.length ?? 0) > 0)?.recording?.nextPart ?? null;
  return next === null ? null : { ...next, file: lookup(next.file) ?? next.file };
}

/** The holder that the recorder saw, as a report names it; null for none. */
function recordedHolder(holder: LineOwner | null, { file, line }: OwnerLine): Holder | null {
  if (holder === null) return null;
  const name = holderName(holder.owner.name);
  return { source: 'recorder', ...(holder.place ?? { file, line }), name, text: name };
}

/** Live bytes of stacks together, one sum per snapshot. */
function seriesOf(stacks: readonly StackSeries[], snapshots: number): readonly Bytes[] {
  if (stacks.length === 1) return stacks[0].series;
  const sums = new Array<Bytes>(snapshots).fill(0);
  for (const { series } of stacks) for (let i = 0; i < snapshots; i++) sums[i] += series[i];
  return sums;
}

/** The live share at the end of allocations up to a step, by survivors. */
function liveShare(stacks: readonly StackSeries[], lastStep: number | null): LiveShare {
  let known: number[] | null = null;
  const allBirths = (): number[] => {
    const births = new Set<number>();
    for (const { lifetimes, shape } of stacks) {
      if (lifetimes === null || shape.from !== 'lifetimes') continue;
      const last = Math.max(lastStep ?? 0, lifetimes.steps);
      // A ring that lost its oldest events counts from the first step that it has.
      for (const birth of lifetimes.survivorBirths) if (birth > 0) births.add((last - lifetimes.steps + birth) / last);
    }
    return [...births];
  };
  return (place) => {
    const births = (known ??= allBirths());
    return births.length === 0 ? 0 : births.filter((birth) => birth <= place).length / (births.length * place);
  };
}

/** A stack's frames in workspace terms, innermost first. */
export function framesOf({ frames, forward }: StackSeries, lookup: FileLookup): ReportFrame[] {
  return [...frames, ...forward].map((frame) => reportFrame(frame, lookup));
}

function keepsRising(stacks: readonly StackSeries[], bytes: readonly Bytes[], at: readonly number[]): boolean {
  const blocks = at.map((_, i) => stacks.reduce((sum, stack) => sum + stack.blocks[i], 0));
  return new SeriesFeatures({ bytes, blocks, at }).keepsRising;
}

/** The shape of a line without stacks of its own. */
function shapeOfNone(snapshots: number): Shape {
  return snapshots < limit('minSnapshots') ? 'tooShort' : 'steady';
}

/** Shapes without growth that goes on. */
const CALM: ReadonlySet<Shape> = new Set(['oneOff', 'plateau', 'steady']);

/** Shapes whose memory is held longer than it needs. */
const HELD: ReadonlySet<Shape> = new Set(['lasting', 'cycle', 'growing', 'tooShort']);

/** Live bytes of stacks in the last snapshot, by category. */
export function categoriesOf(stacks: readonly StackSeries[]): Float64Array {
  if (stacks.length === 1) return stacks[0].categories;
  const sums = new Float64Array(CATEGORIES.length);
  for (const { categories } of stacks) categories.forEach((bytes, i) => (sums[i] += bytes));
  return sums;
}

/** The category with most bytes; of none, it is not known. */
function mainCategory(stacks: readonly StackSeries[]): Category {
  const sums = categoriesOf(stacks);
  const max = Math.max(...sums);
  return max === 0 ? 'other' : CATEGORIES[sums.indexOf(max)];
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
  if (counted !== null) return { source: 'period', at: counted };
  return { source: bySnapshot, at: snapshots.map((_, i) => i) };
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

/** Where the largest of the deciding stacks of a line allocates. */
function unfoundOf(stacks: readonly StackSeries[], lookup: FileLookup): ReportFrame | null {
  const live = ({ series }: StackSeries): Bytes => series[series.length - 1];
  const largest = [...stacks].sort((a, b) => live(b) - live(a)).at(0);
  const frame = largest === undefined ? null : unfoundInside(largest.frames, largest.forward, lookup);
  return frame === null ? null : reportFrame(frame, lookup);
}

/** Growth per step of the floors of a line's stacks, for a single snapshot whose trace shows steps. */
function floorRate(stacks: readonly StackSeries[]): Bytes | null {
  const known = stacks.flatMap(({ lifetimes }) =>
    lifetimes === null || lifetimes.stepSource === 'period' ? [] : [lifetimes],
  );
  if (known.length === 0) return null;
  const floors = Array.from(known[0].floors, (_, bin) => known.reduce((sum, one) => sum + (one.floors[bin] ?? 0), 0));
  // The first tenth is warm-up.
  const later = floors.slice(Math.ceil(floors.length / 10));
  const at = later.map((_, i) => i * known[0].binSteps);
  return rateOfRun(at, later)?.median ?? null;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
