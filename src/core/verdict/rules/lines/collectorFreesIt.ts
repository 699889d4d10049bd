import type { LineRule } from '../../rule.js';

/** The frees of the collector look like a list that is cleared. */
export const collectorFreesIt: LineRule = {
  name: 'collectorFreesIt',
  seen: 'Memory drops repeatedly, and the recorder or the cycle detector found a reference cycle that holds it.',
  holds: ({ shape, isInCycle, isMinorGarbage }) => shape === 'periodic' && isInCycle && !isMinorGarbage,
  verdict: 'cycle',
  thresholds: ['garbageSteps'],
  reason: () => [],
  fixedBy: 'ctx_output',
};
