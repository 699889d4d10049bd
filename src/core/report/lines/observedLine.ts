import { CATEGORIES, type Category } from '../../attribution/categories/category.js';
import { unfoundInside, type FileLookup, type OwnerLine } from '../../attribution/owner.js';
import { recordedBound } from '../../facts/bounds.js';
import type { Chance, KnownBound, Place } from '../../facts/evidence.js';
import { holderName } from '../../facts/holderName.js';
import { type LineOwner, type RecordedFacts, type RecordedLine, waitOf } from '../../facts/recordedFacts.js';
import type { RecordedPlace } from '../../model/recording.js';
import type { Bytes } from '../../model/units.js';
import type { ChanceCounts } from '../../verdict/chanceCounts.js';
import { custodyOf } from '../../verdict/custody.js';
import type { LineObservations, Seen } from '../../verdict/features.js';
import { rateOfRun } from '../../verdict/rate.js';
import { seenOf } from '../../verdict/seen.js';
import { SeriesFeatures } from '../../verdict/seriesFeatures.js';
import { worstShape, type Shape } from '../../verdict/shape.js';
import { limit } from '../../verdict/thresholds.js';
import type { CycleHolders } from './cycleReport.js';
import type { Holder } from '../remedy/holder.js';
import type { LineReport, ReportFrame } from '../report.js';
import { reportFrame } from '../reportFrame.js';
import type { StackSeries } from './stackSeries.js';
import type { RunStatements, SourceFits } from './statement.js';

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
  readonly owner: OwnerLine;
  /** Stacks with live memory, the largest first. */
  readonly stacks: readonly StackSeries[];
  /** Stacks with live memory that have the line's shape, the largest first; if there are none, the same as `stacks`. */
  readonly deciding: readonly StackSeries[];
  /** Evidence of the traces on the stacks that have the line's shape. */
  readonly seen: Seen | null;
  /** When live blocks of these stacks were allocated, as shares of the run; empty unless growth lasts. */
  readonly allocatedAt: readonly number[];
  /** Live bytes of the stacks that have the line's shape. */
  readonly growingBytes: Bytes;
  /** The category with most live bytes of all stacks. */
  readonly liveCategory: Category;
  /** The holder that the recorder or the cycle detector saw. */
  readonly holder: Holder | null;
  /** The recorder's view of the line. */
  readonly recorded: RecordedLine;
  /** The bound of the holder that the recorder saw; null without one. */
  readonly bound: KnownBound | null;
  /** Loops around the steps with the recorder's counts; null without, and for lines that do not grow. */
  readonly loops: readonly Chance[] | null;
}

/** A line, and the stacks that it owns. */
export interface LineSeries {
  readonly line: OwnerLine;
  readonly stacks: StackSeries[];
  totalBytes: Bytes;
}

/** What the observation of a line needs of its run. */
export interface KnownRun {
  /** The step of each snapshot. */
  readonly at: readonly number[];
  readonly hasSteps: boolean;
  readonly lastStep: number | null;
  /** The highest live memory of a snapshot. */
  readonly maxLiveBytes: Bytes;
  readonly lookup: FileLookup;
  readonly facts: RecordedFacts;
  /** Where training goes on after its only loop. */
  readonly nextPart: Place | null;
  /** True if an optimizer's steps are the steps. */
  readonly isOptimized: boolean;
  /** The loop whose rounds are steps, as recorded, where no optimizer steps; null for others. */
  readonly evaluation: RecordedPlace | null;
  readonly counts: ChanceCounts;
  readonly cycles: CycleHolders;
  readonly statements: RunStatements;
  readonly fits: SourceFits;
  /** The series of lines that allocate nothing: one array, as in a long run they are most of a report. */
  readonly nothing: readonly Bytes[];
}

/** What is seen of a line. */
export function observeLine({ line, stacks, totalBytes }: LineSeries, run: KnownRun): ObservedLine {
  const { at, cycles, lookup, lastStep, counts } = run;
  const differs = run.fits.of(line);
  const last = at.length - 1;
  const series = stacks.length === 0 ? run.nothing : seriesOf(stacks, at.length);
  const worst = worstShape(stacks.map((stack) => stack.shape.shape)) ?? shapeOfNone(at.length);
  // Stacks of a recursion are all different, and each of them grows once.
  const isDivided = stacks.length > 1 && CALM.has(worst) && keepsRising(stacks, series, at);
  const shape = isDivided ? 'growing' : worst;
  const isLasting = shape === 'lasting';
  const decides = (stack: StackSeries): boolean => isDivided || stack.shape.shape === shape;
  const deciding = stacks.filter(decides);
  const growing = deciding.length === stacks.length ? series : seriesOf(deciding, at.length);
  const live = stacks.filter((stack) => stack.series[last] > 0).sort((a, b) => b.series[last] - a.series[last]);
  const alike = live.filter(decides);
  const decidingLive = alike.length > 0 ? alike : live;

  const recorded = run.facts.of(line);
  const isMuch = Math.max(...series) >= limit('garbageShare') * run.maxLiveBytes;
  const isAccumulating = isMuch && recorded.garbage !== null && waitOf(recorded.garbage) > limit('garbageSteps');
  const isInCycle = isMuch && (recorded.holder?.owner.kind === 'cycle' || isAccumulating || cycles.has(line));
  const isCycle = isInCycle && (shape === 'cycle' || shape === 'periodic' || isAccumulating);
  const holder = recordedHolder(recorded.holder ?? (isCycle ? recorded.garbage : null), line);

  const seen = seenOf(deciding);
  const isInTime = seen?.usualFreedAge != null && seen.usualFreedAge <= limit('garbageSteps');
  const births = seen?.from === 'lifetimes' ? { steps: seen.birthSteps, of: seen.steps } : null;
  const allocatedAt = isLasting ? survivorBirths(deciding, lastStep) : [];
  return {
    ...{ owner: line, stacks: live, deciding: decidingLive },
    ...{ shape, isInCycle, isAccumulating, births, seen, allocatedAt, series, totalBytes, recorded, differs, lastStep },
    confidence: Math.max(0, ...deciding.map((stack) => stack.shape.confidence)),
    isMinorGarbage: isInTime || !isMuch,
    isMinorGrowth: growing[last] < limit('minorGrowth') * run.maxLiveBytes,
    liveBytes: series[last],
    growingBytes: growing[last],
    bytesPerStep: run.hasSteps ? (rateOfRun(at, series)?.median ?? floorRate(stacks)) : null,
    blocks: stacks.reduce((sum, stack) => sum + stack.blocks[last], 0),
    category: mainCategory(decidingLive),
    liveCategory: mainCategory(stacks),
    // A line that only calls others holds no memory.
    holder:
      (isCycle || HELD.has(shape)) && series.some((bytes) => bytes > 0)
        ? (holder ?? (isCycle ? cycles.of(line) : null))
        : null,
    custody: isLasting ? custodyOf(recorded, { ...run, bytes: growing, births }) : null,
    isUnheld: isUnheld(recorded, growing),
    bound: isLasting ? recordedBound(recorded, growing) : null,
    unfound: unfoundOf(deciding, lookup),
    statement: differs === null && line.mapped ? run.statements.of(line.file, line.line) : null,
    loops: isLasting ? counts.loops(allocatedAt) : null,
  };
}

/** True if a search that ended found no object that holds a line, though most of its growth was there. */
function isUnheld({ owners, lastSearch, isComplete }: RecordedLine, bytes: readonly Bytes[]): boolean {
  const grown = (at: number): Bytes => bytes[at] - bytes[0];
  return lastSearch >= 0 && isComplete && owners.length === 0 && 2 * grown(lastSearch) > grown(bytes.length - 1);
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

/** When the live blocks of stacks were allocated, as shares of the run, each share once. */
function survivorBirths(stacks: readonly StackSeries[], lastStep: number | null): readonly number[] {
  const births = new Set<number>();
  for (const { lifetimes, shape } of stacks) {
    if (lifetimes === null || shape.from !== 'lifetimes') continue;
    const last = Math.max(lastStep ?? 0, lifetimes.steps);
    // A ring that lost its oldest events counts from the first step that it has.
    for (const birth of lifetimes.survivorBirths) if (birth > 0) births.add((last - lifetimes.steps + birth) / last);
  }
  return [...births];
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

/** Where the largest of the deciding stacks of a line allocates. */
function unfoundOf(stacks: readonly StackSeries[], lookup: FileLookup): ReportFrame | null {
  const live = ({ series }: StackSeries): Bytes => series[series.length - 1];
  const largest = [...stacks].sort((a, b) => live(b) - live(a)).at(0);
  const frame = largest === undefined ? null : unfoundInside(largest.frames, largest.forward, lookup);
  return frame === null ? null : reportFrame(frame, lookup);
}

/** Growth per step of the floors of a line's stacks, for a single snapshot whose trace shows steps. */
function floorRate(stacks: readonly StackSeries[]): Bytes | null {
  const known = stacks.flatMap(({ lifetimes }) => (lifetimes?.areStepsSure === true ? [lifetimes] : []));
  if (known.length === 0) return null;
  const floors = Array.from(known[0].floors, (_, bin) => known.reduce((sum, one) => sum + (one.floors[bin] ?? 0), 0));
  // The first tenth is warm-up.
  const later = floors.slice(Math.ceil(floors.length / 10));
  const at = later.map((_, i) => i * known[0].binSteps);
  return rateOfRun(at, later)?.median ?? null;
}
