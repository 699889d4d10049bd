import { SnapshotError } from '../bytes/snapshotError.js';
import { t } from '../text/translate.js';

/** Maximum number of values of all series of a log together: a quarter of a gigabyte of columns. */
const MAX_SAMPLES = 1 << 25;

/**
 * Limits the memory of a long log.
 * @param name of the input
 * @param asked amounts read so far
 * @throws SnapshotError `limit`
 */
export function checkSamples(name: string, asked: number): void {
  if (asked <= MAX_SAMPLES) return;
  throw new SnapshotError('limit', t('{0} holds more samples than Leakline reads. Split it.', name));
}
