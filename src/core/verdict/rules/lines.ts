import type { Category } from '../../attribution/categories/category.js';
import type { Chance } from '../../facts/evidence.js';
import { t } from '../../text/translate.js';
import { boundTexts } from '../boundTexts.js';
import { isForgotten } from '../custody.js';
import { missingText, retainedTexts } from '../custodyTexts.js';
import type { LineFeatures } from '../features.js';
import { garbageText, passedTexts, pendingTexts } from '../reasonTexts.js';
import type { LineRule } from '../rule.js';
import type { Shape } from '../shape.js';
import { limit } from '../thresholds.js';

/** The verdict of a line. Those before `minorGrowth` are about cycles, those after `notLasting` about lasting growth. */
export const LINE_RULES: readonly LineRule[] = [
  /** The frees of the collector look like a list that is cleared. */
  {
    name: 'collectorFreesIt',
    seen: 'Memory drops repeatedly, and the recorder or the cycle detector found a reference cycle that holds it.',
    holds: ({ shape, isInCycle, isMinorGarbage }) => shape === 'periodic' && isInCycle && !isMinorGarbage,
    verdict: 'cycle',
    thresholds: ['garbageSteps'],
    reason: () => [],
    fixedBy: 'ctx_output',
  },
  /** Garbage that is little, or waits for a few steps only, needs no change. */
  {
    name: 'minorGarbage',
    seen: 'A reference cycle holds little memory, or is collected within a few steps.',
    holds: ({ shape, isMinorGarbage }) => shape === 'cycle' && isMinorGarbage,
    verdict: 'periodic',
    thresholds: ['garbageSteps', 'garbageShare'],
    reason: () => [],
    fixedBy: 'prompt_collections',
  },
  /** One collection in a run, or none yet, makes any shape of growth. */
  {
    name: 'garbageWaits',
    seen: 'The recorder saw garbage of many steps in a reference cycle.',
    holds: ({ shape, isAccumulating }) => isAccumulating && UNCOLLECTED.has(shape),
    verdict: 'cycle',
    thresholds: ['garbageSteps'],
    reason: () => [garbageText()],
    fixedBy: 'ctx_output',
  },
  /** A temporary tensor that is live in the last snapshot looks the same. */
  {
    name: 'minorGrowth',
    seen: 'Very little memory grows, and not in a lasting way.',
    holds: ({ shape, isMinorGrowth }) => shape === 'growing' && isMinorGrowth,
    verdict: 'steady',
    thresholds: ['minorGrowth'],
    reason: () => [],
    fixedBy: 'retry_smaller',
  },
  /** A leak grows until the run ends, so growth of any other shape is not reported as one. */
  {
    name: 'notLasting',
    seen: 'Any shape other than `lasting`.',
    holds: ({ shape }) => shape !== 'lasting',
    verdict: 'shape',
    thresholds: [],
    reason: ({ shape }) => (shape === 'growing' ? [t('The steps so far do not tell a buffer from a leak.')] : []),
    fixedBy: 'running_total',
  },
  /** An unfinished fix does not change the recorded facts. */
  {
    name: 'provedBefore',
    seen: 'The source that ran proved a leak, and was edited since.',
    holds: (line) => line.wasProved,
    verdict: 'leak',
    thresholds: [],
    reason: () => [t('Proved by the source that ran, which was edited since.')],
    fixedBy: '',
  },
  /** Layers that start to train get state once. */
  {
    name: 'stateOfParameters',
    seen: 'State of an optimizer for parameters that train for the first time.',
    holds: (line) => line.isStateOfParameters && !isUnintended(line),
    verdict: 'growing',
    thresholds: ['mostState'],
    reason: () => [t('An optimizer adds state for each parameter that trains for the first time.')],
    isNeeded: true,
    fixedBy: 'trial_schedulers',
  },
  /** A full container does not grow on. */
  {
    name: 'full',
    seen: 'A container with a bound holds the memory, and has just become full.',
    holds: (line) => line.bound?.isFull === true,
    verdict: 'plateau',
    thresholds: [],
    reason: ({ bound }, room) => boundTexts(bound, room),
    isBound: true,
    fixedBy: '',
  },
  /** A container with a bound stops at it. */
  {
    name: 'bounded',
    seen: 'A container with a bound holds the memory, and is not full.',
    holds: (line) => line.bound !== null,
    verdict: 'growing',
    thresholds: [],
    reason: ({ bound }, room) => boundTexts(bound, room),
    isBound: true,
    fixedBy: 'filling_replay',
  },
  /** Inputs that become longer need more memory. */
  {
    name: 'longerInputs',
    seen: 'Few blocks grow in size but not in number, and the source names no holder.',
    holds: (line) => line.survivors <= limit('fewBlocks') && !line.isHolderSure,
    verdict: 'growing',
    thresholds: ['fewBlocks'],
    reason: () => [t('Inputs that become longer look the same.')],
    fixedBy: 'grown_scores',
  },
  /** Programs extend networks on purpose. */
  {
    name: 'network',
    seen: 'Weights are added occasionally, like layers that extend a network on purpose, to no list whose uses the source shows.',
    holds: isExtended,
    verdict: 'growing',
    thresholds: ['seldom'],
    reason: () => [t('Layers added to a network on purpose look the same.')],
    fixedBy: 'trial_schedulers',
  },
  /** What once per epoch adds to may be what the program works with, or its result: only the source says how it is used. */
  {
    name: 'addedSeldom',
    seen: 'Few steps add to it, and the recorder and the source do not show together that nothing uses it.',
    holds: (line) => line.isAddedSeldom && !line.isThroughGraph && !isUnintended(line) && !isShown(line),
    verdict: 'growing',
    thresholds: ['allocatedShare'],
    reason: (line) => {
      const pending = pendingTexts(line.chances);
      const unknown = missingText(line) ?? t('Few steps add to it, so the program may work with it.');
      return pending.length > 0 ? pending : [unknown];
    },
    fixedBy: 'task_anchors',
  },
  /** The process itself shows a leak: see `custodyOf`. */
  {
    name: 'retained',
    seen: 'The recorder saw that the holder freed nothing while each release had its chance.',
    holds: (line) => line.custody?.isRetained === true && line.chances.every(isOver),
    verdict: 'leak',
    thresholds: ['custodySearches', 'lastingSteps', 'loopRounds', 'oneLoopSteps', 'newKeys'],
    reason: ({ custody }) => (custody?.isRetained === true ? retainedTexts(custody) : []),
    fixedBy: 'running_total',
  },
  /** A release that has not run yet excuses growth, however many steps it takes. */
  {
    name: 'pending',
    seen: 'A known release has not run yet.',
    holds: (line) => line.chances.some(({ state }) => state === 'pending'),
    verdict: 'growing',
    thresholds: [],
    reason: ({ chances }) => pendingTexts(chances),
    fixedBy: 'first_epoch',
  },
  /** A release that ran and freed nothing excuses nothing. */
  {
    name: 'passed',
    seen: 'The holder is known, every known release ran, and the older memory is still live.',
    holds: (line) => line.chances.length > 0 && line.knowledge === 'known',
    verdict: 'leak',
    thresholds: [],
    reason: ({ chances }) => passedTexts(chances),
    fixedBy: 'endless_epochs',
  },
  /** Memory that nothing can release is leaked. */
  {
    name: 'endless',
    seen: 'The holder is known, and nothing can release the memory.',
    holds: (line) => line.knowledge === 'known',
    verdict: 'leak',
    thresholds: [],
    reason: (line) => [line.isEmptied ? t('It is filled faster than it is emptied.') : t('Nothing releases it.')],
    fixedBy: 'running_total',
  },
  /** Garbage is not retained; the collector has only not run. */
  {
    name: 'garbageGrows',
    seen: 'A reference cycle holds the memory, and the collector has not run twice since.',
    holds: (line) => line.isAccumulating,
    verdict: 'cycle',
    thresholds: ['garbageSteps'],
    reason: () => [garbageText()],
    fixedBy: 'fast_weights',
  },
  /** What holds the memory decides, so nothing is decided without it. */
  {
    name: 'noHolder',
    seen: 'The source was read, but does not show the holder.',
    holds: (line) => line.knowledge === 'noHolder',
    verdict: 'growing',
    thresholds: [],
    reason: (line) => [missingText(line) ?? t('The source does not show what holds it.')],
    fixedBy: 'tee_loader',
  },
  /** Memory alone does not distinguish a buffer from a leak. */
  {
    name: 'nothingKnown',
    seen: 'Neither source nor recorder is available.',
    holds: () => true,
    verdict: 'growing',
    thresholds: [],
    reason: (line) => [
      missingText(line) ?? t('To find out whether it is a leak, record with Leakline or open the source.'),
    ],
    fixedBy: 'running_total',
  },
];

/** Shapes of memory that a collection has freed once, or not yet. */
const UNCOLLECTED: ReadonlySet<Shape> = new Set(['growing', 'plateau', 'oneOff', 'tooShort']);

/** True for what no program keeps on purpose: in a container with an uncalled release, a traceback, or repeated hooks. */
function isUnintended({ custody, through }: LineFeatures): boolean {
  return isForgotten(custody) || through === 'traceback' || through === 'hook';
}

/** An added layer has both. */
const OF_WEIGHTS: ReadonlySet<Category> = new Set(['parameters', 'gradients']);

/**
 * True for weights that are added seldom, and for their gradients, unless the process shows a traceback, a forgotten
 * release, or that they stay in a container of which the source shows the uses. In a container of the source, they must be
 * as rare as the models of folds.
 */
function isExtended(line: LineFeatures): boolean {
  const { category, births, survivors, lastStep, isHeldBySource, custody, knowledge } = line;
  if (!OF_WEIGHTS.has(category) || isUnintended(line)) return false;
  if (custody?.isRetained === true && custody.isOutsideNetworks && knowledge === 'known') return false;
  if (isHeldBySource) return births !== null && births.steps < limit('allocatedShare') * births.of;
  return births === null
    ? survivors < (lastStep ?? Number.POSITIVE_INFINITY)
    : limit('seldom') * births.steps < births.of;
}

/** True if the recorder saw that it stays, and the source what uses it, or a method that would release it is in vain. */
function isShown({ custody, knowledge }: LineFeatures): boolean {
  if (custody?.isRetained !== true) return false;
  return custody.by !== 'chances' || custody.missed !== null || knowledge === 'known';
}

/** True for a chance that excuses nothing: loops, releases and keys are part of what custody examines. */
function isOver({ kind, state }: Chance): boolean {
  return state === 'passed' || kind === 'release' || kind === 'loop' || kind === 'keys';
}
