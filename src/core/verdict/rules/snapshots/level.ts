import type { SeriesFeatures } from '../../seriesFeatures.js';
import type { Rule } from '../../rule.js';
import type { Shape } from '../../shape.js';
import { limit } from '../../thresholds.js';

export const level: Rule<SeriesFeatures, Shape> = {
  name: 'level',
  seen: 'Live bytes rose and are level.',
  holds: (series) => series.calm >= limit('calmEnd'),
  verdict: 'plateau',
  thresholds: ['calmEnd'],
};
