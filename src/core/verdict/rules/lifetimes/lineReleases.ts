import type { LifetimeFeatures } from '../../lifetimeFeatures.js';
import type { Rule } from '../../rule.js';
import type { Shape } from '../../shape.js';

export const lineReleases: Rule<LifetimeFeatures, Shape> = {
  name: 'lineReleases',
  seen: 'Memory repeatedly drops to its minimum at one line.',
  holds: (life) => life.isDropped,
  verdict: 'periodic',
  thresholds: ['deepDrop', 'fewestDrops'],
};
