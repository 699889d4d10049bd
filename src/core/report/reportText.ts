/** Rates in words. */
import { t } from '../text/translate.js';
import type { StepSource } from './report.js';

/** A rate: an amount per step. */
export function perStep(amount: string, steps: StepSource | null): string {
  switch (steps) {
    case null:
      return amount;
    case 'annotations':
    case 'recorder':
    case 'period':
      return t('{0}/step', amount);
    case 'snapshots':
      return t('{0}/snapshot', amount);
    case 'time':
      return t('{0}/second', amount);
  }
}
