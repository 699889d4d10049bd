import assert from 'node:assert/strict';
import type { SnapshotReport } from '../../../src/core/report/report.js';
import { LineVerdicts } from '../../../src/worker/lineVerdicts.js';
import { lineReport, report, runReport } from '../extension/support/reports.js';

describe('The verdict on a line', () => {
  it('is that of its run, also for the snapshot at exit', () => {
    const snapshot = (path: string): SnapshotReport => ({
      ...{ path, format: '', bytes: 0, events: 1, step: null, takenAtUs: null },
      ...{ devices: [], warnings: [] },
    });
    const line = lineReport({ line: 3, verdict: 'leak' });
    const verdicts = new LineVerdicts();
    verdicts.take(report(runReport([line], { snapshots: [snapshot('a')], atExit: [snapshot('a_exit')] })));
    const owner = { line };
    assert.deepEqual(
      ['a', 'a_exit', 'b'].map((path) => verdicts.of(path, owner)),
      ['leak', 'leak', 'unjudged'],
    );
  });
});
