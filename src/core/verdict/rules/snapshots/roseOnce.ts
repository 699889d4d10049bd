import type { SeriesFeatures } from '../../seriesFeatures.js';
import type { Rule } from '../../rule.js';
import type { Shape } from '../../shape.js';
import { limit } from '../../thresholds.js';

export const roseOnce: Rule<SeriesFeatures, Shape> = {
  name: 'roseOnce',
  seen: 'Live bytes rose once and are level.',
  holds: (series) => series.calm >= limit('calmEnd') && series.rises.length === 1,
  verdict: 'oneOff',
  thresholds: ['calmEnd'],
};
