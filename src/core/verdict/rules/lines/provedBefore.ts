import { t } from '../../../text/translate.js';
import type { LineRule } from '../../rule.js';

/** An unfinished fix does not change the recorded facts. */
export const provedBefore: LineRule = {
  name: 'provedBefore',
  seen: 'The source that ran proved a leak, and was edited since.',
  holds: (line) => line.wasProved,
  verdict: 'leak',
  thresholds: [],
  reason: () => [t('Proved by the source that ran, which was edited since.')],
  fixedBy: '',
};
