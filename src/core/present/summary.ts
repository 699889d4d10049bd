/** What the status bar and a notification say of a run. */
import { countText, estimate } from '../text/numberText.js';
import { t, tCount } from '../text/translate.js';
import type { RunReport } from '../report/report.js';
import { listed } from './presented.js';

/** The steps until the device is full, null if it does not fill up, or if the run counts snapshots. */
export function stepsLeft({ forecast, steps }: Pick<RunReport, 'forecast' | 'steps'>): number | null {
  return forecast === null || steps === 'snapshots' ? null : forecast.stepsToOom;
}

/** `2 leaks · 35.8 MiB/step · full in 20 steps`. @param left see {@link stepsLeft} */
export function leaksShort(leaks: number, amount: string, left: number | null): string {
  const full = left === null ? null : tCount(estimate(left), 'full in 1 step', 'full in {0} steps');
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
