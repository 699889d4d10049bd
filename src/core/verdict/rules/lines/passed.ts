import { passedTexts } from '../../reasonTexts.js';
import type { LineRule } from '../../rule.js';

/** A release that ran and freed nothing excuses nothing. */
export const passed: LineRule = {
  name: 'passed',
  seen: 'The holder is known, every known release ran, and the older memory is still live.',
  holds: (line) => line.chances.length > 0 && line.knowledge === 'known',
  verdict: 'leak',
  thresholds: [],
  reason: ({ chances }) => passedTexts(chances),
  fixedBy: 'trial_schedulers',
};
