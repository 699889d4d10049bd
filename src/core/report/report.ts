/**
 * The report: what `leakline analyze --json` prints and what the editor renders. Field names are stable; `schema`
 * follows semantic versioning. Every number is defined in CONTRIBUTING.md, "What the numbers mean".
 */
import type { Bytes, Microseconds } from '../model/units.js';

export const REPORT_SCHEMA = 'leakline.report/1';

export type Verdict = 'leak' | 'sawtooth' | 'periodic' | 'filling' | 'plateau' | 'oneOff' | 'steady' | 'tooShort';

export interface Report {
  schema: typeof REPORT_SCHEMA;
  runs: RunReport[];
}

export type StepSource = 'annotations' | 'recorder' | 'period' | 'snapshots' | 'time';

export interface RunReport {
  id: string;
  rank: number | null;
  /** What one step is in this run's rates. */
  steps: StepSource;
  snapshots: SnapshotReport[];
  verdict: Verdict;
  process: { verdict: 'reservedOnly' | 'hostOnly'; message: string }[];
  forecast: { stepsToOom: number; low: number; high: number; capacityBytes: Bytes } | null;
  /** Sorted by live bytes, largest first. */
  lines: LineReport[];
  /** Self live bytes of the last snapshot that belong to no line. */
  buckets: Buckets;
}

export interface SnapshotReport {
  path: string;
  format: string;
  bytes: Bytes;
  events: number;
  step: number | null;
  takenAtUs: Microseconds | null;
  devices: DeviceReport[];
  warnings: { code: string; message: string }[];
}

export interface DeviceReport {
  device: number;
  liveBytes: Bytes;
  reservedBytes: Bytes;
  requestedBytes: Bytes;
}

export interface Buckets {
  library: Bytes;
  beforeRecording: Bytes;
}

export interface LineReport {
  /** Relative to its workspace folder with `/` when mapped, else as recorded. */
  file: string;
  /** 1-based. */
  line: number;
  function: string;
  mapped: boolean;
  /** In the last snapshot, self. */
  liveBytes: Bytes;
  /** In the last snapshot, inclusive. */
  totalBytes: Bytes;
  /** Last minus first, signed. */
  growthBytes: Bytes;
  /** Live bytes in stack groups judged to leak. */
  leakedBytes: Bytes;
  bytesPerStep: Bytes | null;
  /** Live blocks in the last snapshot, self. */
  blocks: number;
  /** Self live bytes, one per snapshot. */
  series: Bytes[];
  verdict: Verdict;
  /** 0 to 1. */
  confidence: number;
  holder: HolderReport | null;
  stacks: StackReport[];
}

export interface HolderReport {
  source: 'recorder' | 'cycle' | 'pattern';
  file: string;
  line: number;
  text: string;
  fix: string | null;
}

export interface StackReport {
  /** Innermost first. */
  frames: { file: string; line: number; function: string }[];
  liveBytes: Bytes;
  blocks: number;
  verdict: Verdict;
}

/** Two snapshots side by side, per owner line. */
export interface CompareReport {
  schema: 'leakline.compare/1';
  a: SnapshotReport;
  b: SnapshotReport;
  /** Largest growth first, shrinking lines last. */
  lines: CompareLine[];
  buckets: { library: CompareCell; beforeRecording: CompareCell };
}

export interface CompareCell {
  bytesA: Bytes;
  bytesB: Bytes;
  /** B minus A, signed, exact. */
  growthBytes: Bytes;
  blocksA: number;
  blocksB: number;
  /** Which blocks moved, null where the two recordings cannot tell (different processes, no common trace). */
  flow: { survived: Amount; born: Amount; freed: Amount } | null;
}

/** Blocks and their bytes. */
export interface Amount {
  bytes: Bytes;
  blocks: number;
}

export interface CompareLine extends CompareCell {
  file: string;
  line: number;
  function: string;
  mapped: boolean;
  stacks: (CompareCell & { frames: { file: string; line: number; function: string }[] })[];
}
