import { LimitError } from '../bytes/limitError.js';
import { t } from '../text/translate.js';

/** Maximum number of values of all series of a log together: a quarter of a gigabyte of columns. */
const MAX_SAMPLES = 1 << 25;

/**
 * Limits the memory of a long log.
 * @param name of the input
 * @param asked amounts read so far
 * @throws LimitError `samples`
 */
export function checkSamples(name: string, asked: number): void {
  if (asked <= MAX_SAMPLES) return;
  throw new LimitError(
    { kind: 'samples', most: MAX_SAMPLES, asked, offset: null },
    t('{0} holds more samples than Leakline reads. Split it.', name),
  );
}
