/** Runs Leakline on the snapshots of a job: annotations in its log, a summary, files for the next steps, and the exit code. */
import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withSettingsOfBase } from './baseSettings.mjs';
import { cut } from './cut.mjs';
import { entryOf } from './entry.mjs';

/** GitHub takes a summary of 1 MiB. */
const mostBytes = 1_000_000;
const failed = 1;
const noAnswer = 2;

const { LEAKLINE, HEAD, BASE, ROOT, BUDGET, FAIL_ON, RUNNER_TEMP } = process.env;
const { GITHUB_EVENT_PATH, GITHUB_OUTPUT, GITHUB_STEP_SUMMARY } = process.env;
const folder = mkdtempSync(join(RUNNER_TEMP, 'leakline-'));
const file = (name) => join(folder, name);

let statuses = [noAnswer];
try {
  const entry = entryOf(LEAKLINE, folder);
  statuses = withSettingsOfBase(ROOT, JSON.parse(readFileSync(GITHUB_EVENT_PATH, 'utf8')), folder, () => check(entry));
} catch (error) {
  console.log(`::error title=Leakline::${error.message.replaceAll(/\s+/g, ' ')}`);
}
const status = statuses.includes(failed) ? failed : Math.max(...statuses);
const result = ['passed', 'failed'][status] ?? 'none';
const answer = { passed: 'passed', failed: 'failed', none: 'no result. The log has the reason' }[result];
const parts = ['compare.md', 'head.md']
  .map(file)
  .filter(existsSync)
  .map((path) => readFileSync(path, 'utf8'));
const markdown = [`**Leakline: ${answer}.**\n`, ...parts].join('\n');
writeFileSync(file('leakline.md'), markdown);
appendFileSync(GITHUB_STEP_SUMMARY, cut(markdown, mostBytes));
const sarif = existsSync(file('leakline.sarif')) ? file('leakline.sarif') : '';
appendFileSync(GITHUB_OUTPUT, `status=${status}\nresult=${result}\nmarkdown=${file('leakline.md')}\nsarif=${sarif}\n`);

/** Writes the reports. @returns the exit codes that decide */
function check(entry) {
  /** @returns its exit code; it complains once, however many formats are requested */
  const leakline = (args, complains) => {
    const stdio = ['ignore', 'inherit', complains ? 'inherit' : 'ignore'];
    return spawnSync(process.execPath, [entry, ...args], { stdio }).status ?? noAnswer;
  };
  const root = ['--root', ROOT];
  const budget = BUDGET === '' ? [] : [`--budget=${BUDGET}`];
  const failOn = (what) => [`--fail-on=${what}`];
  const analyze = ['analyze', ...root, ...budget, '--cache', file('digests')];
  // With a base, the comparison judges the lines; memory that ran out fails in any case.
  const verdicts = BASE === '' ? FAIL_ON || 'leak' : 'oom';
  const codes = [leakline([...analyze, '--github', ...failOn(verdicts), '--', HEAD], true)];
  leakline([...analyze, '--sarif', '--out', file('leakline.sarif'), '--', HEAD], false);
  leakline([...analyze, '--markdown', '--out', file('head.md'), '--', HEAD], false);
  if (BASE === '') return codes;
  const compare = ['compare', ...root, '--markdown', '--out', file('compare.md'), ...failOn(FAIL_ON || 'worse')];
  return [...codes, leakline([...compare, '--', BASE, HEAD], true)];
}
