import type { SeriesFeatures } from '../../seriesFeatures.js';
import type { Rule } from '../../rule.js';
import type { Shape } from '../../shape.js';
import { limit } from '../../thresholds.js';

export const fewSnapshots: Rule<SeriesFeatures, Shape> = {
  name: 'fewSnapshots',
  seen: 'Fewer snapshots than any rule needs.',
  holds: (series) => series.snapshots < limit('fewestSnapshots'),
  verdict: 'tooShort',
  thresholds: ['fewestSnapshots'],
};
