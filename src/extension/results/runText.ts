/** Names of runs, and texts on snapshots in lists. */
import { listed } from '../../core/present/presented.js';
import type { RunReport, SnapshotReport } from '../../core/report/report.js';
import { liveBytes } from '../../core/report/snapshotReport.js';
import { byteText } from '../../core/text/numberText.js';
import { t } from '../../core/text/translate.js';
import { rankCount } from '../../core/report/ranks/ranks.js';
import { distinctNames } from '../text/distinctNames.js';
import { trainedSteps } from '../../core/text/runId.js';
import { dirname } from '../../core/text/pathText.js';

/**
 * Names for runs: the folder of their snapshots, and the rank if there are several. Parent folders distinguish equal
 * names; runs of one folder are numbered.
 * @param relative makes a path shorter for users
 */
export function runNames(runs: readonly RunReport[], relative: (path: string) => string): Map<string, string> {
  const folders = runs.map((run) => dirname(run.snapshots.at(0)?.path ?? run.id));
  const ranks = rankCount(runs);
  const folderNames = distinctNames(new Set(folders), relative);
  const names = runs.map((run, i) => {
    const named = folderNames.get(folders[i]) ?? '';
    const training = named === '' ? run.id : named;
    const steps = trainedSteps(run.id);
    const folder = steps === null ? training : t('After step {0} · {1}', steps, training);
    return run.rank === null || ranks < 2 ? folder : t('{0} · rank {1}', folder, run.rank);
  });
  const seen = new Map<string, number>();
  return new Map(
    runs.map((run, i) => {
      const ordinal = (seen.get(names[i]) ?? 0) + 1;
      seen.set(names[i], ordinal);
      const isAlone = names.indexOf(names[i]) === names.lastIndexOf(names[i]);
      return [run.id, isAlone ? names[i] : t('{0} · run {1}', names[i], ordinal)];
    }),
  );
}

/** `1.2 GiB live · 1.4 GiB reserved · step 40`, over all devices. */
export function snapshotText(snapshot: SnapshotReport): string {
  const reserved = snapshot.devices.reduce((sum, { reservedBytes }) => sum + (reservedBytes ?? 0), 0);
  const isKnown = snapshot.devices.some(({ reservedBytes }) => reservedBytes !== null);
  return listed(
    t('{0} live', byteText(liveBytes(snapshot))),
    isKnown ? t('{0} reserved', byteText(reserved)) : null,
    snapshot.step === null ? null : t('step {0}', snapshot.step),
  );
}

/** Bytes per step that all leaking lines of a run lose together. */
export function leakRate(run: RunReport): number {
  return run.lines.reduce(
    (sum, line) => (line.verdict === 'leak' && !line.ignored ? sum + Math.max(0, line.bytesPerStep ?? 0) : sum),
    0,
  );
}
