import { boundTexts } from '../../boundTexts.js';
import type { LineRule } from '../../rule.js';

/** A container with a bound stops at it. */
export const bounded: LineRule = {
  name: 'bounded',
  seen: 'A container with a bound holds the memory, and is not full.',
  holds: (line) => line.bound !== null,
  verdict: 'growing',
  thresholds: [],
  reason: ({ bound }, room) => boundTexts(bound, room),
  isBound: true,
  fixedBy: 'filling_replay',
};
