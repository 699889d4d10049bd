import { boundTexts } from '../../boundTexts.js';
import type { LineRule } from '../../rule.js';

/** A full container does not grow on. */
export const full: LineRule = {
  name: 'full',
  seen: 'A container with a bound holds the memory, and has just become full.',
  holds: (line) => line.bound?.isFull === true,
  verdict: 'plateau',
  thresholds: [],
  reason: ({ bound }, room) => boundTexts(bound, room),
  isBound: true,
  fixedBy: '',
};
