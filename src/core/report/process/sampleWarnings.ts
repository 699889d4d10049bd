import type { Run } from '../../runs/runs.js';
import type { SnapshotWarning } from '../../model/snapshot.js';
import type { Trend } from '../../model/trend.js';
import { say } from '../../text/say.js';
import { sampledUse, type Misfit } from './sampledUse.js';

/** Why samples of the devices say nothing of the runs beside them; none if they do for one, or there is no run. */
export function sampleWarnings(path: string, trend: Trend, runs: readonly Run[]): SnapshotWarning[] {
  const misfits = new Set<Misfit>();
  for (const { snapshots } of runs) {
    for (const { device } of snapshots[snapshots.length - 1].devices) {
      const use = sampledUse(snapshots, device, path, trend);
      if (typeof use !== 'string') return [];
      misfits.add(use);
    }
  }
  if (misfits.has('less')) {
    return [
      {
        code: 'otherDevice',
        message: say(
          'Where its times fit the snapshots beside it, less is used than PyTorch had reserved, so it says nothing of ' +
            'memory outside PyTorch: log the device that the training uses, on its machine.',
        ),
      },
    ];
  }
  if (!misfits.has('apart')) return [];
  return [
    {
      code: 'otherTimes',
      message: say(
        'Its times fit the snapshots beside it in no time zone, so it says nothing of memory outside PyTorch: ' +
          'log from the first snapshot to the last, every few seconds.',
      ),
    },
  ];
}
