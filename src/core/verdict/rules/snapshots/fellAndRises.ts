import type { SeriesFeatures } from '../../seriesFeatures.js';
import type { Rule } from '../../rule.js';
import type { Shape } from '../../shape.js';

export const fellAndRises: Rule<SeriesFeatures, Shape> = {
  name: 'fellAndRises',
  seen: 'Live bytes fell once and are not level.',
  holds: (series) => series.drops === 1,
  verdict: 'growing',
  thresholds: ['calmEnd'],
};
