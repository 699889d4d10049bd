/** A finding in words: the same sentence in the editor, on the command line and in every export. */
import { byteText } from '../text/byteText.js';
import { t } from '../text/translate.js';
import type { Finding } from './findings.js';
import { perStep } from './reportText.js';
import type { StepSource } from './report.js';

type Amount = Pick<Finding, 'verdict' | 'bytes' | 'bytesPerStep'>;

/** `35.8 MiB/step`; null without a rate. */
export function rateOf(bytesPerStep: number | null, steps: StepSource | null): string | null {
  const rate = Math.round(bytesPerStep ?? 0);
  return rate <= 0 ? null : perStep(byteText(rate), steps);
}

/** The number of a finding that matters first, for narrow places. */
export function shortAmount({ verdict, bytes, bytesPerStep }: Amount, steps: StepSource | null): string {
  return (verdict === 'cycle' ? null : rateOf(bytesPerStep, steps)) ?? byteText(bytes);
}

/** The sentence of a finding on every surface: `Leaks 35.8 MiB/step (1.3 GiB so far), held by Model.seen`. */
export function findingSentence(
  finding: Finding,
  steps: StepSource | null,
  code: (text: string) => string = (text) => text,
): string {
  const answer = amountSentence(finding, steps);
  return finding.holder === null ? answer : t('{0}, held by {1}', answer, code(finding.holder.name));
}

/** The answer: `Leaks 35.8 MiB/step (1.3 GiB so far)`. */
export function amountSentence({ verdict, bytes, bytesPerStep }: Amount, steps: StepSource | null): string {
  const rate = rateOf(bytesPerStep, steps);
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
    default:
      return t('Grows {0}: too few snapshots for a verdict', amount);
  }
}
