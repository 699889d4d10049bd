/** Rates in words. */
import { t } from '../text/translate.js';
import type { StepSource } from './report.js';

/** A rate: an amount per step. */
export function perStep(amount: string, steps: StepSource | null): string {
  if (steps === null) return amount;
  return steps === 'snapshots' ? t('{0}/snapshot', amount) : t('{0}/step', amount);
}
