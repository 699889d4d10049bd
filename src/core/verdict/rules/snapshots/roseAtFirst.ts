import type { SeriesFeatures } from '../../seriesFeatures.js';
import type { Rule } from '../../rule.js';
import type { Shape } from '../../shape.js';

export const roseAtFirst: Rule<SeriesFeatures, Shape> = {
  name: 'roseAtFirst',
  seen: 'Live bytes rose only in the first interval.',
  holds: (series) => series.rises.length === 0,
  verdict: 'oneOff',
  thresholds: ['snapshotsWithWarmUp'],
};
