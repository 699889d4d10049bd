/** Rates in words. */
import { t } from '../text/translate.js';
import type { StepSource } from './report.js';

/** True if rates are per step of the training loop. */
export function areSteps(steps: StepSource | null): boolean {
  return steps !== null && steps !== 'snapshots';
}

/** A rate: an amount per step. */
export function perStep(amount: string, steps: StepSource | null): string {
  if (steps === null) return amount;
  return steps === 'snapshots' ? t('{0}/snapshot', amount) : t('{0}/step', amount);
}
