import type { SeriesFeatures } from '../../seriesFeatures.js';
import type { Rule } from '../../rule.js';
import type { Shape } from '../../shape.js';

export const risesAtTimes: Rule<SeriesFeatures, Shape> = {
  name: 'risesAtTimes',
  seen: 'Live bytes rise occasionally.',
  holds: () => true,
  verdict: 'growing',
  thresholds: [],
};
