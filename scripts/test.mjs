/**
 * Everything from a fresh clone to a verdict: `npm test` for all suites, `npm test -- unit ui` for some,
 * `npm test -- unit --grep TITLE` for some of their tests. Installs and builds what the suites need. The last line is
 * the sum, alone.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureChromium, ensureDependencies, ensureVsCodeHost } from './lib/dependencies.mjs';
import { root } from './lib/paths.mjs';
import { runNode } from './lib/run.mjs';
import { foldersWithoutSuite, suites } from './lib/suites.mjs';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { grep: { type: 'string' } } });
const unknown = positionals.filter((name) => !suites.some((suite) => suite.name === name));
if (unknown.length > 0) {
  console.error(`No suite '${unknown[0]}'. Suites: ${suites.map(({ name }) => name).join(', ')}.`);
  process.exit(2);
}
const selected = suites.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
const environment = values.grep === undefined ? {} : { LEAKLINE_GREP: values.grep };
const scratch = mkdtempSync(join(tmpdir(), 'leakline-results-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));

/** How to bring about what suites need; each is done once, when the first suite asks. */
const preparations = {
  build: () => must(runNode(['scripts/build.mjs', '--production'], { cwd: root, quiet: true }), 'The build'),
  vscode: ensureVsCodeHost,
  chromium: async () => {
    environment.CHROMIUM_PATH = await ensureChromium();
  },
  vsix: () => must(runNode(['scripts/package.mjs', '--no-build'], { cwd: root, quiet: true }), 'Packaging'),
};

async function must(promise, what) {
  if ((await promise).status !== 0) throw new Error(`${what} failed.`);
}

/** Preparations by name; a failed one fails every suite that needs it, and is not tried again. */
const prepared = new Map();
function prepare(need) {
  if (!prepared.has(need)) prepared.set(need, preparations[need]());
  return prepared.get(need);
}

/** Where a suite's words go: at once to the terminal, or kept until its turn comes to be told. */
const terminal = { print: (line) => console.log(line), silent: false, yielding: false };

/** Runs one suite. Whatever goes wrong with the suite itself counts as one failure. */
async function runSuite(suite, { print, silent, yielding } = terminal) {
  print(`\n── ${suite.name} ${'─'.repeat(Math.max(0, 70 - suite.name.length))}`);
  const reason = suite.skipReason?.() ?? null;
  if (reason !== null) {
    print(`skipped: ${reason}`);
    return { passed: 0, failed: 0, skipped: 1 };
  }
  const start = Date.now();
  const resultsFile = join(scratch, `${suite.name}.json`);
  let counts;
  try {
    for (const need of suite.needs) await prepare(need);
    const env = { ...environment, LEAKLINE_RESULTS: resultsFile };
    const ended = await suite.run({ cwd: root, env, timeoutMs: suite.limitS * 1000, silent, yielding });
    if (silent && ended.output !== '') print(ended.output.trimEnd());
    counts = countsOf(suite, ended, resultsFile, print);
  } catch (error) {
    print(`${suite.name}: ${error.message}`);
    counts = { passed: 0, failed: 1, skipped: 0 };
  }
  print(`${suite.name}: ${sentence(counts)} (${((Date.now() - start) / 1000).toFixed(1)} s)`);
  return counts;
}

/** Results of suites beside the others, and what they have to say: told between two suites, so that nothing is mixed. */
const finished = [];
async function runAside(suitesAside) {
  for (const suite of suitesAside) {
    const lines = [];
    const print = (line) => lines.push(line);
    const counts = await runSuite(suite, { print, silent: true, yielding: true });
    finished.push({ counts, lines });
  }
}

function tellFinished() {
  for (const { counts, lines } of finished.splice(0)) {
    for (const line of lines) console.log(line);
    add(counts);
  }
}

/** Believes results that a suite left at its end, and nothing else: a killed extension host ends with exit code 0. */
function countsOf(suite, { status, output, timedOut }, resultsFile, print) {
  if (timedOut) print(`${suite.name}: did not end within ${suite.limitS} s`);
  if (suite.counts === null) {
    return status === 0 ? { passed: 1, failed: 0, skipped: 0 } : { passed: 0, failed: 1, skipped: 0 };
  }
  const counts = suite.counts === 'file' ? readCounts(resultsFile) : parseCounts(output);
  if (counts === null) {
    print(`${suite.name}: never reported its results (exit code ${status})`);
    return { passed: 0, failed: 1, skipped: 0 };
  }
  const empty = counts.passed + counts.failed + counts.skipped === 0;
  if (empty) print(`${suite.name}: ran no tests`);
  const unexplained = counts.failed === 0 && (status !== 0 || timedOut || (empty && values.grep === undefined));
  if (unexplained && !empty) print(`${suite.name}: all its tests passed, and yet its exit code is ${status}`);
  return { ...counts, failed: counts.failed + (unexplained ? 1 : 0) };
}

function readCounts(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null;
}

/** Reads what {@link sentence} writes, where it was written last. */
function parseCounts(output) {
  const match = [...output.matchAll(/^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?\s*$/gm)].at(-1);
  if (match === undefined) return null;
  const [, passed, failed, skipped = '0'] = match;
  return { passed: Number(passed), failed: Number(failed), skipped: Number(skipped) };
}

function sentence({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

await ensureDependencies();
// The longest preparation goes on beside the suites that do not wait for it. A failure is told by the suite that does.
if (selected.some(({ needs, skipReason }) => needs.includes('vscode') && (skipReason?.() ?? null) === null)) {
  prepare('vscode').catch(() => undefined);
}
const total = { passed: 0, failed: 0, skipped: 0 };
function add(counts) {
  for (const key of Object.keys(total)) total[key] += counts[key];
}
for (const stray of foldersWithoutSuite()) {
  console.log(`test/${stray} belongs to no suite`);
  add({ passed: 0, failed: 1, skipped: 0 });
}
// Suites with windows wait most of the time. The others use that time and yield to them; where no suite has windows,
// those that say nothing before their end go on beside the rest.
const withWindows = selected.filter((suite) => !suite.aside);
const inFront = withWindows.length > 0 ? withWindows : selected.filter(({ counts }) => counts !== null);
const aside = runAside(selected.filter((suite) => !inFront.includes(suite)));
for (const suite of inFront) {
  add(await runSuite(suite));
  tellFinished();
}
await aside;
tellFinished();
console.log('');
console.log(sentence(total));
process.exitCode = total.failed > 0 ? 1 : 0;
