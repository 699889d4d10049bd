import assert from 'node:assert/strict';
import type { RunReport } from '../../../src/core/report/report.js';
import { alertFor, RunsInProgress } from '../../../src/extension/alerts/alertPolicy.js';
import { lineReport, runReport, snapshotReport } from './support/reports.js';

const leaking = (stepsToOom: number | null): RunReport =>
  runReport([lineReport()], {
    forecast: stepsToOom === null ? null : { stepsToOom, low: 1, high: stepsToOom * 2, capacityBytes: 1 },
  });

describe('An alert', () => {
  it('is given once when a leak is certain, and once more when little memory is left', () => {
    assert.equal(alertFor(leaking(null), 'leak', []), 'leak');
    assert.equal(alertFor(leaking(9000), 'leak', ['leak']), null);
    assert.equal(alertFor(leaking(499), 'leak', ['leak']), 'runningOut');
    assert.equal(alertFor(leaking(100), 'leak', ['leak', 'runningOut']), null);
    assert.equal(alertFor({ ...leaking(100), steps: 'snapshots' }, 'leak', ['leak']), null);
  });

  it('is given once where little memory is left from the start', () => {
    assert.equal(alertFor(leaking(10), 'leak', []), 'runningOut');
    assert.equal(alertFor(leaking(9000), 'leak', ['runningOut']), null);
  });

  it('is not given without a leak, nor against the setting', () => {
    for (const verdict of ['growing', 'cycle', 'tooShort', 'plateau'] as const) {
      assert.equal(alertFor({ ...leaking(3), verdict }, 'leak', []), null);
    }
    assert.equal(alertFor(leaking(3), 'off', []), null);
    assert.equal(alertFor(leaking(9000), 'runningOut', []), null);
    assert.equal(alertFor(leaking(3), 'runningOut', []), 'runningOut');
  });
});

describe('A run that goes on', () => {
  const run = (...steps: number[]): RunReport =>
    runReport([], { snapshots: steps.map((step) => snapshotReport({ path: `/s/${step}.pickle`, takenAtUs: step })) });

  it('has a snapshot that was not there when the workspace was read', () => {
    const runs = new RunsInProgress(1000);
    runs.observe([run(1)], false);
    assert.ok(!runs.goesOn(run(1, 2)), 'still reading');
    runs.observe([run(1, 2)], true);
    assert.ok(!runs.goesOn(run(1, 2)));
    assert.ok(runs.goesOn(run(1, 2, 3)));
    runs.observe([run(1, 2, 3)], true);
    assert.ok(runs.goesOn(run(1, 2, 3)), 'and goes on being one');
  });

  it('has a snapshot that was taken since, whatever else is still to be read', () => {
    const runs = new RunsInProgress(1000);
    runs.observe([run(1, 1001)], false);
    assert.ok(runs.goesOn(run(1, 1001)));
  });

  it('has one that was written over', () => {
    const runs = new RunsInProgress(1000);
    runs.observe([run(1)], true);
    const [old] = run(1).snapshots;
    assert.ok(runs.goesOn({ ...run(1), snapshots: [{ ...old, takenAtUs: 99 }] }));
  });
});
