import type { Chance } from '../../../facts/evidence.js';
import { retainedTexts } from '../../custodyTexts.js';
import type { LineRule } from '../../rule.js';

/** The process itself shows a leak: see `custodyOf`. */
export const retained: LineRule = {
  name: 'retained',
  seen: 'The recorder saw that the holder freed nothing while each release had its chance.',
  holds: (line) => line.custody?.isRetained === true && line.chances.every(isOver),
  verdict: 'leak',
  thresholds: ['custodySearches', 'lastingSteps', 'loopRounds', 'oneLoopSteps', 'newKeys'],
  reason: ({ custody }) => (custody?.isRetained === true ? retainedTexts(custody) : []),
  fixedBy: 'running_total',
};

/** True for a chance that excuses nothing: loops, releases and keys are part of what custody examines. */
function isOver({ kind, state }: Chance): boolean {
  return state === 'passed' || kind === 'release' || kind === 'loop' || kind === 'keys';
}
