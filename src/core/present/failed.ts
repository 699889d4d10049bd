/** Memory that was requested and was not there. */
import type { OomExplanation } from '../oom/explanation.js';
import type { OutOfMemoryReport } from '../report/report.js';
import { placeText } from '../text/pathText.js';
import { byteText } from '../text/numberText.js';
import { asItIs } from '../text/names.js';
import { t, tCount } from '../text/translate.js';

/** Failures that words name, the latest. */
const MAX_NAMED = 3;
/** Metadata is often JSON of any length. */
const MAX_CHARACTERS = 120;

/** As it was recorded, or as a message of a program that was not. */
type Failed = { readonly failure: OutOfMemoryReport } | { readonly explanation: OomExplanation };

/** Above the line: `✖ requested 384 MiB, 112 MiB were free`. */
export function askingShort(failed: Failed): string {
  return `✖ ${'explanation' in failed ? messageShort(failed.explanation) : requestedShort(failed.failure)}`;
}

function messageShort(explanation: OomExplanation): string {
  const { class: kind, requestedBytes, capacityBytes, freeBytes, unusedBytes, outsideBytes, shortBytes } = explanation;
  if (requestedBytes === null) return t('out of memory');
  const asked = byteText(requestedBytes);
  if (kind === 'tooLarge' && capacityBytes !== null)
    return t('requested {0}, the device has {1}', asked, byteText(capacityBytes));
  if (kind === 'fragmentation' && unusedBytes !== null)
    return t('requested {0}, {1} unused in the cache', asked, byteText(unusedBytes));
  if (kind === 'outside' && outsideBytes !== null)
    return t('requested {0}, {1} held outside of PyTorch', asked, byteText(outsideBytes));
  if (kind === 'full' && shortBytes !== null) return t('requested {0}, {1} short', asked, byteText(shortBytes));
  return requestedShort({ askedBytes: requestedBytes, deviceFreeBytes: freeBytes });
}

/** A failure in a few words. */
export function requestedShort({
  askedBytes,
  deviceFreeBytes: free,
}: Pick<OutOfMemoryReport, 'askedBytes' | 'deviceFreeBytes'>): string {
  return free === null
    ? t('requested {0}, out of memory', byteText(askedBytes))
    : t('requested {0}, {1} were free', byteText(askedBytes), byteText(free));
}

/** What the garbage collector freed. */
export function collectedText({ bytes, blocks }: { readonly bytes: number; readonly blocks: number }): string {
  return tCount(blocks, '{1} freed', '{1} freed in {0} blocks', byteText(bytes));
}

/** In full, one sentence a line: its problem. */
export function askingSentences(failed: Failed): string {
  return ('explanation' in failed ? failed.explanation.sentences : failureSentences(failed.failure)).join('\n');
}

/** Whether fragmentation was the cause; null if unknown, or if a leak was. */
export function fragmentationText(failure: OutOfMemoryReport): string | null {
  const { askedBytes, liveBytes, reservedBytes, deviceFreeBytes, largestFreeBytes, withoutLeaks } = failure;
  if (reservedBytes === null || (withoutLeaks !== null && withoutLeaks.leftBytes !== null)) return null;
  const free = Math.max(0, reservedBytes - liveBytes) + (deviceFreeBytes ?? 0);
  if (free < askedBytes) {
    return t('Without fragmentation it would not have fit either: {0} were free in total.', byteText(free));
  }
  if (largestFreeBytes === null || largestFreeBytes >= askedBytes) return null;
  return t(
    'Fragmentation was the cause: {0} were free in total, {1} in the largest free block.',
    byteText(free),
    byteText(largestFreeBytes),
  );
}

/** Whether another setting of the allocator would have avoided a failure; null if unknown. @param code makes a code span */
export function replayedFailureText({ replayed }: OutOfMemoryReport, code = asItIs): string | null {
  if (replayed === null) return null;
  const { setting, leftBytes, shortBytes, isEstimate } = replayed;
  const about = (bytes: number): string => (isEstimate ? t('about {0}', byteText(bytes)) : byteText(bytes));
  if (setting !== null && leftBytes !== null)
    return t('With {0} it would have fit with {1} left (replayed).', code(setting), about(leftBytes));
  if (shortBytes === null) return null;
  return t('No allocator setting that was replayed would have avoided it: {0} short at best.', about(shortBytes));
}

/** Whether it would have fit without the leaks of the run; null if unknown. */
export function withoutLeaksText({ withoutLeaks }: OutOfMemoryReport): string | null {
  if (withoutLeaks === null) return null;
  const { leftBytes, shortBytes } = withoutLeaks;
  if (leftBytes !== null) return t('Without the leak it would have fit with {0} left (replayed).', byteText(leftBytes));
  if (shortBytes === null) return null;
  return t('Without the leak it would not have fit either: {0} short (replayed).', byteText(shortBytes));
}

/** What failed, and what would have avoided it. */
export function failureSentences(failure: OutOfMemoryReport): string[] {
  return [
    failureText(failure),
    ...[withoutLeaksText, fragmentationText, replayedFailureText].flatMap((text) => text(failure) ?? []),
  ];
}

/** One sentence for each of the latest failures, and one for how many there are before. */
export function outOfMemoryTexts(failures: readonly OutOfMemoryReport[]): string[] {
  const earlier = failures.length - MAX_NAMED;
  return [
    ...(earlier > 0 ? [tCount(earlier, '1 allocation failed before.', '{0} allocations failed before.')] : []),
    ...failures.slice(-MAX_NAMED).map((failure) => failureText(failure)),
  ];
}

/** `Out of memory on device 0: 40.0 MiB requested, 12.0 MiB free on the device, 1.0 GiB of 2.0 GiB reserved in use.` */
export function failureText(failure: OutOfMemoryReport, code = asItIs): string {
  const { device, asked, askedBytes, deviceFreeBytes, liveBytes, reservedBytes, metadata } = failure;
  const facts = [
    asked === null
      ? t('{0} requested', byteText(askedBytes))
      : t('{1} requested {0}', byteText(askedBytes), code(placeText(asked))),
    ...(deviceFreeBytes === null ? [] : [t('{0} free on the device', byteText(deviceFreeBytes))]),
    reservedBytes === null
      ? t('{0} live', byteText(liveBytes))
      : t('{0} of {1} reserved in use', byteText(liveBytes), byteText(reservedBytes)),
    ...(metadata === null ? [] : [t('metadata {0}', code(metadata.slice(0, MAX_CHARACTERS)))]),
  ];
  return t('Out of memory on device {0}: {1}.', device, facts.join(', '));
}
