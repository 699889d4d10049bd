/**
 * What came of a suite, group by group, so that a failed group can be run again alone.
 *
 * @typedef {import('./suites.mjs').Counts} Counts
 * @typedef {{ title: string, message: string }} Failure
 * @typedef {object} Outcome
 * @property {Record<string, Counts>} groups by title of the outermost `describe`; what concerns the suite as a whole
 *   has the suite's own name
 * @property {Failure[]} failures
 */
import { existsSync, readFileSync } from 'node:fs';
import { limitS } from './suites.mjs';

/** Letters of a failure that are told again at the end of everything. */
const messageLimit = 1500;

/**
 * Believes results that a suite left at its end, and nothing else: a killed extension host ends with exit code 0.
 * @param {import('./suites.mjs').Suite} suite
 * @param {{ status: number, output: string, timedOut: boolean }} ended
 * @param {string} resultsFile
 * @param {boolean} mayBeEmpty true where only tests with a certain title were requested
 * @returns {Outcome}
 */
export function outcomeOf(suite, { status, output, timedOut }, resultsFile, mayBeEmpty) {
  if (timedOut) return failed(suite, `did not end within ${limitS} s`);
  if (!suite.counts) {
    if (status === 0) return passed(suite, { passed: 1, failed: 0, skipped: 0 });
    return failed(suite, endOf(output) || `exit code ${status}`);
  }
  const outcome = readResults(resultsFile);
  if (outcome === null) return failed(suite, `never reported its results (exit code ${status})`);
  const { passed: good, failed: bad, skipped } = sumOf([outcome]);
  if (good + bad + skipped === 0) return mayBeEmpty && status === 0 ? outcome : failed(suite, 'ran no tests');
  if (bad === 0 && status !== 0) {
    const complaint = failed(suite, `all its tests passed, and yet its exit code is ${status}`);
    return { groups: { ...outcome.groups, ...complaint.groups }, failures: complaint.failures };
  }
  return outcome;
}

/** @returns {Outcome} of a suite that is one failure */
export function failed(suite, message) {
  return {
    groups: { [suite.name]: { passed: 0, failed: 1, skipped: 0 } },
    failures: [{ title: suite.name, message }],
  };
}

/** @returns {Outcome} of a suite whose tests are not distinguished */
export function passed(suite, counts) {
  return { groups: { [suite.name]: counts }, failures: [] };
}

function readResults(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null;
}

/** Which tests have to be run once more: a pattern for their titles, null for the whole suite. */
export function failedTitles(suite, { groups }) {
  const titles = Object.keys(groups).filter((title) => groups[title].failed > 0);
  if (titles.includes(suite.name)) return null;
  return `^(?:${titles.map((title) => title.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|')}) `;
}

/**
 * The outcome after what failed was run once more.
 * @param {Outcome} first
 * @param {Outcome} second
 * @param {boolean} whole true if everything was run once more
 * @returns {Outcome}
 */
export function afterSecondTry(first, second, whole) {
  return { groups: whole ? second.groups : { ...first.groups, ...second.groups }, failures: second.failures };
}

/** @param {Outcome[]} outcomes */
export function sumOf(outcomes) {
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const counts of outcomes.flatMap(({ groups }) => Object.values(groups))) {
    for (const key of Object.keys(total)) total[key] += counts[key];
  }
  return total;
}

export function sentence({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/** The end says most, and a long message hides the others. */
export function endOf(text) {
  const trimmed = text.trim();
  return trimmed.length <= messageLimit ? trimmed : `… ${trimmed.slice(-messageLimit)}`;
}
