import type { Rule } from '../rule.js';
import type { SeriesFeatures } from '../seriesFeatures.js';
import type { Shape } from '../shape.js';
import { limit } from '../thresholds.js';

/** Shapes by the live bytes in snapshots, used if no trace shows lifetimes. */
export const SERIES_RULES: readonly Rule<SeriesFeatures, Shape>[] = [
  {
    name: 'fewSnapshots',
    seen: 'Fewer snapshots than any rule needs.',
    holds: (series) => series.snapshots < limit('minSnapshots'),
    verdict: 'tooShort',
    thresholds: ['minSnapshots'],
  },
  {
    name: 'constant',
    seen: 'Live bytes do not change.',
    holds: (series) => series.isConstant,
    verdict: 'steady',
    thresholds: [],
  },
  {
    name: 'fallsOften',
    seen: 'Live bytes fall more than once.',
    holds: (series) => series.drops > 1,
    verdict: 'periodic',
    thresholds: ['snapshotsWithWarmUp'],
  },
  {
    name: 'fellOnce',
    seen: 'Live bytes fell once, and are level or never rose.',
    holds: (series) => series.drops === 1 && (series.calm >= limit('calmEnd') || series.rises.length === 0),
    verdict: 'plateau',
    thresholds: ['calmEnd'],
  },
  {
    name: 'fellAndRises',
    seen: 'Live bytes fell once and are not level.',
    holds: (series) => series.drops === 1,
    verdict: 'growing',
    thresholds: ['calmEnd'],
  },
  {
    name: 'roseAtFirst',
    seen: 'Live bytes rose only in the first interval.',
    holds: (series) => series.rises.length === 0,
    verdict: 'oneOff',
    thresholds: ['snapshotsWithWarmUp'],
  },
  {
    name: 'risesSlower',
    seen: 'Live bytes rise repeatedly, but more slowly or without more blocks.',
    holds: (series) => series.goesOn && series.isSlowing,
    verdict: 'growing',
    thresholds: ['slowed', 'slowing', 'aboveLine', 'belowLine'],
  },
  {
    name: 'rises',
    seen: 'Live bytes rise repeatedly, up to the last interval, and never fall.',
    holds: (series) => series.goesOn,
    verdict: 'lasting',
    weighed: true,
    thresholds: [],
  },
  {
    name: 'roseOnce',
    seen: 'Live bytes rose once and are level.',
    holds: (series) => series.calm >= limit('calmEnd') && series.rises.length === 1,
    verdict: 'oneOff',
    thresholds: ['calmEnd'],
  },
  {
    name: 'level',
    seen: 'Live bytes rose, and are level for longer than between any two rises.',
    holds: (series) => series.isLevel,
    verdict: 'plateau',
    thresholds: ['calmEnd'],
  },
  {
    name: 'risesAtTimes',
    seen: 'Live bytes rise occasionally.',
    holds: () => true,
    verdict: 'growing',
    thresholds: [],
  },
];
