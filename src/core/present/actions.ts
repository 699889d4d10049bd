/** What can be done about a finding: the same words in lens, hover and light bulb. */
import { t } from '../text/translate.js';

interface ActionTexts {
  /** Shows the change, for a fix that can be applied. */
  readonly fix: string;
  readonly timeline: string;
  readonly leaks: string;
  readonly holder: string;
  readonly ignore: string;
}

export function actionTexts(): ActionTexts {
  return {
    fix: t('Fix…'),
    timeline: t('Show on timeline'),
    leaks: t('Show in Leaks'),
    holder: t('Go to the statement that holds the memory'),
    ignore: t('Ignore this leak'),
  };
}
