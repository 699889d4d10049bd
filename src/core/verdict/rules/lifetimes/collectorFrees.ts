import type { LifetimeFeatures } from '../../lifetimeFeatures.js';
import type { Rule } from '../../rule.js';
import type { Shape } from '../../shape.js';

export const collectorFrees: Rule<LifetimeFeatures, Shape> = {
  name: 'collectorFrees',
  seen: 'Memory repeatedly drops to its minimum when the garbage collector runs.',
  holds: (life) => life.isDropped && life.isCollected,
  verdict: 'cycle',
  thresholds: ['deepDrop', 'fewestDrops'],
};
