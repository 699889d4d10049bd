import type { LifetimeFeatures } from '../../lifetimeFeatures.js';
import type { Rule } from '../../rule.js';
import type { Shape } from '../../shape.js';
import { limit } from '../../thresholds.js';

export const survivorsKeepComing: Rule<LifetimeFeatures, Shape> = {
  name: 'survivorsKeepComing',
  seen: 'Blocks that survive are allocated on many steps up to the end, and outlive the freed ones. The minimum rises.',
  holds: (life) => life.goesOn && life.isOften && life.steps >= limit('lastingSteps') && !life.isSlowing,
  verdict: 'lasting',
  weighed: true,
  thresholds: [
    'lastingSteps',
    'warmUpShare',
    'warmUpSteps',
    'outlives',
    'allocatedShare',
    'allocatedSteps',
    'overdueGap',
    'slowing',
  ],
};
