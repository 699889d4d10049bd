import type { LineRule } from '../../rule.js';

/** Garbage that waits for a few steps only needs no change. */
export const collectedInTime: LineRule = {
  name: 'collectedInTime',
  seen: 'A reference cycle holds the memory, and is collected within a few steps.',
  holds: ({ shape, isCollectedInTime }) => shape === 'cycle' && isCollectedInTime,
  verdict: 'periodic',
  thresholds: ['garbageSteps'],
  reason: () => [],
  fixedBy: 'prompt_collections',
};
