/** One number that verdicts depend on. */
export interface Threshold {
  value: number;
  readonly unit: 'steps' | 'snapshots' | 'blocks' | 'times' | 'share' | 'standard deviations';
  /** What it decides, as a phrase. */
  readonly of: string;
  /** A planted program whose report changes when it moves by 30 %; absent where none was found yet. */
  readonly fixedBy?: string;
}

/** Every number that verdicts depend on. `npm run thresholds` moves each, and names the recordings that notice. */
export const THRESHOLDS = {
  fewestSteps: {
    value: 8,
    unit: 'steps',
    of: 'a trace of fewer steps says nothing of lifetimes',
    fixedBy: 'running_total',
  },
  lastingSteps: {
    value: 15,
    unit: 'steps',
    of: 'growth over fewer steps may be a buffer that fills',
    fixedBy: 'running_total',
  },
  warmUpShare: { value: 0.1, unit: 'share', of: 'of the steps, warm-up at the start', fixedBy: 'trial_schedulers' },
  warmUpSteps: { value: 2, unit: 'steps', of: 'warm-up at least', fixedBy: 'validation_losses' },
  outlives: {
    value: 1.5,
    unit: 'times',
    of: 'the usual age of freed blocks, which a survivor must exceed',
    fixedBy: 'recent_masks',
  },
  allocatedShare: {
    value: 0.15,
    unit: 'share',
    of: 'of the steps, on which survivors must be allocated',
    fixedBy: 'folds',
  },
  allocatedSteps: {
    value: 2,
    unit: 'steps',
    of: 'on which survivors must be allocated at least',
    fixedBy: 'task_heads',
  },
  overdueGap: {
    value: 1.5,
    unit: 'times',
    of: 'the longest pause between births: a longer one at the end is the end',
    fixedBy: 'batch_cache',
  },
  slowing: {
    value: 1.2,
    unit: 'standard deviations',
    of: 'by which births become rarer in a cache that is nearly full',
    fixedBy: 'batch_plans',
  },
  longestFlat: {
    value: 0.15,
    unit: 'share',
    of: 'of the steps, over which one growing tensor stands still at most',
    fixedBy: 'shuffle_buffer',
  },
  proportion: {
    value: 0.07,
    unit: 'share',
    of: 'by which one growing tensor may be above the straight line',
    fixedBy: 'shuffle_buffer',
  },
  deepDrop: {
    value: 0.5,
    unit: 'share',
    of: 'of the highest floor, freed at once, that returns to the ground',
    fixedBy: 'chat_sessions',
  },
  fewestDrops: { value: 2, unit: 'times', of: 'memory returns to the ground in a period', fixedBy: 'ctx_output' },
  fewestSnapshots: { value: 3, unit: 'snapshots', of: 'fewer show growth without a verdict', fixedBy: 'ctx_output' },
  snapshotsWithWarmUp: {
    value: 4,
    unit: 'snapshots',
    of: 'from this many on the first interval is warm-up',
    fixedBy: 'retry_smaller',
  },
  calmEnd: { value: 2, unit: 'snapshots', of: 'without growth at the end make a plateau', fixedBy: 'retry_smaller' },
  aboveLine: {
    value: 1.25,
    unit: 'times',
    of: 'the straight line, above which growth does not start from nothing',
    fixedBy: 'grown_scores',
  },
  belowLine: {
    value: 0.75,
    unit: 'times',
    of: 'the straight line, below which growth accelerates',
    fixedBy: 'growing_vocabulary',
  },
  slowed: {
    value: 0.6,
    unit: 'share',
    of: 'of the first rate, left where intervals bring fewer blocks',
    fixedBy: 'other_reset',
  },
  stillLive: {
    value: 0.8,
    unit: 'share',
    of: 'of what was allocated before a release came, which is live: then it did not free it',
    fixedBy: 'library_history',
  },
  fewBlocks: {
    value: 2,
    unit: 'blocks',
    of: 'that grow without becoming more may be longer inputs',
    fixedBy: 'task_adapters',
  },
  seldom: {
    value: 4,
    unit: 'steps',
    of: 'a network that is extended on purpose grows once in more',
    fixedBy: 'trial_schedulers',
  },
  mostState: {
    value: 20,
    unit: 'times',
    of: 'the parameters’ bytes, which an optimizer’s state does not exceed',
    fixedBy: 'tried_optimizers',
  },
} satisfies Record<string, Threshold>;

export type ThresholdName = keyof typeof THRESHOLDS;

/** The value of a threshold. */
export function limit(name: ThresholdName): number {
  return THRESHOLDS[name].value;
}
