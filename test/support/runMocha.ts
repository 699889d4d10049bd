/** Runs the `*.test.ts` files of a folder under mocha and leaves results: `node --import tsx test/support/runMocha.ts FOLDER`. */
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { runMocha } from './mochaRun.js';

// Whoever ends the suite early lets it clean up: servers and temporary folders go with the process.
process.once('SIGTERM', () => process.exit(143));
process.once('SIGINT', () => process.exit(130));

const folder = resolve(process.argv[2] ?? '.');
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts') && !name.includes('node_modules'))
  .sort()
  .map((name) => join(folder, name));
const results = await runMocha({
  files,
  timeoutMs: Number(process.env['LEAKLINE_TEST_TIMEOUT'] ?? 10_000),
  retries: Number(process.env['LEAKLINE_TEST_RETRIES'] ?? 0),
  jobs: Number(process.env['LEAKLINE_TEST_JOBS'] ?? 1),
});
process.exit(results.failed === 0 ? 0 : 1);
