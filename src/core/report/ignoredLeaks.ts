/**
 * Leaks that a team has decided to live with: a file at the top of the workspace, for people to read and commit. A leak
 * is named by its file, function and statement, so that it is known again when lines move.
 */
import * as v from 'valibot';
import { ownerKey } from '../attribution/owner.js';
import type { LineReport, Report, RunReport } from './report.js';
import { GROWS, runVerdict } from './runReport.js';
import { statementText } from './statement.js';
import { say } from '../text/say.js';

export const IGNORE_FILE = '.leakline.json';
const SCHEMA = 'leakline.workspace/1';
/** A file with more is not one that people wrote. */
const MOST_ENTRIES = 10_000;

/** One leak that is not reported. */
export interface IgnoredLeak {
  /** Relative to the folder of the ignore file, with `/`. */
  file: string;
  function: string;
  statement: string;
  /** Among the lines of the file that say the same; 1 where it is left out. */
  occurrence: number;
  /** Where it was, 1-based: decides only where a recording is of a text that is gone. */
  line: number;
  /** Why, in the team's words. */
  reason: string | null;
}

/** What is wrong with an ignore file, in one sentence without the file's name. */
export class IgnoreFileError extends Error {
  override readonly name = 'IgnoreFileError';
}

/**
 * Reads an ignore file.
 * @throws IgnoreFileError
 */
export function parseIgnoredLeaks(text: string): IgnoredLeak[] {
  return entriesOf(documentOf(text)).map((entry, i) => {
    const leak = leakOf(entry);
    if (leak === null) {
      throw new IgnoreFileError(
        say('entry {0} of "ignoredLeaks" needs "file", "function", "statement" and "line"', i + 1),
      );
    }
    return leak;
  });
}

/**
 * An ignore file with one more leak. What else is in the file stays.
 * @param text null if there is no file yet
 * @throws IgnoreFileError
 */
export function withIgnoredLeak(text: string | null, leak: IgnoredLeak): string {
  const document = text === null ? { schema: SCHEMA } : documentOf(text);
  const entries = entriesOf(document).filter((entry) => !isSame(leakOf(entry), leak));
  return printed({ ...document, ignoredLeaks: [...entries, entryOf(leak)] });
}

/**
 * An ignore file without the leaks that `isGone` names.
 * @throws IgnoreFileError
 */
export function withoutIgnoredLeaks(text: string, isGone: (leak: IgnoredLeak) => boolean): string {
  const document = documentOf(text);
  const entries = entriesOf(document).filter((entry) => {
    const leak = leakOf(entry);
    return leak === null || !isGone(leak);
  });
  return printed({ ...document, ignoredLeaks: entries });
}

/** True if a leak is this line of a report. */
export function names(leak: IgnoredLeak, line: LineReport): boolean {
  if (!line.mapped || leak.file !== line.file || leak.function !== line.function) return false;
  const { statement } = line;
  return statement === null
    ? leak.line === line.line
    : leak.statement === statement.text && leak.occurrence === statement.occurrence;
}

/** The report with the lines marked that are ignored; they no longer decide what is said of their run. */
export function withIgnored(report: Report, leaks: readonly IgnoredLeak[]): Report {
  const runs = report.runs.map((run) => runWithIgnored(run, leaks));
  const ignored = runs.flatMap(({ lines }) => lines.filter((line) => line.ignored)).map(ownerKey);
  return { ...report, runs, ranks: report.ranks.filter((difference) => !ignored.includes(ownerKey(difference))) };
}

/** The same for one run. */
export function runWithIgnored(run: RunReport, leaks: readonly IgnoredLeak[]): RunReport {
  const byFile = new Map<string, IgnoredLeak[]>();
  for (const leak of leaks) byFile.set(leak.file, [...(byFile.get(leak.file) ?? []), leak]);
  const ignored = new Set(
    run.lines.filter((line) => byFile.get(line.file)?.some((leak) => names(leak, line)) === true),
  );
  if (ignored.size === 0) return run;
  const lines = run.lines.map((line) => (ignored.has(line) ? { ...line, ignored: true } : line));
  const verdict = runVerdict(
    lines.filter((line) => !line.ignored).map((line) => line.verdict),
    run.snapshots.length,
  );
  return { ...run, lines, verdict, forecast: GROWS.has(verdict) ? run.forecast : null };
}

function documentOf(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new IgnoreFileError(say('it is not JSON: {0}', error instanceof Error ? error.message : String(error)));
  }
  if (!isRecord(value)) throw new IgnoreFileError(say('it holds no object'));
  return value;
}

function entriesOf(document: Record<string, unknown>): unknown[] {
  const entries = document['ignoredLeaks'] ?? [];
  if (!Array.isArray(entries)) throw new IgnoreFileError(say('"ignoredLeaks" is not a list'));
  if (entries.length > MOST_ENTRIES)
    throw new IgnoreFileError(say('"ignoredLeaks" has more than {0} entries', MOST_ENTRIES));
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

function leakOf(entry: unknown): IgnoredLeak | null {
  const { success, output } = v.safeParse(ignoredLeak, entry);
  return success ? output : null;
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
