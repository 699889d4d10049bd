import { SnapshotError } from '../bytes/snapshotError.js';
import { t } from '../text/translate.js';

/** Maximum number of snapshots on one page or in one archive. */
export const MAX_SNAPSHOTS = 256;

/** @param name of the input that holds more than {@link MAX_SNAPSHOTS} */
export function tooManySnapshots(name: string): SnapshotError {
  return new SnapshotError(
    'limit',
    t('{0} holds more than {1} snapshots, more than Leakline reads from one file. Split it.', name, MAX_SNAPSHOTS),
  );
}
