/** A finding about the process in a few words. */
import type { ProcessFinding } from '../report/report.js';
import { t } from '../text/translate.js';

export function processTitle({ verdict }: ProcessFinding): string {
  return {
    reservedOnly: t('Reserved memory is far above live memory'),
    hostOnly: t('Memory outside PyTorch grows'),
    hostMemory: t('Host memory grows'),
    pinnedSegments: t('Small blocks pin large segments'),
    pendingFrees: t('Freed blocks wait for another stream'),
  }[verdict];
}
