import type { SeriesFeatures } from '../../seriesFeatures.js';
import type { Rule } from '../../rule.js';
import type { Shape } from '../../shape.js';
import { limit } from '../../thresholds.js';

export const fellOnce: Rule<SeriesFeatures, Shape> = {
  name: 'fellOnce',
  seen: 'Live bytes fell once, and are level or never rose.',
  holds: (series) => series.drops === 1 && (series.calm >= limit('calmEnd') || series.rises.length === 0),
  verdict: 'plateau',
  thresholds: ['calmEnd'],
};
