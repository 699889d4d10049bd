import type { LifetimeFeatures } from '../../lifetimeFeatures.js';
import type { Rule } from '../../rule.js';
import type { Shape } from '../../shape.js';

export const oneTensorGrowsYet: Rule<LifetimeFeatures, Shape> = {
  name: 'oneTensorGrowsYet',
  seen: 'The same over few steps.',
  holds: (life) => life.growsFromNothing,
  verdict: 'growing',
  thresholds: ['lastingSteps'],
};
