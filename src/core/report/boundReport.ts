/** Limits the size of reports. Omitted parts are summed, so all totals stay. */
import { largestOf } from '../attribution/categories/equalBlocks.js';
import { groupBy } from '../maps.js';
import type { Bytes } from '../model/units.js';
import { runVerdict } from '../verdict/shape.js';
import { addCells, emptyCell } from './compare/compareCells.js';
import { isSuspect, sum } from './lineSelection.js';
import type { CompareReport, FixOthers, FixVerdict, ReportFrame, RunReport } from './report.js';

/** Maximum number of characters of all lines and stacks as JSON: a thousand times the size that readers use. */
const MAX_CHARACTERS = 1 << 25;
/** Maximum length of a number with its comma. A character in a text may be escaped. */
const NUMBER_CHARACTERS = 26;
const ESCAPED = 6;
/** Minimum size of each run of a large job, and of all runs together. */
const MIN_OF_RUN = 1 << 14;
const MAX_OF_JOB = 1 << 26;

/** Characters of the lines and stacks of so many runs. */
export function maxCharacters(runs: number): number {
  return Math.max(MAX_CHARACTERS, Math.min(runs * MIN_OF_RUN, MAX_OF_JOB));
}

/** Bounds lines and stacks: suspects come before other lines, and the largest first. */
export function boundRuns(runs: readonly RunReport[], max = maxCharacters(runs.length)): void {
  if (atMost(runs.map(({ lines, peak, peaks, outOfMemory }) => [lines, peak, peaks, outOfMemory])) <= max) return;
  const fits = roomFor(max);
  boundLines(
    runs,
    fits,
    (a, b) => Number(isSuspect(b)) - Number(isSuspect(a)) || b.liveBytes - a.liveBytes,
    (others, line) => {
      others.liveBytes += line.liveBytes;
      others.growthBytes += line.growthBytes;
      others.leakedBytes += line.leakedBytes;
      others.blocks += line.blocks;
    },
  );
  // In a summary that was read again, the highest peak is two objects.
  const peaks = runs.flatMap(({ peak, peaks, outOfMemory }) => [
    peak,
    ...peaks,
    ...outOfMemory.map(({ held }) => held),
  ]);
  boundLines(
    [...new Set(peaks)].filter((peak) => peak !== null),
    fits,
    (a, b) => b.bytes - a.bytes,
    (others, { bytes, blocks }) => {
      others.bytes += bytes;
      others.blocks += blocks;
    },
  );
  for (const { lines, snapshots } of runs) {
    boundStacks(lines, fits, (frames, stacks) => ({
      frames,
      liveBytes: sum(stacks, ({ liveBytes }) => liveBytes),
      blocks: sum(stacks, ({ blocks }) => blocks),
      equal: largestOf(stacks.map(({ equal }) => equal)),
      verdict: runVerdict(
        stacks.map(({ verdict }) => verdict),
        snapshots.length,
      ),
    }));
  }
}

/** Bounds a comparison: lines that changed most come first. */
export function boundCompare(report: CompareReport, max = MAX_CHARACTERS): void {
  const fits = roomFor(max);
  if (report.fix !== null) boundFix(report.fix, fits);
  boundLines(
    [report],
    fits,
    (a, b) => Math.abs(b.growthBytes) - Math.abs(a.growthBytes) || b.bytesB - a.bytesB,
    (others, line) => Object.assign(others, addCells(others, line)),
  );
  boundStacks(report.lines, fits, (frames, stacks) => ({
    frames,
    ...stacks.reduce((cell, stack) => addCells(cell, stack), emptyCell(report.otherLines.flow !== null)),
  }));
}

function boundFix(fix: FixVerdict, fits: (value: object) => boolean): void {
  const list = { lines: fix.lines, otherLines: { lines: 0, bytesPerStepBefore: 0, bytesPerStepAfter: 0 } as FixOthers };
  const add = (a: Bytes | null, b: Bytes | null): Bytes | null => (a === null || b === null ? null : a + b);
  boundLines(
    [list],
    fits,
    () => 0,
    (others, line) => {
      others.bytesPerStepBefore = add(others.bytesPerStepBefore, line.bytesPerStepBefore);
      others.bytesPerStepAfter = add(others.bytesPerStepAfter, line.bytesPerStepAfter);
    },
  );
  fix.lines = list.lines;
  if (list.otherLines.lines > 0) fix.otherLines = list.otherLines;
}

/** A bound for the characters of a value as JSON: it is not written for each report, of which nearly all are small. */
function atMost(value: unknown): number {
  if (typeof value === 'string') return ESCAPED * value.length + 2;
  if (typeof value !== 'object' || value === null) return NUMBER_CHARACTERS;
  // A series is all numbers.
  if (Array.isArray(value) && typeof value[0] === 'number') return NUMBER_CHARACTERS * value.length;
  let characters = 2;
  for (const key in value) characters += ESCAPED * key.length + 4 + atMost(Reflect.get(value, key));
  return characters;
}

/** Takes values as long as there is room for all of them. */
function roomFor(max: number): (value: object) => boolean {
  let left = max;
  return (value) => {
    if (left >= 0) left -= JSON.stringify(value).length;
    return left >= 0;
  };
}

/** Omits the last lines by an order over all lists. @param add adds a line to the sums of the omitted */
function boundLines<Line, Others extends { lines: number }>(
  lists: readonly { lines: Line[]; otherLines: Others }[],
  fits: (value: object) => boolean,
  order: (a: Line, b: Line) => number,
  add: (others: Others, line: Line) => void,
): void {
  const all = lists.flatMap((list) => list.lines.map((line) => ({ list, line }))).sort((a, b) => order(a.line, b.line));
  const end = all.findIndex(({ line }) => !fits({ ...line, stacks: [] }));
  if (end === -1) return;
  for (const [list, ends] of groupBy(all.slice(end), ({ list }) => list)) {
    const gone = new Set(ends.map(({ line }) => line));
    list.lines = list.lines.filter((line) => !gone.has(line));
    // A summary's list may be bounded again.
    list.otherLines = { ...list.otherLines, lines: list.otherLines.lines + gone.size };
    for (const line of gone) add(list.otherLines, line);
  }
}

/** Behind the largest stacks of a line, the others are one that consists of the line alone. */
function boundStacks<Stack extends { frames: ReportFrame[] }>(
  lines: readonly (ReportFrame & { stacks: Stack[] })[],
  fits: (value: object) => boolean,
  together: (frames: ReportFrame[], stacks: readonly Stack[]) => Stack,
): void {
  for (const line of lines) {
    const end = line.stacks.findIndex((stack) => !fits(stack));
    if (end === -1) continue;
    const frames = [{ file: line.file, line: line.line, function: line.function }];
    line.stacks = [...line.stacks.slice(0, end), together(frames, line.stacks.slice(end))];
  }
}
