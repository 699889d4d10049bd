import type { LifetimeFeatures } from '../../lifetimeFeatures.js';
import type { Rule } from '../../rule.js';
import type { Shape } from '../../shape.js';

export const slides: Rule<LifetimeFeatures, Shape> = {
  name: 'slides',
  seen: 'No block outlives the freed ones, which live for several steps.',
  holds: (life) => life.births.length === 0 && life.usualFreedAge > 2,
  verdict: 'plateau',
  thresholds: ['outlives'],
};
