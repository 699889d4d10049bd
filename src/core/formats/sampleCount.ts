import { LimitError } from '../bytes/limitError.js';
import { t } from '../text/translate.js';

/** Amounts of all series of a log together: a quarter of a gigabyte of columns. */
const MOST_SAMPLES = 1 << 25;

/**
 * Bounds what a log of any length takes.
 * @param name of the input
 * @param asked amounts that it has until now
 * @throws LimitError `samples`
 */
export function checkSamples(name: string, asked: number): void {
  if (asked <= MOST_SAMPLES) return;
  throw new LimitError(
    { kind: 'samples', most: MOST_SAMPLES, asked, offset: null },
    t('{0} holds more samples than Leakline reads. Split it.', name),
  );
}
