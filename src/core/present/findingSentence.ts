/** The sentence of a finding. */
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

/** `Leaks 35.8 MiB/step (1.3 GiB so far), held by Model.seen`. @param holder null for the answer alone */
export function findingSentence(amount: Amount, steps: StepSource | null, holder: string | null): string {
  const answer = answerText(amount, rateOf(amount.bytesPerStep, steps));
  if (holder === null) return answer;
  return amount.verdict === 'cycle' ? `${answer}: ${holder}` : t('{0}, held by {1}', answer, holder);
}

function answerText({ verdict, bytes }: Amount, rate: string | null): string {
  const amount = byteText(bytes);
  switch (verdict) {
    case 'leak':
      return rate === null ? t('Leaks {0} so far', amount) : t('Leaks {0} ({1} so far)', rate, amount);
    case 'cycle':
      return t('Reference cycle holds up to {0}', amount);
    case 'growing':
      return rate === null
        ? t('Growing, unconfirmed: {0} so far', amount)
        : t('Growing {0} ({1} so far), unconfirmed', rate, amount);
    case 'tooShort':
      if (bytes > 0) return t('Grows {0} (too few snapshots for a verdict)', amount);
      break;
    default:
  }
  return capitalized(verdictName(verdict));
}
