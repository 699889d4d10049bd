import type { LifetimeFeatures } from '../../lifetimeFeatures.js';
import type { Rule } from '../../rule.js';
import type { Shape } from '../../shape.js';

export const nothingStays: Rule<LifetimeFeatures, Shape> = {
  name: 'nothingStays',
  seen: 'No block from after the warm-up is old and live.',
  holds: (life) => life.births.length === 0,
  verdict: 'steady',
  thresholds: ['warmUpShare', 'warmUpSteps'],
};
