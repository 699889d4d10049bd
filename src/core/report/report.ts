/**
 * The report: output of `leakline analyze --json` and input of the editor. Field names are stable; `schema` follows
 * semantic versioning. docs/numbers.md defines every number.
 */
import type { Failure } from '../attribution/failures.js';
import type { DeviceTotals } from '../digest/digest.js';
import type { DigestPeak } from '../digest/digestPeak.js';
import type { FailureAnswer, ReplayedSetting } from '../allocator/deviceAnswer.js';
import type { OwnerLine } from '../attribution/owner.js';
import type { Tally } from '../attribution/ownerTally.js';
import type { EqualBlocks } from '../attribution/categories/equalBlocks.js';
import type { Category } from '../attribution/categories/category.js';
import type { RunOrder } from '../runs/runs.js';
import type { Bytes, Microseconds } from '../model/units.js';
import type { Scope } from '../attribution/steps/scopes.js';
import type { OlderAt } from '../attribution/categories/olderMemory.js';
import type { Seen } from '../verdict/features.js';
import type { Verdict } from '../verdict/shape.js';

export const REPORT_SCHEMA = 'leakline.report/3';

export type { Verdict };

export interface Report {
  schema: typeof REPORT_SCHEMA;
  runs: RunReport[];
  /** Lines that leak on some ranks of a distributed run only, the worst first. */
  ranks: RankDifference[];
  /** Ranks of distributed runs that no snapshot is of. */
  missing: MissingRanks[];
  /** Ranks of distributed runs whose snapshots end earlier than those of others. */
  behind: RanksBehind[];
  /** Files that could not be read. */
  failed: { path: string; message: string }[];
  /** Amounts above the workspace's budget. */
  overBudget: OverBudget[];
  /** How much was held over time, from inputs that know no lines. */
  trends: TrendReport[];
  /** Memory held by reference cycles, from PyTorch's cycle detector. */
  cycles: CycleReport[];
}

/** An amount above the budget. */
export interface OverBudget {
  /** The statement that leaks most, or the line that allocates at the peak; null if unknown. */
  at: { file: string; line: number } | null;
  /** Per step for leaks; null if unknown. */
  measuredBytes: Bytes | null;
  allowedBytes: Bytes;
  message: string;
}

/** A line that leaks on some ranks of a distributed run, and on others does not grow. */
export interface RankDifference extends OwnerLine {
  /** The id that the ranks' runs have in common. */
  job: string;
  /** Growing lines by rank. */
  growing: RankLine[];
  calm: RankLine[];
  message: string;
}

/** Ranks of a distributed run that no snapshot is of. */
export interface MissingRanks {
  job: string;
  /** Ranks of the job. */
  expected: number;
  /** Ascending; empty if the runs of the job name no rank. */
  ranks: number[];
  message: string;
}

/** Ranks of a distributed run whose last snapshot is of an earlier step. */
export interface RanksBehind {
  job: string;
  /** The last step of the others. */
  step: number;
  /** Ascending. */
  ranks: { rank: number; step: number }[];
  message: string;
}

/** A line on one rank. */
export interface RankLine {
  rank: number;
  /** Id of the rank's run. */
  run: string;
  /** null if the line never held anything there. */
  verdict: Verdict | null;
  liveBytes: Bytes;
  growthBytes: Bytes;
  bytesPerStep: Bytes | null;
}

export type StepSource = 'annotations' | 'recorder' | 'names' | 'period' | 'snapshots';

export interface RunReport {
  id: string;
  rank: number | null;
  /** The distributed run that it belongs to, the same for all ranks; null if the rank is unknown. */
  job: string | null;
  /** Ranks of the job, null if unknown. */
  worldSize: number | null;
  /** The unit of a step in this run's rates; null for fewer than three steps. */
  steps: StepSource | null;
  /** The loop whose rounds the recorder counts as steps; null if it counts something else. */
  stepLoop: { file: string; line: number } | null;
  /** The source of the order of the snapshots. */
  order: RunOrder;
  snapshots: SnapshotReport[];
  /** Passes that the trace of a single snapshot shows, and the growth over them; null for several snapshots or none. */
  passes: { count: number; growthBytes: Bytes } | null;
  /** Snapshots taken when the process ended. They are not judged: its end releases even leaked memory. */
  atExit: SnapshotReport[];
  /** Live bytes after the last step, if they grow until the end though no line does over the steps; null if not. */
  laterGrowth: { step: number; from: Bytes; to: Bytes } | null;
  verdict: Verdict;
  /** Findings on memory without a line. */
  process: ProcessFinding[];
  /** In the unit of `steps`. */
  forecast: { stepsToOom: number; low: number; high: number; capacityBytes: Bytes } | null;
  /** The program's files as the recorder saw them; null without a recorder. */
  sources: RunSources | null;
  /** Sorted by live bytes, largest first. */
  lines: LineReport[];
  /** Lines beyond the size limit of a report. */
  otherLines: OtherLines;
  /** Self live bytes of the last snapshot that belong to no line. */
  buckets: Buckets;
  /** The part of `beforeRecording` that is younger: recorded without a stack, or in an input without stacks. */
  noStack: Bytes;
  /** Every category once. Live bytes add up to those of the last snapshot, peak bytes to `peak.liveBytes`. */
  categories: { category: Category; liveBytes: Bytes; peakBytes: Bytes }[];
  /** The peak of the device with the highest one: the first of `peaks` with a trace, or null. */
  peak: PeakReport | null;
  /**
   * One per device in the latest trace, or without one of the latest state, that of most bytes first; pinned
   * host memory (device −1) last.
   */
  peaks: PeakReport[];
  /** Live memory around the user's scopes (`record_function`, profiler and optimizer steps) in the latest trace. */
  scopes: readonly Scope[];
  /** Allocations that failed, in the latest trace that has any. */
  outOfMemory: OutOfMemoryReport[];
}

/** Lines that are not named, and their sums. */
export interface OtherLines {
  lines: number;
  /** Live bytes, counted as those of a line. */
  liveBytes: Bytes;
  growthBytes: Bytes;
  leakedBytes: Bytes;
  blocks: number;
}

/** An allocation that failed. */
export interface OutOfMemoryReport extends Omit<Failure, 'time' | 'metadata'> {
  /** The snapshot of the trace. */
  path: string;
  device: number;
  /** null if unknown. */
  timeUs: Microseconds | null;
  /** The device's memory; null if unknown. */
  capacityBytes: Bytes | null;
  /** The text of `_set_memory_metadata`, null without one. */
  metadata: string | null;
  /** The requesting line, null if unknown. Of many failures, only the last has this and the following fields. */
  asked: OwnerLine | null;
  /** The requesting stack, innermost first. */
  frames: ReportFrame[];
  /** The largest free block inside reserved memory; null if unknown. */
  largestFreeBytes: Bytes | null;
  /** Whether another setting of the allocator would have avoided it; null if unknown. */
  replayed: FailureAnswer | null;
  /** What would have been left, or short, without the leaks of the run; null if it has none, or if unknown. */
  withoutLeaks: { leftBytes: Bytes | null; shortBytes: Bytes | null } | null;
  /** Who held memory on the device at that moment. */
  held: PeakReport | null;
  /** The objects that held most of it, largest first, as the recorder saw them; empty without a recorder. */
  holders: FailureHolder[];
}

/** An object that held memory when it ran out. */
export interface FailureHolder {
  name: string;
  /** The statement that stores into it; null if unknown. */
  file: string | null;
  line: number | null;
  bytes: Bytes;
  /** The part that autograd's graph holds. */
  graphBytes: Bytes;
  /** How to release it; null for an object of a library. */
  fix: string | null;
}

/** The peak of a device in the latest trace. */
export interface PeakReport extends Pick<
  DigestPeak,
  'device' | 'isState' | 'event' | 'timeUs' | 'step' | 'phase' | 'liveBytes' | 'reservedBytes'
> {
  /** The snapshot whose trace it is. */
  path: string;
  /** The line that allocates there, null if unknown. */
  at: OwnerLine | null;
  /** The module by its name in the source, such as `blocks.attn`; null if unknown. */
  module: string | null;
  /** Largest first. Lines and buckets add up to `liveBytes`, and so do the categories. */
  lines: PeakLine[];
  /** Lines beyond the size limit of a report. */
  otherLines: { lines: number; bytes: Bytes; blocks: number };
  buckets: Buckets;
  /** The part of `beforeRecording` that is younger: recorded without a stack, or in an input without stacks. */
  noStack: Bytes;
  older: OlderReport;
  /** The bucket `library` by what the library allocates for, largest first: `DivBackward0`, `aten::bmm`. */
  libraries: { name: string; bytes: Bytes; blocks: number }[];
  /** True if the trace lost its oldest events: the peak is that of the rest. */
  isTruncated: boolean;
  categories: CategoryAmount[];
  /** Advice to lower it, at most three sentences, code in backticks. */
  advice: string[];
}

/** Memory without a stack that is older than the trace. What is of no use below is unknown. */
export interface OlderReport extends Omit<OlderAt, 'freed'> {
  /** Freed later in the trace, but gradients and optimizer state, by line; null if autograd or a library frees it. */
  freed: { by: OwnerLine | null; bytes: Bytes; blocks: number }[];
}

/** Memory of a line at the peak. */
export interface PeakLine extends OwnerLine {
  bytes: Bytes;
  blocks: number;
  /** Categories of what the line holds; they add up to `bytes`. */
  categories: CategoryAmount[];
  /** How a line that holds a tenth of the peak or more came by it, the largest first; they add up to `bytes`. */
  ways: HeldWay[];
  /** Blocks of activations and inputs that are left from earlier steps. */
  fromEarlierSteps: number;
}

/** One of the ways by which a line holds memory. */
export interface HeldWay {
  /** The innermost Python frame of a library that the line calls. */
  through: ReportFrame | null;
  /** The innermost caller by which the ways differ. */
  caller: ReportFrame | null;
  bytes: Bytes;
  blocks: number;
  /** The blocks of one stack and one size that hold most bytes. */
  equal: EqualBlocks;
}

export interface CategoryAmount {
  category: Category;
  bytes: Bytes;
}

/** The source text of a run's lines. */
export interface RunSources {
  /** Revision of the program's repository, or null. */
  commit: string | null;
  /** Workspace files that own lines of this run, with the SHA-256 of their bytes in hexadecimal. */
  files: { file: string; sha256: string }[];
}

/** Memory of the process that grows, or is held, although no line allocates more. */
export interface ProcessFinding {
  /** - `reservedOnly`: reserved memory grows while live memory does not, or is far above its peak */
  verdict: 'reservedOnly' | 'hostOnly' | 'hostMemory' | 'pinnedSegments' | 'pendingFrees';
  /** null for all devices. */
  device: number | null;
  bytes: Bytes;
  message: string;
  /** The setting that would have reserved less, by a replay; null for none. */
  replayed: ReplayedSetting | null;
}

export interface SnapshotReport {
  path: string;
  format: string;
  bytes: Bytes;
  events: number;
  step: number | null;
  takenAtUs: Microseconds | null;
  devices: readonly DeviceReport[];
  /** `device` if the warning concerns one. */
  warnings: readonly { code: string; message: string; device?: number }[];
}

interface DeviceReport extends DeviceTotals {
  /** Reserved by CUDA graphs and `MemPool`s, which share it with nothing. */
  privatePoolBytes: Bytes;
}

export interface Buckets {
  library: Bytes;
  /** All memory without frames: older than the recording, or `noStack`. */
  beforeRecording: Bytes;
}

export interface LineReport extends OwnerLine {
  /** Live bytes in the last snapshot, self. */
  liveBytes: Bytes;
  /** Live bytes in the last snapshot, total. */
  totalBytes: Bytes;
  /** Last minus first, signed. */
  growthBytes: Bytes;
  /** Live bytes of the stacks that keep growing, of a leak or of unconfirmed growth. */
  growingBytes: Bytes;
  /** Live bytes in stack groups judged to leak. */
  leakedBytes: Bytes;
  bytesPerStep: Bytes | null;
  /** Live blocks in the last snapshot, self. */
  blocks: number;
  /** The use of most of the live bytes. */
  category: Category;
  /** Self live bytes, one per snapshot. Lines that allocate nothing share one array. */
  series: readonly Bytes[];
  verdict: Verdict;
  /** 0 to 1. */
  confidence: number;
  /** The observations behind the verdict; null for a single snapshot without lifetimes. */
  evidence: Evidence | null;
  holder: HolderReport | null;
  /**
   * The recorded frame that allocates, if its file is the user's but not in the workspace, so that this line only calls
   * it. Else null.
   */
  unfound: ReportFrame | null;
  /** The bound of the line's growth, or null. */
  bound: BoundReport | null;
  /**
   * True if the source shows a test of a length or a count that has not ended the growth yet, or that each step uses
   * what seldom grows.
   */
  mayBeLimited: boolean;
  /** The text of the line, null if the workspace does not have it. */
  statement: Statement | null;
  /** Null if the source is the one that ran, or unknown. */
  differs: DifferentVersion | null;
  /** The workspace's own word: this line is not to be reported. */
  ignored: boolean;
  /** True if it is ignored because it leaked already when the baseline was written. */
  inBaseline: boolean;
  stacks: StackReport[];
}

/** The function of a line does not enclose it: the workspace has a different version of the file. */
export interface DifferentVersion {
  /** The first line of the only function with this name now; null for several or none. */
  line: number | null;
}

/** A line by its text, which stays when the line moves. */
export interface Statement {
  /** White space collapsed. */
  text: string;
  /** 1 for the first equal line of the file, 2 for the second. */
  occurrence: number;
}

/** The observations of the deciding stacks, and the reason. */
export interface Evidence extends Seen {
  /** Between the joined traces. */
  gaps: number;
  /** Why, beyond the observations, in a few plain sentences. */
  reason: string;
}

export interface HolderReport {
  source: 'recorder' | 'cycle' | 'pattern';
  file: string;
  line: number;
  /** The holder, in a few words. */
  name: string;
  /** The holder, with an explanation. */
  text: string;
  fix: string | null;
  /** The call that is missing: one may release what several statements store. */
  call?: string;
  /** The fix as a change of the source, if it cannot change learning. */
  edit: SourceEdit | null;
}

/** A bounded container that holds a line's memory. */
export interface BoundReport {
  name: string;
  /** The file of the statement that stores into the container. */
  file: string;
  line: number;
  isFull: boolean;
  /** False if the device cannot hold the full container. Null if unknown. */
  fits: boolean | null;
}

/** A change of one file. Lines and columns are 0-based, columns in UTF-16 units. */
export interface SourceEdit {
  title: string;
  /** The path, see `HolderReport.file`. */
  file: string;
  changes: { startLine: number; startColumn: number; endLine: number; endColumn: number; newText: string }[];
  /** The lines that must be unchanged for the edit. */
  lines: { line: number; text: string }[];
}

/** A place in a program, in workspace terms where the workspace has the file. */
export interface ReportFrame {
  file: string;
  line: number;
  function: string;
}

export interface StackReport {
  /** Innermost first. */
  frames: ReportFrame[];
  liveBytes: Bytes;
  blocks: number;
  /** The blocks of one size that hold most bytes. */
  equal: EqualBlocks;
  verdict: Verdict;
}

export interface TrendReport {
  path: string;
  format: string;
  bytes: Bytes;
  rows: number;
  /** Null where the input has no times. */
  startUs: Microseconds | null;
  endUs: Microseconds | null;
  /** True if the times are local times of an unknown zone, read as UTC. */
  isWallClock: boolean;
  /** Quantities such as `allocated` or `used`, or categories such as `parameter`. */
  series: TrendSeriesReport[];
  /** The row with the highest sum of the categories; null for quantities, which have no sum. */
  peak: { bytes: Bytes; timeUs: Microseconds | null; parts: { name: string; bytes: Bytes }[] } | null;
  warnings: { code: string; message: string }[];
}

export interface TrendSeriesReport {
  name: string;
  /** Null where the input does not name devices. */
  device: number | null;
  firstBytes: Bytes;
  lastBytes: Bytes;
  peakBytes: Bytes;
  /** Last minus first, signed. */
  growthBytes: Bytes;
  /** Median of all slopes; null for fewer than two rows, and for rows that are events. */
  bytesPerRow: Bytes | null;
  /** At most 64 values, evenly thinned, with the first and the last one. */
  series: Bytes[];
}

export interface CycleReport {
  path: string;
  format: string;
  bytes: Bytes;
  /** Python objects in the graph, tensors included. */
  objects: number;
  tensors: number;
  /** One entry per tensor, at most 1,000. */
  kept: CycleTensorReport[];
}

export interface CycleTensorReport {
  /** The cycle as a chain of objects; the path to the tensor if the graph shows no cycle. */
  text: string;
  isCycle: boolean;
  /** The line that allocated the tensor, null if unknown. */
  line: OwnerLine | null;
  /** Innermost first. */
  frames: ReportFrame[];
}

/** Two snapshots side by side, per owner line. */
export interface CompareReport {
  schema: 'leakline.compare/1';
  /** True if some survivors are matched by address, size and stack alone: an address may have been used again. */
  reused: boolean;
  a: SnapshotReport;
  b: SnapshotReport;
  /** The names of the configurations, null unless the files name two of one program. */
  configurations: { a: string; b: string } | null;
  /** Largest growth first, shrinking lines last. */
  lines: CompareLine[];
  /** Lines beyond the size limit of a report. */
  otherLines: CompareCell & { lines: number };
  buckets: { library: CompareCell; beforeRecording: CompareCell };
  /** Memory without a stack, see `RunReport`. */
  noStack: CompareCell;
  /** The fate of the leak; null for snapshots of one run. */
  fix: FixVerdict | null;
}

/** Whether a change made a leak go away, by the rates of two runs. */
export interface FixVerdict {
  /** - `same`: within a tenth; also if neither run leaks - `cannotTell`: `why` has the missing evidence */
  answer: FixAnswer;
  /** One or two sentences. */
  why: string;
  before: FixSide;
  after: FixSide;
  /** Lines that leak in one of the runs, the fastest first. */
  lines: FixLine[];
  /** Sums of the lines for which a report has no room; left out where there are none. */
  otherLines?: FixOthers;
}

/** null where no step is known of one of them. */
export interface FixOthers {
  lines: number;
  bytesPerStepBefore: Bytes | null;
  bytesPerStepAfter: Bytes | null;
}

export type FixAnswer = 'gone' | 'smaller' | 'same' | 'worse' | 'cannotTell';

interface FixSide {
  run: string;
  rank: number | null;
  /** The step of the last snapshot; null if no step is known. */
  lastStep: number | null;
  snapshots: number;
  /** The growth of all leaking lines; null without steps. */
  leakBytesPerStep: Bytes | null;
}

export interface FixLine {
  file: string;
  function: string;
  mapped: boolean;
  /** null if the run has no such line. */
  lineBefore: number | null;
  lineAfter: number | null;
  verdictBefore: Verdict | null;
  verdictAfter: Verdict | null;
  /** null without steps, 0 without such a line. */
  bytesPerStepBefore: Bytes | null;
  bytesPerStepAfter: Bytes | null;
  answer: FixAnswer;
}

export interface CompareCell {
  bytesA: Bytes;
  bytesB: Bytes;
  /** B minus A, signed, exact. */
  growthBytes: Bytes;
  blocksA: number;
  blocksB: number;
  /** The moved blocks, null if unknown (different processes, no common trace). */
  flow: { survived: Tally; allocated: Tally; freed: Tally } | null;
}

export interface CompareLine extends CompareCell, OwnerLine {
  stacks: (CompareCell & { frames: ReportFrame[] })[];
}
