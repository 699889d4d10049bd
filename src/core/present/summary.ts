/** What the status bar and a notification say of a run. */
import { countText, estimate } from '../text/numberText.js';
import { t, tCount } from '../text/translate.js';
import { listed } from './presented.js';

/** `2 leaks · 35.8 MiB/step · full in 20 steps`. @param stepsLeft null if the device does not fill up */
export function leaksShort(leaks: number, amount: string, stepsLeft: number | null): string {
  const full = stepsLeft === null ? null : tCount(estimate(stepsLeft), 'full in 1 step', 'full in {0} steps');
  return listed(tCount(leaks, '1 leak', '{0} leaks'), amount, full);
}

/** @param name of the run @param rate of all its leaks, null without one @param place of the worst */
export function leakAlert(name: string, rate: string | null, place: string): string {
  return rate === null
    ? t('The run in {0} leaks GPU memory at {1}.', name, place)
    : t('The run in {0} leaks {1} of GPU memory, most at {2}.', name, rate, place);
}

export function runningOutAlert(name: string, steps: number, place: string): string {
  return steps === 1
    ? t('The run in {0} will be out of GPU memory in about 1 step: {1} leaks.', name, place)
    : t(
        'The run in {0} will be out of GPU memory in about {1} steps: {2} leaks.',
        name,
        countText(estimate(steps)),
        place,
      );
}
