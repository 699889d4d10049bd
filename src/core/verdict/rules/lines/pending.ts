import { pendingTexts } from '../../reasonTexts.js';
import type { LineRule } from '../../rule.js';

/** A release that has not run yet excuses growth, however many steps it takes. */
export const pending: LineRule = {
  name: 'pending',
  seen: 'A known release has not run yet.',
  holds: (line) => line.chances.some(({ state }) => state === 'pending'),
  verdict: 'growing',
  thresholds: [],
  reason: ({ chances }) => pendingTexts(chances),
  fixedBy: 'first_epoch',
};
