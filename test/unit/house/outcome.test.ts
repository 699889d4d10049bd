import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterSecondTry, failed, failedTitles, outcomeOf, sumOf } from '../../../scripts/lib/outcome.mjs';

const suite = (counts: boolean) => ({
  name: 'some',
  needs: [],
  counts,
  run: () => Promise.reject(new Error('not run here')),
});
const ended = (output: string, status = 0, timedOut = false) => ({ status, output, timedOut });
const sum = (outcome: ReturnType<typeof outcomeOf>) => sumOf([outcome]);

describe('The outcome of a suite', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'leakline-outcome-'));
  });
  after(() => {
    rmSync(folder, { recursive: true });
  });
  const left = (results: object) => {
    const file = join(folder, 'results.json');
    writeFileSync(file, JSON.stringify(results));
    return file;
  };
  const good = { groups: { 'A list': { passed: 2, failed: 0, skipped: 1 } }, failures: [] };

  it('is the file written at its end, and a failure without one', () => {
    assert.deepEqual(outcomeOf(suite(true), ended(''), left(good), false), good);
    const missing = outcomeOf(suite(true), ended('2 passed, 0 failed'), join(folder, 'missing.json'), false);
    assert.deepEqual(sum(missing), { passed: 0, failed: 1, skipped: 0 });
    assert.match(missing.failures[0]?.message ?? '', /never reported/);
  });

  it('is one test, where it does not count', () => {
    assert.deepEqual(sum(outcomeOf(suite(false), ended(''), '', false)), { passed: 1, failed: 0, skipped: 0 });
    const bad = outcomeOf(suite(false), ended('line 3: no\n', 1), '', false);
    assert.deepEqual(sum(bad), { passed: 0, failed: 1, skipped: 0 });
    assert.equal(bad.failures[0]?.message, 'line 3: no');
  });

  it('is a failure beside its passed tests, by its exit code', () => {
    const outcome = outcomeOf(suite(true), ended('', 1), left(good), false);
    assert.deepEqual(sum(outcome), { passed: 2, failed: 1, skipped: 1 });
    assert.equal(failedTitles(suite(true), outcome), null);
  });

  it('is a failure where it hung or ran nothing, unless nothing was to be found', () => {
    assert.deepEqual(sum(outcomeOf(suite(true), ended('', 0, true), left(good), false)).failed, 1);
    const none = { groups: {}, failures: [] };
    assert.deepEqual(sum(outcomeOf(suite(true), ended(''), left(none), false)).failed, 1);
    assert.deepEqual(sum(outcomeOf(suite(true), ended(''), left(none), true)).failed, 0);
  });

  it('is that of the second try where something failed, and nothing is counted twice', () => {
    const counts = (passed: number, failures: number) => ({ passed, failed: failures, skipped: 0 });
    const first = {
      groups: { 'A tree (of bytes)': counts(3, 1), 'A tree': counts(5, 0), Hooks: counts(0, 1) },
      failures: [
        { title: 'A tree (of bytes) grows', message: 'no' },
        { title: 'Hooks "before all" hook', message: 'no' },
      ],
    };
    const pattern = new RegExp(failedTitles(suite(true), first) ?? '');
    assert.ok(pattern.test('A tree (of bytes) grows') && pattern.test('Hooks run'));
    assert.ok(!pattern.test('A tree grows') && !pattern.test('Not Hooks run'));
    const second = { groups: { 'A tree (of bytes)': counts(4, 0), Hooks: counts(6, 0) }, failures: [] };
    assert.deepEqual(sum(afterSecondTry(first, second, false)), counts(15, 0));
    assert.deepEqual(sum(afterSecondTry(failed(suite(true), 'hung'), first, true)), counts(8, 2));
  });
});
