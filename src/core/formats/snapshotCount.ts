import { LimitError } from '../bytes/limitError.js';
import { t } from '../text/translate.js';

/** Snapshots on one page or in one archive. */
export const MOST_SNAPSHOTS = 256;

/** @param name of the input that holds more than {@link MOST_SNAPSHOTS} */
export function tooManySnapshots(name: string): LimitError {
  return new LimitError(
    { kind: 'snapshots', most: MOST_SNAPSHOTS, asked: null, offset: null },
    t('{0} holds more than {1} snapshots, more than Leakline reads from one file. Split it.', name, MOST_SNAPSHOTS),
  );
}
