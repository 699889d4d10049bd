import type { LifetimeFeatures } from '../../lifetimeFeatures.js';
import type { Rule } from '../../rule.js';
import type { Shape } from '../../shape.js';

export const fewSurvivorsCome: Rule<LifetimeFeatures, Shape> = {
  name: 'fewSurvivorsCome',
  seen: 'Survivors are allocated up to the end, on few steps.',
  holds: (life) => life.goesOn,
  verdict: 'growing',
  thresholds: ['allocatedShare'],
};
