/**
 * Runs the `*.test.ts` files of a folder under mocha, without those of a folder in it if one is named, and leaves
 * results: `node --import tsx test/support/runMocha.ts FOLDER [WITHOUT]`.
 */
import { readdirSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { runMocha } from './mochaRun.js';
import { hasFailed } from './suiteResults.js';

// An early end lets the suite clean up: servers and temporary folders go with the process.
process.once('SIGTERM', () => process.exit(143));
process.once('SIGINT', () => process.exit(130));

const folder = resolve(process.argv.at(2) ?? '.');
const without = process.argv.at(3);
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts') && !name.includes('node_modules'))
  .filter((name) => without === undefined || !name.startsWith(without + sep))
  .sort()
  .map((name) => join(folder, name));
const results = await runMocha({
  files,
  timeoutMs: Number(process.env['LEAKLINE_TEST_TIMEOUT'] ?? 10_000),
  jobs: Number(process.env['LEAKLINE_TEST_JOBS'] ?? 1),
});
process.exit(hasFailed(results) ? 1 : 0);
