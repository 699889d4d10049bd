/** What a test suite leaves behind to prove that it ran to its end, and how. */
import { writeFileSync } from 'node:fs';
import type { Runner } from 'mocha';

export interface SuiteResults {
  passed: number;
  failed: number;
  skipped: number;
}

/** Names the file that whoever started the suite will look for. */
export const resultsVariable = 'LEAKLINE_RESULTS';

/** Counts what happens in a mocha run into `results`. Hooks that fail count as failures. */
export function countResults(runner: Runner, results: SuiteResults): void {
  runner.on('pass', () => results.passed++);
  runner.on('fail', () => results.failed++);
  runner.on('pending', () => results.skipped++);
}

/**
 * Writes the results where they are looked for, if anywhere. Call at the very end: a process that is killed halfway
 * may look successful from outside, and the missing file tells.
 */
export function writeResults(results: SuiteResults): void {
  const file = process.env[resultsVariable];
  if (file !== undefined) writeFileSync(file, JSON.stringify(results));
}
