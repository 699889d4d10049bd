/** One number that verdicts depend on. */
export interface Threshold {
  value: number;
  readonly unit: 'steps' | 'snapshots' | 'blocks' | 'bytes' | 'times' | 'share' | 'standard deviations';
  /** What the number limits, as a phrase. */
  readonly of: string;
  /** A planted program whose report changes when it moves by 30 %; absent where none was found yet. */
  readonly fixedBy?: string;
}

/** Every number that verdicts depend on. `npm run thresholds` varies each and names the recordings whose report changes. */
export const THRESHOLDS = {
  fewestSteps: {
    value: 8,
    unit: 'steps',
    of: 'minimum number of steps in a trace that shows lifetimes',
    fixedBy: 'running_total',
  },
  lastingSteps: {
    value: 15,
    unit: 'steps',
    of: 'minimum number of steps of lasting growth; less may be a buffer',
    fixedBy: 'running_total',
  },
  warmUpShare: { value: 0.1, unit: 'share', of: 'of the steps that count as warm-up', fixedBy: 'trial_schedulers' },
  warmUpSteps: { value: 2, unit: 'steps', of: 'minimum length of the warm-up', fixedBy: 'validation_losses' },
  outlives: {
    value: 1.5,
    unit: 'times',
    of: 'the usual age of freed blocks; a survivor must be older',
    fixedBy: 'recent_masks',
  },
  allocatedShare: {
    value: 0.15,
    unit: 'share',
    of: 'of the steps that must allocate survivors',
    fixedBy: 'folds',
  },
  allocatedSteps: {
    value: 2,
    unit: 'steps',
    of: 'minimum that must allocate survivors',
    fixedBy: 'task_heads',
  },
  manyBirths: {
    value: 20,
    unit: 'steps',
    of: 'that are enough if they allocate survivors, however long the run is',
    fixedBy: 'skipped_readings',
  },
  regularBirths: {
    value: 5,
    unit: 'times',
    of: 'minimum number of equal intervals that must allocate survivors',
    fixedBy: 'folds',
  },
  numberBytes: {
    value: 512,
    unit: 'bytes',
    of: 'the smallest block, which holds a number: what few steps add must be larger',
  },
  overdueGap: {
    value: 1.5,
    unit: 'times',
    of: 'the longest gap between survivors; a longer gap at the end means that growth ended',
    fixedBy: 'batch_cache',
  },
  slowing: {
    value: 1.2,
    unit: 'standard deviations',
    of: 'by which survivors become rarer in a nearly full cache',
    fixedBy: 'batch_plans',
  },
  stillRising: {
    value: 1.02,
    unit: 'times',
    of: 'the live bytes of the sixteenth of the steps before, in each of the last four, where a queue grows',
    fixedBy: 'slow_consumer',
  },
  longestFlat: {
    value: 0.15,
    unit: 'share',
    of: 'of the steps during which one growing tensor may keep its size',
    fixedBy: 'growing_vocabulary',
  },
  proportion: {
    value: 0.07,
    unit: 'share',
    of: 'by which one growing tensor may exceed linear growth',
    fixedBy: 'shuffle_buffer',
  },
  deepDrop: {
    value: 0.5,
    unit: 'share',
    of: 'of the highest minimum that must be freed at once',
    fixedBy: 'chat_sessions',
  },
  fewestDrops: { value: 2, unit: 'times', of: 'minimum number of drops for a period', fixedBy: 'ctx_output' },
  fewestRises: {
    value: 4,
    unit: 'times',
    of: 'minimum number of intervals that rise, if none falls, for growth that lifetimes do not show',
    fixedBy: 'late_index',
  },
  minSnapshots: { value: 3, unit: 'snapshots', of: 'minimum for a verdict', fixedBy: 'ctx_output' },
  snapshotsWithWarmUp: {
    value: 4,
    unit: 'snapshots',
    of: 'minimum for which the first interval counts as warm-up',
    fixedBy: 'retry_smaller',
  },
  calmEnd: {
    value: 2,
    unit: 'snapshots',
    of: 'without growth at the end that make a plateau',
    fixedBy: 'retry_smaller',
  },
  aboveLine: {
    value: 1.25,
    unit: 'times',
    of: 'linear growth; more does not start from zero',
    fixedBy: 'grown_scores',
  },
  belowLine: {
    value: 0.75,
    unit: 'times',
    of: 'linear growth; less accelerates',
    fixedBy: 'growing_vocabulary',
  },
  slowed: {
    value: 0.6,
    unit: 'share',
    of: 'of the first rate that remains if intervals add fewer blocks',
    fixedBy: 'other_reset',
  },
  stillLive: {
    value: 0.8,
    unit: 'share',
    of: 'of the memory from before a release that is still live: the release did not free it',
    fixedBy: 'trial_schedulers',
  },
  custodySearches: {
    value: 3,
    unit: 'snapshots',
    of: 'minimum number of searches in which a holder freed nothing',
    fixedBy: 'tee_loader',
  },
  freedShare: {
    value: 0.02,
    unit: 'share',
    of: 'of what a holder has that it may have freed; more may be a release',
    fixedBy: 'request_metrics',
  },
  loopRounds: {
    value: 2,
    unit: 'times',
    of: 'minimum number of repetitions of each loop around the steps in which a holder freed nothing',
    fixedBy: 'long_epochs',
  },
  oneLoopSteps: {
    value: 50,
    unit: 'steps',
    of: 'minimum in a single loop if not all code that could release was read',
    fixedBy: 'kv_episodes',
  },
  newKeys: {
    value: 0.9,
    unit: 'share',
    of: 'of the steps of a single loop that must add keys; less may be a cache that fills',
    fixedBy: 'hook_outputs',
  },
  garbageSteps: {
    value: 8,
    unit: 'steps',
    of: 'over which garbage in cycles must wait; less is collected in time',
  },
  garbageShare: {
    value: 0.01,
    unit: 'share',
    of: 'of the live memory that garbage in cycles must hold; less is not worth a change',
  },
  minorGrowth: {
    value: 0.001,
    unit: 'share',
    of: 'of the live memory that must grow if the growth is not lasting; less may be a temporary tensor',
  },
  fewBlocks: {
    value: 2,
    unit: 'blocks',
    of: 'maximum that may grow as longer inputs',
    fixedBy: 'task_adapters',
  },
  seldom: {
    value: 4,
    unit: 'steps',
    of: 'minimum between extensions of a network on purpose',
    fixedBy: 'trial_schedulers',
  },
  mostState: {
    value: 20,
    unit: 'times',
    of: 'the bytes of the parameters; an optimizer’s state has no more',
    fixedBy: 'tried_optimizers',
  },
} satisfies Record<string, Threshold>;

export type ThresholdName = keyof typeof THRESHOLDS;

/** The value of a threshold. */
export function limit(name: ThresholdName): number {
  return THRESHOLDS[name].value;
}
