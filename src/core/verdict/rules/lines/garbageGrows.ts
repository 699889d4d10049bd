import { garbageText } from '../../reasonTexts.js';
import type { LineRule } from '../../rule.js';

/** Garbage is not retained; the collector has only not run. */
export const garbageGrows: LineRule = {
  name: 'garbageGrows',
  seen: 'A reference cycle holds the memory, and the collector has not run twice since.',
  holds: (line) => line.isAccumulating,
  verdict: 'cycle',
  thresholds: ['garbageSteps'],
  reason: () => [garbageText()],
  fixedBy: 'fast_weights',
};
