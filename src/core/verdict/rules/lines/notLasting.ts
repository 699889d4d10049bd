import { t } from '../../../text/translate.js';
import type { LineRule } from '../../rule.js';

/** Growth that is not lasting is no leak. */
export const notLasting: LineRule = {
  name: 'notLasting',
  seen: 'Any shape other than `lasting`.',
  holds: ({ shape }) => shape !== 'lasting',
  verdict: 'shape',
  thresholds: [],
  reason: ({ shape }) => (shape === 'growing' ? [t('The steps so far do not tell a buffer from a leak.')] : []),
  fixedBy: 'running_total',
};
