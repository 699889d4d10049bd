/** Marks from reports: the findings of all runs on one line of one file, worst first. */
import type { Category } from '../../core/attribution/categories/category.js';
import { getOrAdd, groupBy } from '../../core/maps.js';
import { lineBytes, severity } from '../../core/report/findings.js';
import { rankCount } from '../../core/report/ranks/ranks.js';
import { addCells } from '../../core/report/compare/compareCells.js';
import type { CompareLine, CompareReport, LineReport, Report, RunReport } from '../../core/report/report.js';

/** The tone of a mark. `growing` has a lens and a hover in the editor, the others also an icon and text after the line. */
export type MarkTone = 'leak' | 'cycle' | 'growth' | 'growing';

/** The finding of one run on a line. */
interface MarkPart {
  readonly run: RunReport;
  readonly line: LineReport;
}

export interface LineMark {
  readonly file: string;
  /** 1-based. */
  readonly line: number;
  readonly mapped: boolean;
  readonly tone: MarkTone;
  /** Runs with a finding on the line, the worst first. Its numbers are shown. */
  readonly parts: readonly [MarkPart, ...MarkPart[]];
  /** Number of ranks in the report; with several, the rank is shown. */
  readonly ranks: number;
}

/** The tone of a line of a report; null for no mark. */
export function toneOf(line: LineReport): MarkTone | null {
  switch (line.verdict) {
    case 'leak':
      return 'leak';
    case 'cycle':
      return 'cycle';
    case 'tooShort':
      return line.growthBytes > 0 ? 'growth' : null;
    case 'growing':
      return lineBytes(line) > 0 ? 'growing' : null;
    default:
      return null;
  }
}

/** Bytes by which marks of one tone are ordered. */
export function weightOf(line: LineReport): number {
  return line.verdict === 'leak' ? line.leakedBytes : Math.max(line.growthBytes, line.liveBytes);
}

/** Two functions can share one line (a lambda); inside a run their numbers add up. */
function merge(a: LineReport, b: LineReport): LineReport {
  const worse = severity(a.verdict) <= severity(b.verdict) ? a : b;
  return {
    ...worse,
    liveBytes: a.liveBytes + b.liveBytes,
    totalBytes: Math.max(a.totalBytes, b.totalBytes),
    growthBytes: a.growthBytes + b.growthBytes,
    leakedBytes: a.leakedBytes + b.leakedBytes,
    bytesPerStep:
      a.bytesPerStep === null && b.bytesPerStep === null ? null : (a.bytesPerStep ?? 0) + (b.bytesPerStep ?? 0),
    blocks: a.blocks + b.blocks,
    series: a.series.map((bytes, i) => bytes + b.series[i]),
    stacks: [...a.stacks, ...b.stacks].sort((x, y) => y.liveBytes - x.liveBytes),
  };
}

/** Networks grow on purpose, and so does the state of their optimizer at the first steps. */
const PURPOSEFUL: ReadonlySet<Category> = new Set(['parameters', 'gradients', 'optimizerState']);

/**
 * True if the editor marks the line. Growth that may be all right is in the view only: a container that is not full and
 * fits the device, and what belongs to a network.
 */
export function isInEditor({ tone, parts: [{ line }] }: LineMark): boolean {
  const isBounded = line.mayBeLimited || (line.bound !== null && line.bound.fits !== false);
  return tone !== 'growing' || !(isBounded || PURPOSEFUL.has(line.category));
}

/** True if the recorder saw another text of the file than there was when the report was made: lines may have moved. */
export function isOfOtherText({ file, parts: [{ run, line }] }: LineMark): boolean {
  return line.statement === null && run.sources?.files.some((seen) => seen.file === file) === true;
}

/** True where the memory is allocated in a file that the workspace does not have: the line only calls it. */
export function isCallerOnly({ parts }: LineMark): boolean {
  return parts[0].line.unfound !== null;
}

function worstFirst(a: MarkPart, b: MarkPart): number {
  return severity(a.line.verdict) - severity(b.line.verdict) || weightOf(b.line) - weightOf(a.line);
}

const TONES: readonly MarkTone[] = ['leak', 'cycle', 'growth', 'growing'];

/** All marks of a report, worst first; or those of ignored lines. Bytes are not added over runs. */
export function lineMarks(report: Report, ignored = false): LineMark[] {
  const ranks = rankCount(report.runs);
  const byLine = new Map<string, MarkPart[]>();
  for (const run of report.runs) {
    const ofRun = new Map<string, LineReport>();
    for (const line of run.lines) {
      if (line.ignored !== ignored) continue;
      const key = `${line.mapped}:${line.line}:${line.file}`;
      const present = ofRun.get(key);
      ofRun.set(key, present === undefined ? line : merge(present, line));
    }
    for (const [key, line] of ofRun) getOrAdd(byLine, key, () => []).push({ run, line });
  }
  const marks: LineMark[] = [];
  for (const all of byLine.values()) {
    const spoken = all.filter(({ line }) => toneOf(line) !== null).sort(worstFirst);
    const worst = spoken.at(0);
    if (worst === undefined) continue;
    const tone = toneOf(worst.line) ?? 'growth';
    const { file, line, mapped } = worst.line;
    marks.push({ file, line, mapped, tone, parts: [worst, ...spoken.slice(1)], ranks });
  }
  return marks.sort(
    (a, b) => TONES.indexOf(a.tone) - TONES.indexOf(b.tone) || weightOf(b.parts[0].line) - weightOf(a.parts[0].line),
  );
}

/** Marks of one file's lines. */
export interface LinesOfFile {
  readonly name: string;
  readonly marks: readonly LineMark[];
  /** Bytes of all lines; null if they are of several runs, whose bytes are never added up. */
  readonly bytes: number | null;
}

/** The files of lines, in the order of their first lines. */
export function linesByFile(lines: readonly LineMark[]): LinesOfFile[] {
  return [...groupBy(lines, ({ file, mapped }) => `${mapped}:${file}`).values()].map((marks) => ({
    name: marks[0].file,
    marks,
    bytes:
      new Set(marks.map(({ parts }) => parts[0].run)).size > 1
        ? null
        : marks.reduce((sum, { parts }) => sum + weightOf(parts[0].line), 0),
  }));
}

/** Lines that grew or shrank, functions of one line added up. The largest change first, also for shrinking ones. */
export function comparedLines(report: CompareReport): CompareLine[] {
  const byLine = new Map<string, CompareLine>();
  for (const line of report.lines) {
    const key = `${line.mapped}:${line.line}:${line.file}`;
    const present = byLine.get(key);
    byLine.set(key, present === undefined ? line : addLine(present, line));
  }
  return [...byLine.values()]
    .filter(({ growthBytes }) => growthBytes !== 0)
    .sort((a, b) => Math.abs(b.growthBytes) - Math.abs(a.growthBytes));
}

function addLine(a: CompareLine, b: CompareLine): CompareLine {
  return {
    ...a,
    ...addCells(a, b),
    flow: null,
    stacks: [...a.stacks, ...b.stacks].sort((x, y) => y.growthBytes - x.growthBytes),
  };
}

/** Items by file, sorted by line, for lookups at each keystroke. */
export function byFile<T extends { readonly file: string; readonly line: number }>(
  items: readonly T[],
): Map<string, T[]> {
  const files: Map<string, T[]> = groupBy(items, ({ file }) => file);
  for (const list of files.values()) list.sort((a, b) => a.line - b.line);
  return files;
}

/**
 * The mark after or before a place, through files by name, cyclically; without a place, the first. @param line 1-based,
 * skipped
 */
export function neighborMark<T extends { readonly file: string; readonly line: number }>(
  marks: readonly T[],
  at: { file: string; line: number } | null,
  direction: 1 | -1,
): T | undefined {
  const order = (a: { file: string; line: number }, b: { file: string; line: number }): number =>
    a.file < b.file ? -1 : a.file > b.file ? 1 : a.line - b.line;
  if (at === null) return marks.at(0);
  const sorted = [...marks].sort((a, b) => order(a, b) * direction);
  return sorted.find((mark) => order(mark, at) * direction > 0) ?? sorted.at(0);
}
