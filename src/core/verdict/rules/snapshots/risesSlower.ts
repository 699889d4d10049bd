import type { SeriesFeatures } from '../../seriesFeatures.js';
import type { Rule } from '../../rule.js';
import type { Shape } from '../../shape.js';

export const risesSlower: Rule<SeriesFeatures, Shape> = {
  name: 'risesSlower',
  seen: 'Live bytes rise repeatedly, but more slowly or without more blocks.',
  holds: (series) => series.goesOn && series.isSlowing,
  verdict: 'growing',
  thresholds: ['slowed', 'slowing', 'aboveLine', 'belowLine'],
};
