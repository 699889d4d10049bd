import type { LifetimeFeatures } from '../../lifetimeFeatures.js';
import type { Rule } from '../../rule.js';
import type { Shape } from '../../shape.js';

export const oneJump: Rule<LifetimeFeatures, Shape> = {
  name: 'oneJump',
  seen: 'All old survivors are from one step.',
  holds: (life) => life.births.length === 1,
  verdict: 'oneOff',
  thresholds: [],
};
