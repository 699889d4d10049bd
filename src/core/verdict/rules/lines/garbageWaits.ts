import { garbageText } from '../../reasonTexts.js';
import type { LineRule } from '../../rule.js';
import type { Shape } from '../../shape.js';

/** One collection in a run, or none yet, makes any shape of growth. */
export const garbageWaits: LineRule = {
  name: 'garbageWaits',
  seen: 'The recorder saw garbage of many steps in a reference cycle.',
  holds: ({ shape, isAccumulating }) => isAccumulating && UNCOLLECTED.has(shape),
  verdict: 'cycle',
  thresholds: ['garbageSteps'],
  reason: () => [garbageText()],
  fixedBy: 'ctx_output',
};

/** Shapes of memory that a collection has freed once, or not yet. */
const UNCOLLECTED: ReadonlySet<Shape> = new Set(['growing', 'plateau', 'oneOff', 'tooShort']);
