/**
 * Leaks that the team accepts, and the baseline of older leaks, in a file at the top of the workspace. A leak is
 * identified by file, function and statement, so its line may move.
 */
import { groupBy } from '../maps.js';
import * as v from 'valibot';
import { ownerKey } from '../attribution/owner.js';
import type { LineReport, Report, RunReport } from './report.js';
import { GROWS, runVerdict } from '../verdict/shape.js';
import { t } from '../text/translate.js';

export const IGNORE_FILE = '.leakline.json';
const SCHEMA = 'leakline.workspace/1';
/** The user's entries precede the baseline: a leak in both has the user's reason. */
const LISTS = ['ignoredLeaks', 'baseline'] as const;
/** Maximum size of a file written by users. */
export const MAX_ENTRIES = 10_000;
/** Longer lines are data. */
const MAX_STATEMENT = 500;

/** One leak that is not reported. */
export interface IgnoredLeak {
  /** The path with `/`, relative to the folder of the ignore file. */
  file: string;
  function: string;
  statement: string;
  /** The number of the statement among equal ones of the file; 1 by default. */
  occurrence: number;
  /** The 1-based line at the time of writing. It decides only if the text that was recorded is gone. */
  line: number;
  /** Why, in the team's words. */
  reason: string | null;
  /** True for entries of `leakline baseline write`. */
  inBaseline: boolean;
}

/** The error in an ignore file, without the file's name. */
export class IgnoreFileError extends Error {
  override readonly name = 'IgnoreFileError';
}

/** Reads an ignore file. @throws IgnoreFileError */
export function parseIgnoredLeaks(text: string): IgnoredLeak[] {
  const document = documentOf(text);
  return LISTS.flatMap((list) => entriesOf(document, list).map((entry, i) => leakOf(entry, list, i)));
}

/** Adds a leak to an ignore file, and changes nothing else. @param text null for a new file @throws IgnoreFileError */
export function withIgnoredLeak(text: string | null, leak: IgnoredLeak): string {
  const document = text === null ? { schema: SCHEMA } : documentOf(text);
  const entries = entriesOf(document, 'ignoredLeaks').filter((entry) => !isSame(asLeak(entry), leak));
  return printed({ ...document, ignoredLeaks: [...entries, entryOf(leak)] });
}

/**
 * Replaces the baseline of an ignore file, and nothing else. @param text null for a new file @throws IgnoreFileError
 */
export function withBaseline(text: string | null, leaks: readonly IgnoredLeak[]): string {
  return printed({ ...(text === null ? { schema: SCHEMA } : documentOf(text)), baseline: leaks.map(entryOf) });
}

/** Removes the leaks that `isGone` selects, in the baseline too. @throws IgnoreFileError */
export function withoutIgnoredLeaks(text: string, isGone: (leak: IgnoredLeak) => boolean): string {
  const document = documentOf(text);
  const left = LISTS.filter((list) => list in document).map((list) => {
    const entries = entriesOf(document, list).filter((entry) => {
      const leak = asLeak(entry);
      return leak === null || !isGone(leak);
    });
    return [list, entries] as const;
  });
  return printed({ ...document, ...Object.fromEntries(left) });
}

/** True if a leak is this line of a report. */
export function names(leak: IgnoredLeak, line: LineReport): boolean {
  if (!line.mapped || leak.file !== line.file || leak.function !== line.function) return false;
  const { statement } = line;
  return statement === null
    ? leak.line === line.line
    : leak.statement === statement.text && leak.occurrence === statement.occurrence;
}

/** A line of source as statements compare it. */
export function statementText(line: string): string {
  return line.trim().replace(/\s+/g, ' ').slice(0, MAX_STATEMENT);
}

/** The report with ignored lines marked; they do not count for their run. */
export function withIgnored(report: Report, leaks: readonly IgnoredLeak[]): Report {
  const byPlace = groupBy(leaks, placeOf);
  const runs = report.runs.map((run) => marked(run, byPlace));
  const ignored = new Set(runs.flatMap(({ lines }) => lines.filter((line) => line.ignored)).map(ownerKey));
  return { ...report, runs, ranks: report.ranks.filter((difference) => !ignored.has(ownerKey(difference))) };
}

/** Marks the ignored leaks of one run. */
export function runWithIgnored(run: RunReport, leaks: readonly IgnoredLeak[]): RunReport {
  return marked(run, groupBy(leaks, placeOf));
}

function placeOf({ file, function: name }: { file: string; function: string }): string {
  return `${file}\n${name}`;
}

function marked(run: RunReport, byPlace: ReadonlyMap<string, readonly IgnoredLeak[]>): RunReport {
  const ignored = new Map<LineReport, IgnoredLeak>();
  for (const line of run.lines) {
    const leak = byPlace.get(placeOf(line))?.find((one) => names(one, line));
    if (leak !== undefined) ignored.set(line, leak);
  }
  if (ignored.size === 0) return run;
  const lines = run.lines.map((line) => {
    const leak = ignored.get(line);
    return leak === undefined ? line : { ...line, ignored: true, inBaseline: leak.inBaseline };
  });
  const verdict = runVerdict(
    lines.filter((line) => !line.ignored).map((line) => line.verdict),
    run.snapshots.length,
  );
  return { ...run, lines, verdict, forecast: GROWS.has(verdict) ? run.forecast : null };
}

/** The object that an ignore file is. @throws IgnoreFileError */
export function documentOf(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    // The engine's message quotes the file, and a link may lead to any file.
    const position = /position (\d+)/.exec(String(error))?.[1];
    if (position === undefined) throw new IgnoreFileError(t('it is not JSON'));
    throw new IgnoreFileError(t('it is not JSON at line {0}', text.slice(0, Number(position)).split('\n').length));
  }
  if (!isRecord(value)) throw new IgnoreFileError(t('it holds no object'));
  return value;
}

function entriesOf(document: Record<string, unknown>, list: string): unknown[] {
  const entries = document[list] ?? [];
  if (!Array.isArray(entries)) throw new IgnoreFileError(t('"{0}" is not a list', list));
  if (entries.length > MAX_ENTRIES) throw new IgnoreFileError(t('"{0}" has more than {1} entries', list, MAX_ENTRIES));
  return entries as unknown[];
}

const positive = v.pipe(v.number(), v.safeInteger(), v.minValue(1));
const ignoredLeak = v.object({
  file: v.string(),
  function: v.string(),
  statement: v.pipe(v.string(), v.transform(statementText)),
  line: positive,
  occurrence: v.optional(positive, 1),
  reason: v.optional(v.nullable(v.string()), null),
});

/** @throws IgnoreFileError */
export function leakOf(entry: unknown, list: string, i: number): IgnoredLeak {
  const leak = asLeak(entry);
  if (leak !== null) return { ...leak, inBaseline: list === 'baseline' };
  throw new IgnoreFileError(t('entry {0} of "{1}" needs "file", "function", "statement" and "line"', i + 1, list));
}

function asLeak(entry: unknown): IgnoredLeak | null {
  const { success, output } = v.safeParse(ignoredLeak, entry);
  return success ? { ...output, inBaseline: false } : null;
}

function entryOf({ file, function: name, statement, line, occurrence, reason }: IgnoredLeak): Record<string, unknown> {
  return {
    file,
    function: name,
    statement,
    ...(occurrence === 1 ? {} : { occurrence }),
    line,
    ...(reason === null ? {} : { reason }),
  };
}

function isSame(a: IgnoredLeak | null, b: IgnoredLeak): boolean {
  return (
    a?.file === b.file && a.function === b.function && a.statement === b.statement && a.occurrence === b.occurrence
  );
}

function printed(document: Record<string, unknown>): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
