import { t } from '../../../text/translate.js';
import type { LineFeatures } from '../../features.js';
import type { LineRule } from '../../rule.js';
import { limit } from '../../thresholds.js';

/** Programs extend networks on purpose. */
export const network: LineRule = {
  name: 'network',
  seen: 'Weights are added occasionally, like layers that extend a network on purpose.',
  holds: isExtended,
  verdict: 'growing',
  thresholds: ['seldom'],
  reason: () => [t('Layers added to a network on purpose look the same.')],
  fixedBy: 'trial_schedulers',
};

/** True for weights that are added seldom, unless the source shows a container for them. */
function isExtended({ category, births, survivors, lastStep, isHeldBySource }: LineFeatures): boolean {
  if (category !== 'parameters' || isHeldBySource) return false;
  return births === null
    ? survivors < (lastStep ?? Number.POSITIVE_INFINITY)
    : limit('seldom') * births.steps < births.of;
}
