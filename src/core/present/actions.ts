/** What can be done about a finding, in the same words everywhere. */
import { t } from '../text/translate.js';

export function actionTexts(): Record<'fix' | 'timeline' | 'leaks', string> {
  return { fix: t('Fix…'), timeline: t('Show on timeline'), leaks: t('Show in Leaks') };
}
