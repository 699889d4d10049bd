import assert from 'node:assert/strict';
import { join } from 'node:path';
import { peaksToShow, newestFirst } from '../../../src/extension/results/runOrder.js';
import type { PeakReport } from '../../../src/core/report/report.js';
import { FIXTURES } from '../../support/snapshots.js';
import { reportOf } from '../present/cases.js';
import { verdictSentence } from '../../../src/core/present/runText.js';
import { laterGrowth } from '../../../src/core/report/snapshotReport.js';
import { runReport, snapshotReport } from './support/reports.js';

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
      peaksToShow(runs).map(({ run }) => run.id),
      runs.toReversed().map(({ id }) => id),
    );
    const two = runs.map((run) => ({ ...run, snapshots: [...run.snapshots, ...run.snapshots] }));
    assert.equal(peaksToShow(two.map((run) => ({ ...run, verdict: 'tooShort' as const }))).length, runs.length);
    const steady = two.map((run) => ({ ...run, verdict: 'steady' as const }));
    assert.ok(steady.length > 1 && steady.filter(({ outOfMemory }) => outOfMemory.length > 0).length === 1);
    // What ran out needs no verdict, and comes first.
    const [failed, ...others] = peaksToShow(steady);
    assert.deepEqual([failed.peak, others], [failed.failure?.held, []]);
    const tall = runs.map((run) => (run.outOfMemory.length > 0 ? run : { ...run, peaks: run.peaks.map(raised) }));
    assert.ok(peaksToShow(tall)[0].failure !== null);
  });
});

describe('A run whose memory grows after its last step', () => {
  const devices = (liveBytes: number): ReturnType<typeof snapshotReport>['devices'] => [
    { ...snapshotReport().devices[0], liveBytes },
  ];
  const run = runReport([], {
    verdict: 'steady',
    snapshots: [1, 2, 40].map((step) => snapshotReport({ step, devices: devices(1 << 20) })),
    atExit: [snapshotReport({ step: 40, devices: devices(3 << 20) })],
  });

  it('is told so first', () => {
    assert.equal(
      verdictSentence(run),
      'No line leaks up to step 40. After it, live memory grows from 1.0 MiB to 3.0 MiB.',
    );
    const flat = { ...run, atExit: [snapshotReport({ step: 40, devices: devices(1.2 * (1 << 20)) })] };
    assert.equal(verdictSentence(flat), 'Memory is steady.');
    assert.notEqual(laterGrowth(run), null);
    assert.equal(laterGrowth({ ...run, verdict: 'tooShort' }), null, 'which says more');
  });
});

const raised = (peak: PeakReport): PeakReport => ({ ...peak, liveBytes: 2 ** 50 });

function heightOf({ peaks }: Awaited<ReturnType<typeof reportOf>>['runs'][number]): number {
  return Math.max(...peaks.map(({ liveBytes }) => liveBytes));
}
