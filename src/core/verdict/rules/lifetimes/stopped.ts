import type { LifetimeFeatures } from '../../lifetimeFeatures.js';
import type { Rule } from '../../rule.js';
import type { Shape } from '../../shape.js';

export const stopped: Rule<LifetimeFeatures, Shape> = {
  name: 'stopped',
  seen: 'Survivors were allocated, but none lately.',
  holds: () => true,
  verdict: 'plateau',
  thresholds: ['overdueGap'],
};
