/**
 * The rules that verdicts follow, as tables: read from the top, the first that holds decides. docs/verdicts.md is made
 * of them.
 */
import type { LineFeatures } from './features.js';
import type { LifetimeFeatures } from './lifetimeFeatures.js';
import type { SeriesFeatures } from './seriesFeatures.js';
import type { Shape, Verdict } from './shape.js';
import { limit, type ThresholdName } from './thresholds.js';

/** One row of a table. */
export interface Rule<Features, Kind> {
  readonly name: string;
  /** What is seen, for people. */
  readonly seen: string;
  readonly holds: (features: Features) => boolean;
  readonly verdict: Kind;
  /** Confidence is less where growth was seen on fewer steps. */
  readonly weighed?: boolean;
  readonly thresholds: readonly ThresholdName[];
}

/** What lifetimes of a stack's allocations show. */
export const LIFETIME_RULES: readonly Rule<LifetimeFeatures, Shape>[] = [
  {
    name: 'survivorsKeepComing',
    seen: 'Survivors are allocated on many steps, to the end, and outlive what the stack frees; the floor rises.',
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
    seen: 'The same over few steps, or with births that become rarer.',
    holds: (life) => life.goesOn && life.isOften,
    verdict: 'growing',
    weighed: true,
    thresholds: ['lastingSteps', 'slowing'],
  },
  {
    name: 'oneTensorGrows',
    seen: 'One tensor that each step replaces by a longer one grows from nothing, in proportion to the steps.',
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
    seen: 'Memory drops to the ground again and again, where the garbage collector runs.',
    holds: (life) => life.isDropped && life.isCollected,
    verdict: 'cycle',
    thresholds: ['deepDrop', 'fewestDrops'],
  },
  {
    name: 'lineReleases',
    seen: 'Memory drops to the ground again and again, at one line.',
    holds: (life) => life.isDropped,
    verdict: 'periodic',
    thresholds: ['deepDrop', 'fewestDrops'],
  },
  {
    name: 'slides',
    seen: 'Nothing outlives what the stack frees, which lives over several steps.',
    holds: (life) => life.births.length === 0 && life.usualFreedAge > 2,
    verdict: 'plateau',
    thresholds: ['outlives'],
  },
  {
    name: 'nothingStays',
    seen: 'Nothing that was allocated after warm-up is old and alive.',
    holds: (life) => life.births.length === 0,
    verdict: 'steady',
    thresholds: ['warmUpShare', 'warmUpSteps'],
  },
  {
    name: 'oneJump',
    seen: 'Old survivors are of one step.',
    holds: (life) => life.births.length === 1,
    verdict: 'oneOff',
    thresholds: [],
  },
  {
    name: 'fewSurvivorsCome',
    seen: 'Survivors come to the end, on few steps.',
    holds: (life) => life.goesOn,
    verdict: 'growing',
    thresholds: ['allocatedShare'],
  },
  {
    name: 'stopped',
    seen: 'Survivors came, and come no more.',
    holds: () => true,
    verdict: 'plateau',
    thresholds: ['overdueGap'],
  },
];

/** What live bytes in the snapshots show, where no trace shows lifetimes. */
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
    seen: 'Live bytes fell once and are level.',
    holds: (series) => series.drops === 1 && series.calm >= limit('calmEnd'),
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
    seen: 'Live bytes rose in the first interval alone.',
    holds: (series) => series.rises.length === 0,
    verdict: 'oneOff',
    thresholds: ['snapshotsWithWarmUp'],
  },
  {
    name: 'risesSlower',
    seen: 'Live bytes rise again and again, slower and slower or without more blocks.',
    holds: (series) => series.goesOn && series.isSlowing,
    verdict: 'growing',
    thresholds: ['slowed', 'slowing', 'aboveLine', 'belowLine'],
  },
  {
    name: 'rises',
    seen: 'Live bytes rise again and again, to the last interval, and never fall.',
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
    seen: 'Live bytes rise now and then.',
    holds: () => true,
    verdict: 'growing',
    thresholds: [],
  },
];

/** What the chances of release make of a line whose growth lasts. */
export const CHANCE_RULES: readonly Rule<LineFeatures, Verdict>[] = [
  {
    name: 'provedBefore',
    seen: 'The source that ran proved a leak, and is being edited.',
    holds: (line) => line.wasProved,
    verdict: 'leak',
    thresholds: [],
  },
  {
    name: 'stateOfParameters',
    seen: 'State of an optimizer, which parameters that train for the first time explain.',
    holds: (line) => line.isStateOfParameters,
    verdict: 'growing',
    thresholds: ['mostState'],
  },
  {
    name: 'full',
    seen: 'A container with a bound holds it, and has just become full.',
    holds: (line) => line.bound?.isFull === true,
    verdict: 'plateau',
    thresholds: [],
  },
  {
    name: 'bounded',
    seen: 'A container with a bound holds it, and is not full.',
    holds: (line) => line.bound !== null,
    verdict: 'growing',
    thresholds: [],
  },
  {
    name: 'longerInputs',
    seen: 'Few blocks grow without becoming more, and the source names no holder.',
    holds: (line) => line.survivors <= limit('fewBlocks') && !line.isHolderSure,
    verdict: 'growing',
    thresholds: ['fewBlocks'],
  },
  {
    name: 'network',
    seen: 'Weights come now and then, as layers that are added to a network on purpose.',
    holds: isExtended,
    verdict: 'growing',
    thresholds: ['seldom'],
  },
  {
    name: 'pending',
    seen: 'A release is still to come.',
    holds: (line) => line.chances.some(({ state }) => state === 'pending'),
    verdict: 'growing',
    thresholds: [],
  },
  {
    name: 'passed',
    seen: 'What holds the memory is known, every release of it came, and the memory of before is still there.',
    holds: (line) => line.chances.length > 0 && line.knowledge === 'known',
    verdict: 'leak',
    thresholds: [],
  },
  {
    name: 'endless',
    seen: 'What holds the memory is known, and nothing can release it.',
    holds: (line) => line.knowledge === 'known',
    verdict: 'leak',
    thresholds: [],
  },
  {
    name: 'noHolder',
    seen: 'The source was read, and does not show what holds the memory.',
    holds: (line) => line.knowledge === 'noHolder',
    verdict: 'growing',
    thresholds: [],
  },
  {
    name: 'nothingKnown',
    seen: 'Neither the source nor the recorder is at hand.',
    holds: () => true,
    verdict: 'growing',
    thresholds: [],
  },
];

/** True of weights that come seldom, unless the source shows a container that they are put in. */
function isExtended({ category, births, survivors, lastStep, isHeldBySource }: LineFeatures): boolean {
  if (category !== 'parameters' || isHeldBySource) return false;
  return births === null
    ? survivors < (lastStep ?? Number.POSITIVE_INFINITY)
    : limit('seldom') * births.steps < births.of;
}
