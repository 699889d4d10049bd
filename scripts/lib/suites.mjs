/**
 * The suites of `npm test`. A suite that counts its own tests says so at its very end, in the file that LEAKLINE_RESULTS
 * names (`test/support/suiteResults.ts`): what failed in it is run once more. One that does not count is a single test.
 *
 * @typedef {{ passed: number, failed: number, skipped: number }} Counts
 * @typedef {'build' | 'vscode' | 'chromium' | 'vsix' | 'packages'} Need what has to be in place before a suite can run
 * @typedef {object} Suite
 * @property {string} name for the command line
 * @property {Need[]} needs
 * @property {boolean} [isParallel] it looks at no window: where others do, it runs beside them, on what they leave of the
 *   processors
 * @property {() => string | null} [skipReason] why it cannot run here, null where it can
 * @property {(options: object) => Promise<{ status: number, output: string, timedOut: boolean }>} run
 * @property {boolean} [counts] it counts its own tests
 * @property {boolean} [onDemand] it runs only where it is named
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fromRoot } from './paths.mjs';
import { run, runNode } from './run.mjs';

/** Seconds after which a suite counts as hung: on a busy machine, one took ten times as long as at rest. */
export const limitS = 2400;

/** The suites of `npm test -- --quick`; of the unit tests, see `test/support/runMocha.ts`. */
export const QUICK_SUITES = ['unit', 'lint', 'typecheck'];

const desktop = process.env.LEAKLINE_DESKTOP === '1';
const mocha =
  (folder, testTimeoutMs, { without, jobs = 1 } = {}) =>
  (options) =>
    runNode(['--import', 'tsx', 'test/support/runMocha.ts', folder, ...(without === undefined ? [] : [without])], {
      ...options,
      env: {
        ...options.env,
        LEAKLINE_TEST_TIMEOUT: String(testTimeoutMs),
        LEAKLINE_TEST_JOBS: String(jobs),
      },
    });
const noHostHere = () =>
  process.platform === 'linux' && process.arch === 'x64' ? null : 'the test VS Code runs on Linux x64 only';

/**
 * Those beside the others start in this order, the longest first.
 * @type {Suite[]}
 */
export const suites = [
  {
    name: 'unit',
    needs: ['build'],
    isParallel: true,
    run: mocha('test/unit', 300_000, { jobs: availableParallelism() }),
    counts: true,
  },
  {
    name: 'recorder',
    needs: ['build'],
    isParallel: true,
    skipReason: () => {
      if (!existsSync(fromRoot('test/recorder/run.py'))) return 'test/recorder/run.py does not exist';
      const python = spawnSync('python3', ['--version']);
      return python.status === 0 ? null : 'there is no python3';
    },
    run: (options) => run('python3', ['-u', 'test/recorder/run.py'], { ...options, listen: !options.silent }),
    counts: true,
  },
  {
    name: 'package',
    needs: ['build', 'vsix', 'packages'],
    isParallel: true,
    run: mocha('test/package', 120_000),
    counts: true,
  },
  {
    name: 'lint',
    needs: [],
    isParallel: true,
    run: (options) => runNode(['scripts/lint.mjs'], options),
  },
  {
    name: 'typecheck',
    needs: [],
    isParallel: true,
    run: (options) => runNode(['scripts/typecheck.mjs'], options),
  },
  {
    // The webview alone: nothing in it waits for an editor, so every core may have a page,
    // and it goes first, while VS Code is being installed.
    name: 'page',
    needs: ['build', 'chromium'],
    run: mocha('test/ui/webview-harness', 300_000, { jobs: availableParallelism() }),
    counts: true,
  },
  {
    name: 'host',
    needs: desktop ? ['build'] : ['build', 'vscode', 'chromium'],
    skipReason: () => (desktop ? null : noHostHere()),
    run: (options) => runNode(['--import', 'tsx', 'test/host/launch.ts'], options),
    counts: true,
  },
  {
    name: 'ui',
    needs: ['build', 'vscode', 'chromium', 'vsix'],
    skipReason: noHostHere,
    run: mocha('test/ui', 300_000, { without: 'webview-harness', jobs: 2 }),
    counts: true,
  },
  {
    // Engines that only some machines have: named, or not run.
    name: 'cluster',
    needs: ['build'],
    onDemand: true,
    run: mocha('test/cluster', 300_000),
    counts: true,
  },
];

/** Test files that no suite runs would look tested and are not. */
export function foldersWithoutSuite() {
  const known = new Set(['unit', 'host', 'package', 'ui', 'cluster']);
  return readdirSync(fromRoot('test'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts') && !path.includes('node_modules'))
    .filter((path) => !known.has(path.split(/[\\/]/)[0]));
}
