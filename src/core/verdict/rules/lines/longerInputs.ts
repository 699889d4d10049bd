import { t } from '../../../text/translate.js';
import type { LineRule } from '../../rule.js';
import { limit } from '../../thresholds.js';

/** Inputs that become longer need more memory. */
export const longerInputs: LineRule = {
  name: 'longerInputs',
  seen: 'Few blocks grow in size but not in number, and the source names no holder.',
  holds: (line) => line.survivors <= limit('fewBlocks') && !line.isHolderSure,
  verdict: 'growing',
  thresholds: ['fewBlocks'],
  reason: () => [t('Inputs that become longer look the same.')],
  fixedBy: 'grown_scores',
};
