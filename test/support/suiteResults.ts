/** The file that proves that a test suite ran to its end, with its result. */
import { writeFileSync } from 'node:fs';
import type { Runner, Test } from 'mocha';

export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

export interface Failure {
  /** Titles from the outermost `describe` on. */
  readonly title: string;
  readonly message: string;
}

export interface SuiteResults {
  /** By the title of the outermost `describe`: a group can be run again alone. */
  readonly groups: Record<string, Counts>;
  readonly failures: Failure[];
}

/** Names the file that the starter of the suite looks for. */
export const resultsVariable = 'LEAKLINE_RESULTS';

export function noResults(): SuiteResults {
  return { groups: {}, failures: [] };
}

/** Counts what happens in a mocha run into `results`. Hooks that fail count as failures. */
export function countResults(runner: Runner, results: SuiteResults): void {
  const group = (test: Test) => (results.groups[groupOf(test)] ??= { passed: 0, failed: 0, skipped: 0 });
  runner.on('pass', (test) => group(test).passed++);
  runner.on('pending', (test) => group(test).skipped++);
  runner.on('fail', (test, error: Partial<Error> | undefined) => {
    group(test).failed++;
    // From another process it comes as plain data.
    results.failures.push({ title: test.fullTitle(), message: error?.message ?? 'failed without a word' });
  });
}

/** A test of another process knows its titles, but not always the suite that it is in. */
function groupOf(test: Test): string {
  return test.titlePath()[0] ?? test.title;
}

/** Adds `more` to `results`, group by group. */
export function addResults(results: SuiteResults, more: SuiteResults): void {
  for (const [title, counts] of Object.entries(more.groups)) {
    const sum = (results.groups[title] ??= { passed: 0, failed: 0, skipped: 0 });
    for (const key of ['passed', 'failed', 'skipped'] as const) sum[key] += counts[key];
  }
  results.failures.push(...more.failures);
}

export function hasFailed(results: SuiteResults): boolean {
  return results.failures.length > 0;
}

/**
 * Writes the results where they are looked for, if anywhere. Call at the very end: a process that is killed halfway
 * may look successful from outside, and the missing file tells.
 */
export function writeResults(results: SuiteResults): void {
  const file = process.env[resultsVariable];
  if (file !== undefined) writeFileSync(file, JSON.stringify(results));
}
