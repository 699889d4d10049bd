import type { LifetimeFeatures } from '../../lifetimeFeatures.js';
import type { Rule } from '../../rule.js';
import type { Shape } from '../../shape.js';
import { limit } from '../../thresholds.js';

export const oneTensorGrows: Rule<LifetimeFeatures, Shape> = {
  name: 'oneTensorGrows',
  seen: 'One tensor, which each step replaces by a longer one, grows from zero in proportion to the steps.',
  holds: (life) => life.growsFromNothing && life.steps >= limit('lastingSteps'),
  verdict: 'lasting',
  thresholds: ['longestFlat', 'proportion', 'lastingSteps'],
};
