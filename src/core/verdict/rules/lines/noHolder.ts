import { t } from '../../../text/translate.js';
import { missingText } from '../../custodyTexts.js';
import type { LineRule } from '../../rule.js';

/** What holds the memory decides, so nothing is decided without it. */
export const noHolder: LineRule = {
  name: 'noHolder',
  seen: 'The source was read, but does not show the holder.',
  holds: (line) => line.knowledge === 'noHolder',
  verdict: 'growing',
  thresholds: [],
  reason: ({ custody }) => [missingText(custody) ?? t('The source does not show what holds it.')],
  fixedBy: 'tee_loader',
};
