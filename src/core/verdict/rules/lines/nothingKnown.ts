import { t } from '../../../text/translate.js';
import { missingText } from '../../custodyTexts.js';
import type { LineRule } from '../../rule.js';

/** Memory alone does not distinguish a buffer from a leak. */
export const nothingKnown: LineRule = {
  name: 'nothingKnown',
  seen: 'Neither source nor recorder is available.',
  holds: () => true,
  verdict: 'growing',
  thresholds: [],
  reason: ({ custody }) => [
    missingText(custody) ?? t('To find out whether it is a leak, record with Leakline or open the source.'),
  ],
  fixedBy: 'running_total',
};
