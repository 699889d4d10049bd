import assert from 'node:assert/strict';
import { join } from 'node:path';
import { unjudgedPeaks, newestFirst } from '../../../src/extension/results/runOrder.js';
import type { PeakReport } from '../../../src/core/report/report.js';
import { FIXTURES } from '../../support/snapshots.js';
import { reportOf } from '../present/cases.js';

describe('Peaks of runs without a verdict', () => {
  it('begin with the highest, in the Leaks view and in the status bar, not with that of the newest snapshot', async () => {
    const reports = await Promise.all(
      ['categories/adam_forward.pickle.gz', 'shapes/multidevice_oom.pickle'].map((name) =>
        reportOf({ folder: FIXTURES, snapshots: [join(FIXTURES, name)], files: [] }),
      ),
    );
    const low = reports.flatMap(({ runs }) => runs).sort((a, b) => heightOf(a) - heightOf(b));
    // The lowest is the newest.
    const runs = low.map((run, i) => ({
      ...run,
      snapshots: run.snapshots.map((snapshot) => ({ ...snapshot, takenAtUs: low.length - i })),
    }));
    assert.equal(newestFirst(runs)[0], runs[0]);
    assert.deepEqual(
      unjudgedPeaks(runs).map(({ run }) => run.id),
      runs.toReversed().map(({ id }) => id),
    );
    const two = runs.map((run) => ({ ...run, snapshots: [...run.snapshots, ...run.snapshots] }));
    assert.equal(unjudgedPeaks(two.map((run) => ({ ...run, verdict: 'tooShort' as const }))).length, runs.length);
    const steady = two.map((run) => ({ ...run, verdict: 'steady' as const }));
    assert.ok(steady.length > 1 && steady.filter(({ outOfMemory }) => outOfMemory.length > 0).length === 1);
    // What ran out needs no verdict, and comes first.
    const [failed, ...others] = unjudgedPeaks(steady);
    assert.deepEqual([failed.peak, others], [failed.failure?.held, []]);
    const tall = runs.map((run) => (run.outOfMemory.length > 0 ? run : { ...run, peaks: run.peaks.map(raised) }));
    assert.ok(unjudgedPeaks(tall)[0].failure !== null);
  });
});

const raised = (peak: PeakReport): PeakReport => ({ ...peak, liveBytes: 2 ** 50 });

function heightOf({ peaks }: Awaited<ReturnType<typeof reportOf>>['runs'][number]): number {
  return Math.max(...peaks.map(({ liveBytes }) => liveBytes));
}
