import type { SeriesFeatures } from '../../seriesFeatures.js';
import type { Rule } from '../../rule.js';
import type { Shape } from '../../shape.js';

export const level: Rule<SeriesFeatures, Shape> = {
  name: 'level',
  seen: 'Live bytes rose, and are level for longer than between any two rises.',
  holds: (series) => series.isLevel,
  verdict: 'plateau',
  thresholds: ['calmEnd'],
};
