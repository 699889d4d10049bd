import type { SeriesFeatures } from '../../seriesFeatures.js';
import type { Rule } from '../../rule.js';
import type { Shape } from '../../shape.js';

export const constant: Rule<SeriesFeatures, Shape> = {
  name: 'constant',
  seen: 'Live bytes do not change.',
  holds: (series) => series.isConstant,
  verdict: 'steady',
  thresholds: [],
};
