import type { SeriesFeatures } from '../../seriesFeatures.js';
import type { Rule } from '../../rule.js';
import type { Shape } from '../../shape.js';

export const rises: Rule<SeriesFeatures, Shape> = {
  name: 'rises',
  seen: 'Live bytes rise repeatedly, up to the last interval, and never fall.',
  holds: (series) => series.goesOn,
  verdict: 'lasting',
  weighed: true,
  thresholds: [],
};
