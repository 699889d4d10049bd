/** The sentence of a finding. Each case is a whole sentence, because other languages order the parts in their own way. */
import { perStep } from '../report/reportText.js';
import type { Finding } from '../report/findings.js';
import type { StepSource } from '../report/report.js';
import { byteText } from '../text/numberText.js';
import { t } from '../text/translate.js';
import { capitalized, verdictName } from './words.js';

export type Amount = Pick<Finding, 'verdict' | 'bytes' | 'bytesPerStep'>;

/** `35.8 MiB/step`; null without a rate. */
export function rateOf(bytesPerStep: number | null, steps: StepSource | null): string | null {
  const rate = Math.round(bytesPerStep ?? 0);
  return rate <= 0 ? null : perStep(byteText(rate), steps);
}

/** The number of a finding that matters first, for narrow places. */
export function shortAmount({ verdict, bytes, bytesPerStep }: Amount, steps: StepSource | null): string {
  return (verdict === 'cycle' ? null : rateOf(bytesPerStep, steps)) ?? byteText(bytes);
}

/** `Leaks 35.8 MiB/step (1.3 GiB so far), held by Model.seen`. @param holder null for the amount alone */
export function findingSentence(
  { verdict, bytes, bytesPerStep }: Amount,
  steps: StepSource | null,
  holder: string | null,
): string {
  const rate = rateOf(bytesPerStep, steps);
  const amount = byteText(bytes);
  switch (verdict) {
    case 'leak':
      if (rate === null)
        return holder === null ? t('Leaks {0} so far', amount) : t('Leaks {0} so far, held by {1}', amount, holder);
      return holder === null
        ? t('Leaks {0} ({1} so far)', rate, amount)
        : t('Leaks {0} ({1} so far), held by {2}', rate, amount, holder);
    case 'cycle':
      return holder === null
        ? t('Reference cycle holds up to {0}', amount)
        : t('Reference cycle holds up to {0}: {1}', amount, holder);
    case 'growing':
      if (rate === null)
        return holder === null
          ? t('Growing, unconfirmed: {0} so far', amount)
          : t('Growing, unconfirmed: {0} so far, held by {1}', amount, holder);
      return holder === null
        ? t('Growing {0} ({1} so far), unconfirmed', rate, amount)
        : t('Growing {0} ({1} so far), unconfirmed, held by {2}', rate, amount, holder);
    case 'tooShort':
      if (bytes <= 0) return capitalized(verdictName(verdict));
      return holder === null
        ? t('Grows {0}: too few snapshots for a verdict', amount)
        : t('Grows {0}, held by {1}: too few snapshots for a verdict', amount, holder);
    default:
      return capitalized(verdictName(verdict));
  }
}
