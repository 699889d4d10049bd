/**
 * The rules of verdicts, as tables. The first rule that holds decides. `npm run verdicts` writes docs/verdicts.md from them.
 */
import type { LineFeatures } from './features.js';
import type { LifetimeFeatures } from './lifetimeFeatures.js';
import type { SeriesFeatures } from './seriesFeatures.js';
import type { Shape, Verdict } from './shape.js';
import { limit, type ThresholdName } from './thresholds.js';

/** One row of a table. */
export interface Rule<Features, Kind> {
  readonly name: string;
  /** The observation, for docs/verdicts.md. */
  readonly seen: string;
  readonly holds: (features: Features) => boolean;
  readonly verdict: Kind;
  /** True if growth over fewer steps lowers the confidence. */
  readonly weighed?: boolean;
  readonly thresholds: readonly ThresholdName[];
}

/** Shapes by the lifetimes of a stack's allocations. */
export const LIFETIME_RULES: readonly Rule<LifetimeFeatures, Shape>[] = [
  {
    name: 'survivorsKeepComing',
    seen: 'Blocks that survive are allocated on many steps up to the end, and outlive the freed ones. The minimum rises.',
    holds: (life) => life.goesOn && life.isOften && life.steps >= limit('lastingSteps') && !life.isSlowing,
    verdict: 'lasting',
    weighed: true,
    thresholds: [
      'lastingSteps',
      'warmUpShare',
      'warmUpSteps',
      'outlives',
      'allocatedShare',
      'allocatedSteps',
      'overdueGap',
      'slowing',
    ],
  },
  {
    name: 'survivorsBecomeRarer',
    seen: 'The same over few steps, or with survivors that become rarer.',
    holds: (life) => life.goesOn && life.isOften,
    verdict: 'growing',
    weighed: true,
    thresholds: ['lastingSteps', 'slowing'],
  },
  {
    name: 'oneTensorGrows',
    seen: 'One tensor, which each step replaces by a longer one, grows from zero in proportion to the steps.',
    holds: (life) => life.growsFromNothing && life.steps >= limit('lastingSteps'),
    verdict: 'lasting',
    thresholds: ['longestFlat', 'proportion', 'lastingSteps'],
  },
  {
    name: 'oneTensorGrowsYet',
    seen: 'The same over few steps.',
    holds: (life) => life.growsFromNothing,
    verdict: 'growing',
    thresholds: ['lastingSteps'],
  },
  {
    name: 'collectorFrees',
    seen: 'Memory repeatedly drops to its minimum when the garbage collector runs.',
    holds: (life) => life.isDropped && life.isCollected,
    verdict: 'cycle',
    thresholds: ['deepDrop', 'fewestDrops'],
  },
  {
    name: 'lineReleases',
    seen: 'Memory repeatedly drops to its minimum at one line.',
    holds: (life) => life.isDropped,
    verdict: 'periodic',
    thresholds: ['deepDrop', 'fewestDrops'],
  },
  {
    name: 'slides',
    seen: 'No block outlives the freed ones, which live for several steps.',
    holds: (life) => life.births.length === 0 && life.usualFreedAge > 2,
    verdict: 'plateau',
    thresholds: ['outlives'],
  },
  {
    name: 'nothingStays',
    seen: 'No block from after the warm-up is old and live.',
    holds: (life) => life.births.length === 0,
    verdict: 'steady',
    thresholds: ['warmUpShare', 'warmUpSteps'],
  },
  {
    name: 'oneJump',
    seen: 'All old survivors are from one step.',
    holds: (life) => life.births.length === 1,
    verdict: 'oneOff',
    thresholds: [],
  },
  {
    name: 'fewSurvivorsCome',
    seen: 'Survivors are allocated up to the end, on few steps.',
    holds: (life) => life.goesOn,
    verdict: 'growing',
    thresholds: ['allocatedShare'],
  },
  {
    name: 'stopped',
    seen: 'Survivors were allocated, but none lately.',
    holds: () => true,
    verdict: 'plateau',
    thresholds: ['overdueGap'],
  },
];

/** Shapes by the live bytes in snapshots, used if no trace shows lifetimes. */
export const SERIES_RULES: readonly Rule<SeriesFeatures, Shape>[] = [
  {
    name: 'fewSnapshots',
    seen: 'Fewer snapshots than any rule needs.',
    holds: (series) => series.snapshots < limit('fewestSnapshots'),
    verdict: 'tooShort',
    thresholds: ['fewestSnapshots'],
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
    seen: 'Live bytes rose and are level.',
    holds: (series) => series.calm >= limit('calmEnd'),
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

/** The verdict of a line with lasting growth, by the chances of release. */
export const CHANCE_RULES: readonly Rule<LineFeatures, Verdict>[] = [
  {
    name: 'provedBefore',
    seen: 'The source that ran proved a leak, and was edited since.',
    holds: (line) => line.wasProved,
    verdict: 'leak',
    thresholds: [],
  },
  {
    name: 'stateOfParameters',
    seen: 'State of an optimizer for parameters that train for the first time.',
    holds: (line) => line.isStateOfParameters,
    verdict: 'growing',
    thresholds: ['mostState'],
  },
  {
    name: 'full',
    seen: 'A container with a bound holds the memory, and has just become full.',
    holds: (line) => line.bound?.isFull === true,
    verdict: 'plateau',
    thresholds: [],
  },
  {
    name: 'bounded',
    seen: 'A container with a bound holds the memory, and is not full.',
    holds: (line) => line.bound !== null,
    verdict: 'growing',
    thresholds: [],
  },
  {
    name: 'longerInputs',
    seen: 'Few blocks grow in size but not in number, and the source names no holder.',
    holds: (line) => line.survivors <= limit('fewBlocks') && !line.isHolderSure,
    verdict: 'growing',
    thresholds: ['fewBlocks'],
  },
  {
    name: 'network',
    seen: 'Weights are added occasionally, like layers that extend a network on purpose.',
    holds: isExtended,
    verdict: 'growing',
    thresholds: ['seldom'],
  },
  {
    name: 'pending',
    seen: 'A known release has not run yet.',
    holds: (line) => line.chances.some(({ state }) => state === 'pending'),
    verdict: 'growing',
    thresholds: [],
  },
  {
    name: 'passed',
    seen: 'The holder is known, every known release ran, and the older memory is still live.',
    holds: (line) => line.chances.length > 0 && line.knowledge === 'known',
    verdict: 'leak',
    thresholds: [],
  },
  {
    name: 'endless',
    seen: 'The holder is known, and nothing can release the memory.',
    holds: (line) => line.knowledge === 'known',
    verdict: 'leak',
    thresholds: [],
  },
  {
    name: 'noHolder',
    seen: 'The source was read, but does not show the holder.',
    holds: (line) => line.knowledge === 'noHolder',
    verdict: 'growing',
    thresholds: [],
  },
  {
    name: 'nothingKnown',
    seen: 'Neither source nor recorder is available.',
    holds: () => true,
    verdict: 'growing',
    thresholds: [],
  },
];

/** True for weights that are added seldom, unless the source shows a container for them. */
function isExtended({ category, births, survivors, lastStep, isHeldBySource }: LineFeatures): boolean {
  if (category !== 'parameters' || isHeldBySource) return false;
  return births === null
    ? survivors < (lastStep ?? Number.POSITIVE_INFINITY)
    : limit('seldom') * births.steps < births.of;
}
