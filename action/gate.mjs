/** Runs Leakline on the snapshots of a job: annotations in its log, a summary, files for the next steps, and the exit code. */
import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cut } from './cut.mjs';

/** GitHub takes a summary of 1 MiB. */
const mostBytes = 1_000_000;

const { HEAD, BASE, ROOT, BUDGET, FAIL_ON, COMMAND, RUNNER_TEMP, GITHUB_OUTPUT, GITHUB_STEP_SUMMARY } = process.env;
const folder = mkdtempSync(join(RUNNER_TEMP, 'leakline-'));
const [program, ...first] = COMMAND.split(' ');

/** @returns its exit code; it complains once, however many formats are requested */
function leakline(args, complains) {
  const stdio = ['ignore', 'inherit', complains ? 'inherit' : 'ignore'];
  const { status, error } = spawnSync(program, [...first, ...args], { stdio });
  if (error !== undefined) throw error;
  return status ?? 2;
}

const root = ['--root', ROOT];
const budget = BUDGET === '' ? [] : [`--budget=${BUDGET}`];
const failOn = (answer) => [`--fail-on=${FAIL_ON === '' ? answer : FAIL_ON}`];
const analyze = ['analyze', ...root, ...budget, '--cache', join(folder, 'digests')];
const file = (name) => join(folder, name);

const statuses = [leakline([...analyze, '--github', ...(BASE === '' ? failOn('leak') : []), '--', HEAD], true)];
leakline([...analyze, '--sarif', '--out', file('leakline.sarif'), '--', HEAD], false);
leakline([...analyze, '--markdown', '--out', file('head.md'), '--', HEAD], false);
if (BASE !== '') {
  const compare = ['compare', ...root, '--markdown', '--out', file('compare.md'), ...failOn('worse')];
  statuses.push(leakline([...compare, '--', BASE, HEAD], true));
}

const status = statuses.includes(1) ? 1 : Math.max(...statuses);
const parts = ['compare.md', 'head.md']
  .map(file)
  .filter(existsSync)
  .map((path) => readFileSync(path, 'utf8'));
const answer = ['Leakline: passed.', 'Leakline: failed.', 'Leakline: no result. The log has the reason.'][status];
const markdown = [`**${answer ?? 'Leakline: failed.'}**\n`, ...parts].join('\n');
writeFileSync(file('leakline.md'), markdown);
appendFileSync(GITHUB_STEP_SUMMARY, cut(markdown, mostBytes));
const sarif = existsSync(file('leakline.sarif')) ? file('leakline.sarif') : '';
appendFileSync(GITHUB_OUTPUT, `status=${status}\nmarkdown=${file('leakline.md')}\nsarif=${sarif}\n`);
