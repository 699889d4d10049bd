import type { LineRule } from '../../rule.js';

/** Garbage that is little, or waits for a few steps only, needs no change. */
export const minorGarbage: LineRule = {
  name: 'minorGarbage',
  seen: 'A reference cycle holds little memory, or is collected within a few steps.',
  holds: ({ shape, isMinorGarbage }) => shape === 'cycle' && isMinorGarbage,
  verdict: 'periodic',
  thresholds: ['garbageSteps', 'garbageShare'],
  reason: () => [],
  fixedBy: 'prompt_collections',
};
