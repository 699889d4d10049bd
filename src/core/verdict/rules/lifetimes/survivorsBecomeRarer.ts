import type { LifetimeFeatures } from '../../lifetimeFeatures.js';
import type { Rule } from '../../rule.js';
import type { Shape } from '../../shape.js';

export const survivorsBecomeRarer: Rule<LifetimeFeatures, Shape> = {
  name: 'survivorsBecomeRarer',
  seen: 'The same over few steps, or with survivors that become rarer.',
  holds: (life) => life.goesOn && life.isOften,
  verdict: 'growing',
  weighed: true,
  thresholds: ['lastingSteps', 'slowing'],
};
