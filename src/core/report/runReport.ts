import { CATEGORIES, type Category } from '../attribution/categories/category.js';
import { ownerKey, type FileLookup, type OwnerLine } from '../attribution/owner.js';
import type { SnapshotDigest } from '../digest/digest.js';
import type { Bytes } from '../model/units.js';
import { t } from '../text/translate.js';
import { fitsIn } from '../verdict/boundTexts.js';
import { judge, type Judged } from '../verdict/judge.js';
import type { KnownBound } from '../facts/evidence.js';
import { isEmptied } from '../verdict/features.js';
import { GROWS, runVerdict, type Verdict } from '../verdict/shape.js';
import { limit } from '../verdict/thresholds.js';
import { maxOlderBytes } from '../runs/maxOlder.js';
import { reportBuckets } from './bucketParts.js';
import { featuresOf, type SourceFinding } from './lines/chances.js';
import { deviceRooms, forecastOf, widest, type DeviceRoom } from './peak/deviceRoom.js';
import { categoriesOf, framesOf, type ObservedLine } from './lines/observedLine.js';
import type { ObservedRun } from './lines/observedRun.js';
import { outOfMemory } from './peak/outOfMemory.js';
import { laterGrowth, snapshotReport } from './snapshotReport.js';
import { peakReports } from './peak/peakReport.js';
import { processFindings } from './process/processFindings.js';
import { recordedRemedy } from './remedy/recordedRemedy.js';
import type { BoundReport, HolderReport, LineReport, ReportFrame, RunReport } from './report.js';
import type { ReportWorkspace } from './reportWorkspace.js';

/** Evidence of sources on lines: now, and proofs from before an edit. */
export interface SourceEvidence {
  readonly findings: ReadonlyMap<ObservedLine, SourceFinding>;
  /** Holders of leaks that the source proved as it ran, without edits. */
  readonly proved: ReadonlyMap<ObservedLine, HolderReport | null>;
}

/** The report on one run, written once. */
export function runReport(
  observed: ObservedRun,
  job: string | null,
  workspace: ReportWorkspace,
  lookup: FileLookup,
  source: SourceEvidence,
): RunReport {
  const { run, exits, at, stacks } = observed;
  const { snapshots } = run;
  const rooms = deviceRooms(snapshots, workspace.capacityBytes ?? null);
  const live = categoriesOf(stacks);
  const room = widest(rooms);
  const judged = judgeLines(observed, live, source, room);
  const lines = observed.lines.map((line, i) => lineReport(line, judged[i], observed.gaps, source, room, lookup));
  const verdict = runVerdict(
    [...lines.map((line) => line.verdict), ...(observed.growsInBuckets ? (['growing'] as const) : [])],
    snapshots.length,
  );
  const findings = new Set(lines.filter(isFinding).map(ownerKey));
  const isFound = (line: OwnerLine): boolean => findings.has(ownerKey(line));
  const context = {
    ...{ workspace, lookup, isFinding: isFound },
    ...{ maxOlder: maxOlderBytes(snapshots), isForwardOnly: isForwardOnly(snapshots) },
  };
  const failures = outOfMemory(snapshots, rooms, lines, context);
  const peaks = peakReports(snapshots, exits.snapshots, context);
  const peak = peaks.find(({ isState }) => !isState) ?? null;
  return {
    id: run.id,
    rank: run.rank,
    job,
    worldSize: snapshots.findLast(({ recording }) => recording?.worldSize != null)?.recording?.worldSize ?? null,
    steps: observed.steps,
    stepLoop: observed.countsRounds === true ? observed.stepLoop : null,
    order: run.order,
    snapshots: snapshots.map((digest, i) => snapshotReport(digest, run.steps[i])),
    passes: observed.steps === null || snapshots.length > 1 ? null : passesOf(snapshots[0]),
    atExit: exits.snapshots.map((digest, i) => snapshotReport(digest, exits.steps[i])),
    laterGrowth: laterGrowthOf(observed, verdict),
    verdict,
    process: processFindings(snapshots, lookup),
    // What ran out needs no forecast.
    forecast: GROWS.has(verdict) && failures.length === 0 ? forecastOf(at, rooms) : null,
    sources: observed.sources,
    lines,
    otherLines: { lines: 0, liveBytes: 0, growthBytes: 0, leakedBytes: 0, blocks: 0 },
    ...reportBuckets(observed.buckets, context.maxOlder),
    categories: CATEGORIES.map((category, i) => ({
      category,
      liveBytes: live[i],
      peakBytes: peak?.categories[i].bytes ?? 0,
    })),
    peak,
    peaks,
    scopes: [...(snapshots.findLast(({ peaks: traced }) => traced.length > 0)?.scopes ?? [])],
    outOfMemory: failures,
  };
}

/** Growth after the last step, of a run whose verdict does not say more. */
function laterGrowthOf({ run, exits }: ObservedRun, verdict: RunReport['verdict']): RunReport['laterGrowth'] {
  const [last, exit, step] = [run.snapshots.at(-1), exits.snapshots.at(-1), run.steps.at(-1)];
  if (last === undefined || exit === undefined || step == null) return null;
  if (GROWS.has(verdict) || verdict === 'cycle' || verdict === 'tooShort') return null;
  const growth = laterGrowth(last, exit);
  return growth === null ? null : { step, ...growth };
}

/** The passes of a trace, and the growth over their second half of what several of them leave behind. */
function passesOf({ steps, lifetimes, recording }: SnapshotDigest): RunReport['passes'] {
  if (steps === null) return null;
  const count = steps.starts.length;
  if (recording?.isAtEnd === true) return { count, growthBytes: growthBeforeEnd(lifetimes) };
  const growing = lifetimes.filter(({ survivorBirths }) => new Set(survivorBirths).size >= Math.max(2, count / 2));
  const growthBytes = growing.reduce((sum, { floors }) => {
    const last = floors.length - 1;
    // The trace may end within a pass.
    return sum + Math.min(floors[last], floors[Math.max(0, last - 1)]) - floors[last >> 1];
  }, 0);
  return { count, growthBytes };
}

/** The growth over the second half of the passes, where the last one includes the end of the program, which frees all. */
function growthBeforeEnd(lifetimes: SnapshotDigest['lifetimes']): Bytes {
  return lifetimes.reduce((sum, { floors }) => {
    const before = floors.slice(0, -1);
    const falls = before.some((bytes, i) => i > 0 && bytes < before[i - 1]);
    return falls || before.length === 0 ? sum : sum + before[before.length - 1] - before[before.length >> 1];
  }, 0);
}

/** True if the recorder counted steps without an optimizer, and the latest trace has no backward pass. */
function isForwardOnly(snapshots: readonly SnapshotDigest[]): boolean {
  const recording = snapshots.at(-1)?.recording;
  // Peaks of earlier dumps would need all of their events.
  const peaks = snapshots.findLast(({ peaks: traced }) => traced.length > 0)?.peaks ?? [];
  return recording?.stepSource === 'loop' && (recording.step ?? 0) > 1 && !peaks.some(({ hasBackward }) => hasBackward);
}

/** Whether a line has its own advice. One that grows without a known holder has none. */
function isFinding({ verdict, holder }: LineReport): boolean {
  return verdict === 'growing' ? holder !== null : GROWS.has(verdict) || verdict === 'cycle';
}

/** Judges every line; optimizer state last: it is judged by the parameters that it is for. */
function judgeLines(
  run: ObservedRun,
  live: Float64Array,
  { findings, proved }: SourceEvidence,
  room: DeviceRoom | null,
): Judged[] {
  const { lines } = run;
  const judged: Judged[] = [];
  const liveOf = (category: Category): Bytes => live[CATEGORIES.indexOf(category)];
  const isExplained = liveOf('optimizerState') <= limit('mostState') * liveOf('parameters');
  const isState = (at: number): boolean => lines[at].category === 'optimizerState';
  const places = lines.map((_, at) => at);
  let parametersLeak = false;
  for (const at of [...places.filter((one) => !isState(one)), ...places.filter(isState)]) {
    const line = lines[at];
    const features = featuresOf(
      line,
      findings.get(line) ?? null,
      run,
      proved.has(line),
      isExplained && !parametersLeak,
    );
    judged[at] = judge(features, line.seen !== null, room);
    parametersLeak ||= line.category === 'parameters' && judged[at].verdict === 'leak';
  }
  return judged;
}

function lineReport(
  line: ObservedLine,
  { verdict, reason, bound, mayBeLimited, isInUse, isNeeded }: Judged,
  gaps: number,
  { findings, proved }: SourceEvidence,
  room: DeviceRoom | null,
  lookup: FileLookup,
): LineReport {
  const { owner, series, seen, unfound } = line;
  const last = series.length - 1;
  const holder = remediedHolder(line, findings.get(line) ?? null, proved.get(line) ?? null, verdict);
  return {
    file: owner.file,
    line: owner.line,
    function: owner.function,
    mapped: owner.mapped,
    liveBytes: line.liveBytes,
    totalBytes: line.totalBytes,
    growthBytes: line.liveBytes - series[0],
    growingBytes: GROWS.has(verdict) ? line.growingBytes : 0,
    leakedBytes: verdict === 'leak' ? line.growingBytes : 0,
    bytesPerStep: line.bytesPerStep,
    blocks: line.blocks,
    category: line.liveCategory,
    series,
    verdict,
    confidence: line.confidence,
    evidence:
      seen === null
        ? null
        : {
            ...seen,
            gaps,
            reason: [...originTexts(line), ...reason].join(' '),
          },
    holder: isNeeded && holder !== null ? { ...holder, fix: null, edit: null } : holder,
    unfound,
    bound: boundReport(bound, room),
    mayBeLimited: mayBeLimited || isInUse,
    statement: line.statement,
    differs: line.differs,
    ignored: false,
    inBaseline: false,
    stacks: line.stacks.map((stack) => ({
      frames: framesOf(stack, lookup),
      liveBytes: stack.series[last],
      blocks: stack.blocks[last],
      equal: stack.equal,
      verdict: stack.shape.shape === 'lasting' ? verdict : stack.shape.shape,
    })),
  };
}

/** Verdicts that are certain enough for a remedy from the recorder alone. */
const REMEDIED: ReadonlySet<Verdict> = new Set(['leak', 'cycle']);

/**
 * The holder of a line with its remedy: that of the source, unless the recorder knows a more precise one.
 * @param proved the holder of a leak that was proved before an edit, null for none
 */
function remediedHolder(
  { holder: recordedHolder, recorded, custody, seen }: ObservedLine,
  finding: SourceFinding | null,
  proved: HolderReport | null,
  verdict: Verdict,
): HolderReport | null {
  const seenNow = finding?.holder ?? recordedHolder;
  const holder = seenNow ?? proved;
  if (holder === null) return null;
  const { fix, edit } = (seenNow === null ? proved : finding?.remedy) ?? { fix: null, edit: null };
  const owner = recorded.holder ?? recorded.garbage;
  // An incomplete search may name a holder that is not the only one.
  if (holder.source === 'recorder' && owner !== null && recorded.isComplete && REMEDIED.has(verdict)) {
    const { text, isExact, call } = recordedRemedy(owner, custody, seen !== null && isEmptied(seen));
    if (fix === null || isExact) return { ...holder, fix: text, ...(call === undefined ? {} : { call }), edit: null };
  }
  return { ...holder, fix, edit };
}

function boundReport(bound: KnownBound | null, room: DeviceRoom | null): BoundReport | null {
  if (bound === null) return null;
  const { name, place, isFull } = bound;
  return { name, ...place, isFull, fits: fitsIn(bound, room) };
}

/** Why the line is not the one that allocates; nothing if it is. */
function originTexts({ unfound, stacks }: ObservedLine): string[] {
  if (unfound !== null) return [unfoundText(unfound)];
  const isStackless = stacks.length > 0 && stacks.every(({ frames, forward }) => frames.length + forward.length === 0);
  return isStackless ? [t('Allocated where no Python ran, such as in a backward pass.')] : [];
}

/** The sentence that begins the evidence of a line whose memory is allocated in a file that is not available. */
function unfoundText({ file, line, function: name }: ReportFrame): string {
  return t(
    'Allocated in {0}, line {1} ({2}), a file that was not found in this workspace: this line only calls it.',
    file,
    line,
    name,
  );
}
