import type { SeriesFeatures } from '../../seriesFeatures.js';
import type { Rule } from '../../rule.js';
import type { Shape } from '../../shape.js';

export const fallsOften: Rule<SeriesFeatures, Shape> = {
  name: 'fallsOften',
  seen: 'Live bytes fall more than once.',
  holds: (series) => series.drops > 1,
  verdict: 'periodic',
  thresholds: ['snapshotsWithWarmUp'],
};
