import { t } from '../../../text/translate.js';
import type { LineRule } from '../../rule.js';

/** Layers that start to train get state once. */
export const stateOfParameters: LineRule = {
  name: 'stateOfParameters',
  seen: 'State of an optimizer for parameters that train for the first time.',
  holds: (line) => line.isStateOfParameters,
  verdict: 'growing',
  thresholds: ['mostState'],
  reason: () => [t('An optimizer adds state for each parameter that trains for the first time.')],
  fixedBy: 'trial_schedulers',
};
