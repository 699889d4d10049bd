/**
 * Runs the `*.test.ts` files of a folder under mocha, without those of a folder in it if one is named, and leaves
 * results: `node --import tsx test/support/runMocha.ts FOLDER [WITHOUT]`.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { runMocha } from './mochaRun.js';
import { hasFailed } from './suiteResults.js';

// An early end lets the suite clean up: servers and temporary folders go with the process.
process.once('SIGTERM', () => process.exit(143));
process.once('SIGINT', () => process.exit(130));

/**
 * Tests of recordings, programs and threads, and those that take samples, are half of the unit tests and nine tenths of
 * their time. A quick run leaves out the files that mention these.
 */
const SLOW =
  /\b(?:FIXTURES|CORPUS)\b|bench\/|support\/(?:cli|madeSnapshot|mortalThread|sample)\.js|child_process|worker_threads/;
const isQuick = process.env['LEAKLINE_QUICK'] === '1';

const folder = resolve(process.argv.at(2) ?? '.');
const without = process.argv.at(3);
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts') && !name.includes('node_modules'))
  .filter((name) => without === undefined || !name.startsWith(without + sep))
  .sort()
  .map((name) => join(folder, name))
  .filter((path) => !isQuick || !SLOW.test(readFileSync(path, 'utf8')));
const results = await runMocha({
  files,
  timeoutMs: Number(process.env['LEAKLINE_TEST_TIMEOUT'] ?? 10_000),
  jobs: Number(process.env['LEAKLINE_TEST_JOBS'] ?? 1),
});
process.exit(hasFailed(results) ? 1 : 0);
