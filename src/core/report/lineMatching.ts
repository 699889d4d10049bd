import { getOrAdd } from '../maps.js';
import type { LineReport } from './report.js';

/** The similarity of two lines; those without any are not paired. */
const SAME_CALLS = 4;
const NOT_SEEN = 1;
const SAME_NUMBER = 1;

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
  for (const group of groups.values()) {
    for (const [from, to] of align(byNumber(group.before), byNumber(group.after))) pairs.set(from, to);
  }
  return pairs;
}

/** The second run's name of a file of the first, which may have another folder. */
function fileNames(before: readonly LineReport[], after: readonly LineReport[]): Map<string, string> {
  const later = new Set(after.map((line) => line.file));
  const names = new Map<string, string>();
  for (const { file } of before) {
    if (later.has(file)) continue;
    const alike = [...later].filter((other) => lastPart(other) === lastPart(file));
    if (alike.length === 1) names.set(file, alike[0]);
  }
  return names;
}

function lastPart(file: string): string {
  return file.slice(Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\')) + 1);
}

function byNumber(lines: readonly LineReport[]): LineReport[] {
  return [...lines].sort((a, b) => a.line - b.line);
}

/** The pairing in order whose lines fit best together. */
function align(before: readonly LineReport[], after: readonly LineReport[]): [LineReport, LineReport][] {
  const calls = { before: before.map(callsOf), after: after.map(callsOf) };
  const fit = (i: number, j: number): number => fitOf(before[i], calls.before[i], after[j], calls.after[j]);
  const best = before.map(() => new Float64Array(after.length + 1));
  best.push(new Float64Array(after.length + 1));
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      const paired = fit(i, j) > 0 ? fit(i, j) + best[i + 1][j + 1] : 0;
      best[i][j] = Math.max(paired, best[i + 1][j], best[i][j + 1]);
    }
  }
  const pairs: [LineReport, LineReport][] = [];
  for (let i = 0, j = 0; i < before.length && j < after.length;) {
    if (fit(i, j) > 0 && best[i][j] === fit(i, j) + best[i + 1][j + 1]) pairs.push([before[i++], after[j++]]);
    else if (best[i][j] === best[i + 1][j]) i++;
    else j++;
  }
  return pairs;
}

function fitOf(a: LineReport, callsA: ReadonlySet<string>, b: LineReport, callsB: ReadonlySet<string>): number {
  const number = a.line === b.line ? SAME_NUMBER : 0;
  // A line that holds nothing at the end shows no stack.
  if (callsA.size === 0 || callsB.size === 0) return NOT_SEEN + number;
  return [...callsA].some((call) => callsB.has(call)) ? SAME_CALLS + number : 0;
}

/** The callees of a line's stacks, to the library's line, and the callers. */
function callsOf(line: LineReport): Set<string> {
  return new Set(
    line.stacks.map(({ frames }) => {
      const own = frames.findIndex((frame) => frame.file === line.file && frame.line === line.line);
      const below = frames.slice(0, Math.max(0, own)).map((frame) => `${frame.file}:${frame.line}`);
      const above = frames.slice(own + 1).map((frame) => frame.function);
      return [...below, '', ...above].join('\n');
    }),
  );
}
