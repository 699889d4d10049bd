/** A line that requested memory that was not there. */
import type { OomExplanation } from '../oom/explanation.js';
import { failureSentences } from '../report/outOfMemory.js';
import type { OutOfMemoryReport } from '../report/report.js';
import { byteText } from '../text/byteText.js';
import { t } from '../text/translate.js';

/** As it was recorded, or as a message of a program that was not. */
type Failed = { readonly failure: OutOfMemoryReport } | { readonly explanation: OomExplanation };

/** Above the line: `✖ requested 384 MiB, 112 MiB were free`. */
export function askingShort(failed: Failed): string {
  if ('explanation' in failed) return messageShort(failed.explanation);
  const { askedBytes, deviceFreeBytes } = failed.failure;
  return freeText(byteText(askedBytes), deviceFreeBytes);
}

function messageShort(explanation: OomExplanation): string {
  const { class: kind, requestedBytes, capacityBytes, freeBytes, unusedBytes, outsideBytes, shortBytes } = explanation;
  if (requestedBytes === null) return t('✖ out of memory');
  const asked = byteText(requestedBytes);
  if (kind === 'tooLarge' && capacityBytes !== null)
    return t('✖ requested {0}, the device has {1}', asked, byteText(capacityBytes));
  if (kind === 'fragmentation' && unusedBytes !== null)
    return t('✖ requested {0}, {1} unused in the cache', asked, byteText(unusedBytes));
  if (kind === 'outside' && outsideBytes !== null)
    return t('✖ requested {0}, {1} held outside of PyTorch', asked, byteText(outsideBytes));
  if (kind === 'full' && shortBytes !== null) return t('✖ requested {0}, {1} short', asked, byteText(shortBytes));
  return freeText(asked, freeBytes);
}

function freeText(asked: string, freeBytes: number | null): string {
  return freeBytes === null
    ? t('✖ requested {0}, out of memory', asked)
    : t('✖ requested {0}, {1} were free', asked, byteText(freeBytes));
}

/** In full, one sentence a line: its problem. */
export function askingSentences(failed: Failed): string {
  return ('explanation' in failed ? failed.explanation.sentences : failureSentences(failed.failure)).join('\n');
}
