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
    assert.deepEqual(failed.peak, failed.failure?.held);
    assert.deepEqual(
      others.map(({ run }) => run.id),
      [newestFirst(steady)[0].id],
      'the newest has advice',
    );
    const withoutAdvice = steady.map((run) => ({ ...run, peaks: run.peaks.map((peak) => ({ ...peak, advice: [] })) }));
    assert.equal(peaksToShow(withoutAdvice).length, 1);
    const older = steady.map((run, i) => ({
      ...run,
      snapshots: run.snapshots.map((snapshot) => ({ ...snapshot, takenAtUs: i })),
    }));
    assert.equal(peaksToShow(older).length, 1, 'only that of the newest run');
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
    laterGrowth: { step: 40, from: 1 << 20, to: 3 << 20 },
  });

  it('is told so first', () => {
    assert.equal(
      verdictSentence(run),
      'No line leaks up to step 40. After it, live memory grows from 1.0 MiB to 3.0 MiB.',
    );
    assert.equal(verdictSentence({ ...run, laterGrowth: null }), 'Memory is steady.');
  });

  it('is one whose trace rises to its end, not one that took memory at once', () => {
    const at = (liveBytes: number, live: readonly number[] = []): Parameters<typeof laterGrowth>[1] => ({
      devices: [{ liveBytes }],
      curves: [{ event: Uint32Array.from(live.slice(1), (_, i) => i), live: Float64Array.from(live) }],
    });
    const leaking = [100, ...Array.from({ length: 40 }, (_, i) => 100 + 10 * i + (i % 2) * 90)];
    assert.deepEqual(laterGrowth(at(100), at(500, leaking)), { from: 100, to: 500 });
    const validation = [100, ...Array.from({ length: 40 }, (_, i) => 150 + (i % 4) * 90)];
    assert.equal(laterGrowth(at(100), at(150, validation)), null);
    assert.equal(laterGrowth(at(100), at(120, leaking)), null, 'little');
    assert.equal(laterGrowth(at(100), at(500)), null, 'without a trace, nothing is known');
  });
});

const raised = (peak: PeakReport): PeakReport => ({ ...peak, liveBytes: 2 ** 50 });

function heightOf({ peaks }: Awaited<ReturnType<typeof reportOf>>['runs'][number]): number {
  return Math.max(...peaks.map(({ liveBytes }) => liveBytes));
}
