import { t } from '../../../text/translate.js';
import type { LineRule } from '../../rule.js';

/** Memory that nothing can release is leaked. */
export const endless: LineRule = {
  name: 'endless',
  seen: 'The holder is known, and nothing can release the memory.',
  holds: (line) => line.knowledge === 'known',
  verdict: 'leak',
  thresholds: [],
  reason: () => [t('Nothing releases it.')],
  fixedBy: 'running_total',
};
