/** Memory that was requested and was not there. */
import type { OomExplanation } from '../oom/explanation.js';
import type { OomNumbers } from '../oom/message.js';
import { judge, type OomJudgement, segmentOf } from '../oom/oomClass.js';
import { causeTexts } from '../oom/oomSentences.js';
import type { OutOfMemoryReport } from '../report/report.js';
import { nameAndLine, placeText } from '../text/pathText.js';
import { byteText } from '../text/numberText.js';
import { asItIs } from '../text/names.js';
import { t, tCount } from '../text/translate.js';

/** Maximum number of failures that words name, the latest. */
const MAX_NAMED = 3;
/** Metadata is often JSON of any length. */
const MAX_CHARACTERS = 120;

/** A failed allocation: a recorded one, or one that a message of a program explains. */
type Failed = { readonly failure: OutOfMemoryReport } | { readonly explanation: OomExplanation };

/** Above the line: `✖ requested 384 MiB, 272 MiB short`, or how much of the memory one object held. */
export function askingShort(failed: Failed): string {
  return `✖ ${'explanation' in failed ? shortOf(failed.explanation) : (heldShort(failed.failure) ?? failedShort(failed.failure))}`;
}

/**
 * The largest holder, without its name, because a lens would print `$(…)` in a name as an icon. Null unless one object held
 * half of the memory and more than was requested.
 */
function heldShort({ askedBytes, liveBytes, holders }: OutOfMemoryReport): string | null {
  const most = holders.find(({ bytes }) => 2 * bytes >= liveBytes && bytes > askedBytes);
  if (most === undefined) return null;
  return t('requested {0}, one object holds {1}', byteText(askedBytes), byteText(most.bytes));
}

type Amounts = Pick<
  OutOfMemoryReport,
  'askedBytes' | 'capacityBytes' | 'deviceFreeBytes' | 'liveBytes' | 'reservedBytes'
>;

/** A recorded failure in a few words. */
export function failedShort(failure: Amounts): string {
  const numbers = numbersOf(failure);
  return shortOf({ ...numbers, ...judge(numbers) });
}

function shortOf({
  class: kind,
  ...amounts
}: OomJudgement & Omit<OomNumbers, 'device' | 'processBytes' | 'otherBytes'>): string {
  const { requestedBytes, capacityBytes, freeBytes, unusedBytes, outsideBytes, shortBytes } = amounts;
  if (requestedBytes === null) return t('out of memory');
  const asked = byteText(requestedBytes);
  if (kind === 'tooLarge' && capacityBytes !== null)
    return t('requested {0}, the device has {1}', asked, byteText(capacityBytes));
  if (kind === 'fragmentation' && unusedBytes !== null)
    return t('requested {0}, {1} unused in the cache', asked, byteText(unusedBytes));
  if (kind === 'outside' && outsideBytes !== null)
    return t('requested {0}, {1} held outside of PyTorch', asked, byteText(outsideBytes));
  if (kind === 'full' && shortBytes !== null) return t('requested {0}, {1} short', asked, byteText(shortBytes));
  return freeBytes === null
    ? t('requested {0}, out of memory', asked)
    : t('requested {0}, {1} were free', asked, byteText(freeBytes));
}

/** A recorded failure as the numbers of a message. */
function numbersOf(failure: Amounts): OomNumbers {
  const { askedBytes, capacityBytes, deviceFreeBytes, liveBytes, reservedBytes } = failure;
  return {
    ...{ backend: null, device: null, requestedBytes: askedBytes, segmentBytes: segmentOf(askedBytes) },
    ...{ capacityBytes, freeBytes: deviceFreeBytes },
    ...{
      allocatedBytes: liveBytes,
      unusedBytes: reservedBytes === null ? null : Math.max(0, reservedBytes - liveBytes),
    },
    ...{ limitBytes: null, processBytes: null, otherBytes: null },
  };
}

/** What the garbage collector freed. */
export function collectedText({ bytes, blocks }: { readonly bytes: number; readonly blocks: number }): string {
  return tCount(blocks, '{1} freed', '{1} freed in {0} blocks', byteText(bytes));
}

/** The text of a problem, one sentence per line. */
export function askingSentences(failed: Failed): string {
  return ('explanation' in failed ? failed.explanation.sentences : failureSentences(failed.failure)).join('\n');
}

/** Why it failed, by its numbers; null if they do not show it, or if a leak was the cause. */
export function causeText(failure: OutOfMemoryReport): string | null {
  const { askedBytes, largestFreeBytes, withoutLeaks, holders, replayed } = failure;
  if (withoutLeaks !== null && withoutLeaks.leftBytes !== null) return null;
  const numbers = numbersOf(failure);
  const judgement = judge(numbers);
  const { class: kind } = judgement;
  // The advice would be to look for the holders, which are known here.
  if (judgement.onlyTipsOver && holders.length > 0) return null;
  // Then there was one piece.
  const isContradicted = kind === 'fragmentation' && largestFreeBytes !== null && largestFreeBytes >= askedBytes;
  if (isContradicted || kind === 'incomplete') return null;
  // A message shows a limit, a recording does not.
  const limit =
    kind === 'deviceHasRoom' ? t('The program may set a limit, such as with `set_per_process_memory_fraction`.') : '';
  // Pieces that no setting could have joined are no cause that a user can remove.
  const isLost = kind === 'fragmentation' && replayed?.leftBytes === null && replayed.shortBytes !== null;
  return [...causeTexts(numbers, judgement, isLost), limit].filter((text) => text !== '').join(' ');
}

/** Whether another setting of the allocator would have avoided a failure; null if unknown. @param code makes a code span */
export function replayedFailureText({ replayed }: OutOfMemoryReport, code = asItIs): string | null {
  if (replayed === null) return null;
  const { setting, leftBytes, shortBytes, isEstimate } = replayed;
  const about = (bytes: number): string => (isEstimate ? t('about {0}', byteText(bytes)) : byteText(bytes));
  if (setting !== null && leftBytes !== null)
    return t('With {0}, this request would have fit with {1} left (replayed).', code(setting), about(leftBytes));
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

/** Objects that the recorder saw hold most of the memory, and how to release it. @param name prints a name of the program */
export function failureHolderTexts({ holders }: OutOfMemoryReport, name = asItIs): string[] {
  return holders.slice(0, MAX_NAMED).map(({ name: holder, file, line, bytes, graphBytes, fix }) => {
    const place =
      file === null || line === null ? name(holder) : `${name(holder)} (${name(nameAndLine({ file, line }))})`;
    const held =
      graphBytes === 0
        ? t('{0} holds {1}.', place, byteText(bytes))
        : byteText(graphBytes) === byteText(bytes)
          ? t('{0} holds {1} through autograd’s graph.', place, byteText(bytes))
          : t('{0} holds {1}, {2} of it through autograd’s graph.', place, byteText(bytes), byteText(graphBytes));
    return fix === null ? held : `${held} ${name(fix)}`;
  });
}

/** What failed, and what would have avoided it. */
export function failureSentences(failure: OutOfMemoryReport): string[] {
  return [
    failureText(failure),
    ...failureHolderTexts(failure),
    ...[withoutLeaksText, causeText, replayedFailureText].flatMap((text) => text(failure) ?? []),
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
