import { getOrAdd, groupBy } from '../../maps.js';
import { basename } from '../../text/pathText.js';
import type { LineReport } from '../report.js';

/** The similarity of two lines; those without any are not paired. */
const SAME_CALLS = 4;
const NOT_SEEN = 1;
const SAME_NUMBER = 1;
/** Places in a function, counted in lines of a report, that a line may have moved. */
const FURTHEST = 128;

/**
 * Pairs the lines of two versions of a program: by their order in a function, by their PyTorch call, and by their
 * callers.
 */
export function matchLines(
  before: readonly LineReport[],
  after: readonly LineReport[],
): ReadonlyMap<LineReport, LineReport> {
  const files = fileNames(before, after);
  const groups = new Map<string, { before: LineReport[]; after: LineReport[] }>();
  const groupOf = (file: string, line: LineReport): { before: LineReport[]; after: LineReport[] } =>
    getOrAdd(groups, `${file}\n${line.function}`, () => ({ before: [], after: [] }));
  for (const line of before) groupOf(files.get(line.file) ?? line.file, line).before.push(line);
  for (const line of after) groupOf(line.file, line).after.push(line);
  const pairs = new Map<LineReport, LineReport>();
  const numbers = new Map<string, number>();
  const called = (lines: readonly LineReport[]): Called[] =>
    [...lines]
      .sort((a, b) => a.line - b.line)
      .map((line) => ({
        line,
        calls: callsOf(line, (text) => getOrAdd(numbers, text, () => numbers.size)),
      }));
  for (const group of groups.values()) {
    for (const [from, to] of align(called(group.before), called(group.after))) pairs.set(from, to);
  }
  return pairs;
}

/** The second run's name of a file of the first, which may have another folder. */
function fileNames(before: readonly LineReport[], after: readonly LineReport[]): Map<string, string> {
  const later = new Set(after.map((line) => line.file));
  const alike = groupBy(later, basename);
  const names = new Map<string, string>();
  for (const { file } of before) {
    const others = later.has(file) ? [] : (alike.get(basename(file)) ?? []);
    if (others.length === 1) names.set(file, others[0]);
  }
  return names;
}

/** A line with the calls of its stacks, see {@link callsOf}. */
interface Called {
  readonly line: LineReport;
  readonly calls: ReadonlySet<string>;
}

/** The effect of a step through both lists on their next lines. */
const PAIR = 1;
const SKIP_BEFORE = 2;
const SKIP_AFTER = 3;

/** The best pairing of lines in order. Places that are further apart than edits move lines are no pair. */
function align(before: readonly Called[], after: readonly Called[]): [LineReport, LineReport][] {
  const width = 2 * FURTHEST + 1;
  const steps = new Uint8Array(before.length * width);
  let below = new Int32Array(after.length + 2);
  let best = new Int32Array(after.length + 2);
  for (let i = before.length - 1; i >= 0; i--) {
    const end = Math.min(after.length, i + FURTHEST + 1);
    best[end] = 0;
    for (let j = end - 1; j >= Math.max(0, i - FURTHEST); j--) {
      const fit = fitOf(before[i], after[j]);
      const paired = fit > 0 ? fit + below[j + 1] : 0;
      best[j] = Math.max(paired, below[j], best[j + 1]);
      steps[i * width + j - i + FURTHEST] =
        fit > 0 && best[j] === paired ? PAIR : best[j] === below[j] ? SKIP_BEFORE : SKIP_AFTER;
    }
    [below, best] = [best, below];
  }
  const pairs: [LineReport, LineReport][] = [];
  for (let i = 0, j = 0; i < before.length && j < after.length;) {
    const isNear = Math.abs(j - i) <= FURTHEST;
    const step = isNear ? steps[i * width + j - i + FURTHEST] : j > i ? SKIP_BEFORE : SKIP_AFTER;
    if (step === PAIR) pairs.push([before[i].line, after[j].line]);
    if (step !== SKIP_AFTER) i++;
    if (step !== SKIP_BEFORE) j++;
  }
  return pairs;
}

function fitOf(a: Called, b: Called): number {
  const number = a.line.line === b.line.line ? SAME_NUMBER : 0;
  // A line that holds nothing at the end shows no stack.
  if (a.calls.size === 0 || b.calls.size === 0) return NOT_SEEN + number;
  for (const call of a.calls) if (b.calls.has(call)) return SAME_CALLS + number;
  return 0;
}

/** The callees of a line's stacks, to the library's line, and the callers. @param numberOf the number of a text */
function callsOf(line: LineReport, numberOf: (text: string) => number): Set<string> {
  return new Set(
    line.stacks.map(({ frames }) => {
      const own = frames.findIndex((frame) => frame.file === line.file && frame.line === line.line);
      const below = frames.slice(0, Math.max(0, own)).map((frame) => `${numberOf(frame.file)}:${frame.line}`);
      const above = frames.slice(own + 1).map((frame) => numberOf(frame.function));
      return `${below.join()}/${above.join()}`;
    }),
  );
}
