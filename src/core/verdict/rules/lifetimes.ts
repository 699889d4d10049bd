import { isEmptied } from '../features.js';
import type { LifetimeFeatures } from '../lifetimeFeatures.js';
import type { Rule } from '../rule.js';
import type { Shape } from '../shape.js';
import { limit } from '../thresholds.js';

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
      'manyBirths',
      'numberBytes',
      'overdueGap',
      'slowing',
    ],
  },
  {
    name: 'eachRoundAdds',
    seen: 'Blocks that survive are allocated at equal intervals up to the end, as once per epoch. The minimum rises.',
    holds: (life) => life.goesOn && life.isRegular && life.steps >= limit('lastingSteps'),
    verdict: 'lasting',
    thresholds: ['lastingSteps', 'regularBirths', 'numberBytes'],
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
    holds: (life) => life.isOne && life.growsFromNothing && life.steps >= limit('lastingSteps'),
    verdict: 'lasting',
    thresholds: ['longestFlat', 'proportion', 'lastingSteps'],
  },
  {
    name: 'oneTensorGrowsYet',
    seen: 'The same over few steps.',
    holds: (life) => life.isOne && life.growsFromNothing,
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
    name: 'queueGrows',
    seen: 'No block outlives the freed ones, which live for several steps, but the minimum rises up to the end.',
    holds: (life) => life.births.length === 0 && isEmptied(life) && life.risesToTheEnd,
    verdict: 'growing',
    thresholds: ['outlives', 'stillRising'],
  },
  {
    name: 'slides',
    seen: 'No block outlives the freed ones, which live for several steps.',
    holds: (life) => life.births.length === 0 && isEmptied(life),
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
    seen: 'Survivors are allocated up to the end, on few steps, and the minimum is higher than ever before.',
    holds: (life) => life.goesOn && life.isHighest,
    verdict: 'growing',
    thresholds: ['allocatedShare'],
  },
  {
    name: 'stopped',
    seen: 'Survivors were allocated, but none lately, or in place of others.',
    holds: () => true,
    verdict: 'plateau',
    thresholds: ['overdueGap'],
  },
];
