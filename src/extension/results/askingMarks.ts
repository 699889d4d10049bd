/** Lines that requested memory that was not there. */
import { byteText } from '../../core/text/byteText.js';
import { failureSentences, lastFailure } from '../../core/report/outOfMemory.js';
import type { OomExplanation } from '../../core/oom/explanation.js';
import { isSameFailure, type MessageOrigin } from '../../core/oom/sameFailure.js';
import type { Microseconds } from '../../core/model/units.js';
import type { OutOfMemoryReport, Report } from '../../core/report/report.js';
import type { Translator } from '../text/translator.js';

interface AskingLine {
  readonly file: string;
  /** 1-based. */
  readonly line: number;
  readonly mapped: boolean;
}

interface FailureMark extends AskingLine {
  /** The last failure of the run whose line it is. */
  readonly failure: OutOfMemoryReport;
  /** When it failed, or its snapshot was taken; null if unknown. */
  readonly atUs: Microseconds | null;
}

interface MessageMark extends AskingLine {
  /** The message of a program that was not recorded. */
  readonly explanation: OomExplanation;
}

/** The messages of one source, such as a terminal or a log. */
export interface SourceMessages {
  readonly explanations: readonly OomExplanation[];
  readonly origin: MessageOrigin;
}

export type AskingMark = FailureMark | MessageMark;

/** One mark per run that ran out of memory and whose stack names a line. */
export function askingMarks(report: Report): FailureMark[] {
  return report.runs.flatMap(({ outOfMemory, snapshots }) => {
    const failure = lastFailure(outOfMemory);
    if (failure?.asked == null) return [];
    const { file, line, mapped } = failure.asked;
    const takenAtUs = snapshots.find(({ path }) => path === failure.path)?.takenAtUs ?? null;
    return [{ file, line, mapped, failure, atUs: failure.timeUs ?? takenAtUs }];
  });
}

/** One mark per line of the workspace that a message names. A failure that was recorded says more: none beside it. */
export function messageMarks(messages: Iterable<SourceMessages>, recorded: readonly FailureMark[]): MessageMark[] {
  const marks = new Map<string, MessageMark>();
  for (const { explanations, origin } of messages) {
    for (const explanation of explanations) {
      const { asked } = explanation;
      if (asked === null || !asked.mapped || asked.line < 1) continue;
      const { file, line, mapped } = asked;
      const isRecorded = recorded.some(
        (mark) =>
          (mark.file === file && mark.line === line) ||
          isSameFailure(explanation, origin, { ...mark.failure, atUs: mark.atUs }),
      );
      if (!isRecorded) marks.set(`${line}:${file}`, { file, line, mapped, explanation });
    }
  }
  return [...marks.values()];
}

/** `✖ requested 384 MiB, 112 MiB were free`. */
export function askingLensText(mark: AskingMark, l10n: Translator): string {
  if ('explanation' in mark) return messageLensText(mark.explanation, l10n);
  const { failure } = mark;
  const asked = byteText(failure.askedBytes);
  return failure.deviceFreeBytes === null
    ? l10n.t('✖ requested {0}, out of memory', asked)
    : l10n.t('✖ requested {0}, {1} were free', asked, byteText(failure.deviceFreeBytes));
}

function messageLensText(explanation: OomExplanation, l10n: Translator): string {
  const { class: kind, requestedBytes, capacityBytes, freeBytes, unusedBytes, outsideBytes, shortBytes } = explanation;
  if (requestedBytes === null) return l10n.t('✖ out of memory');
  const asked = byteText(requestedBytes);
  if (kind === 'tooLarge' && capacityBytes !== null)
    return l10n.t('✖ requested {0}, the device has {1}', asked, byteText(capacityBytes));
  if (kind === 'fragmentation' && unusedBytes !== null)
    return l10n.t('✖ requested {0}, {1} unused in the cache', asked, byteText(unusedBytes));
  if (kind === 'outside' && outsideBytes !== null)
    return l10n.t('✖ requested {0}, {1} held outside of PyTorch', asked, byteText(outsideBytes));
  if (kind === 'full' && shortBytes !== null) return l10n.t('✖ requested {0}, {1} short', asked, byteText(shortBytes));
  return freeBytes === null
    ? l10n.t('✖ requested {0}, out of memory', asked)
    : l10n.t('✖ requested {0}, {1} were free', asked, byteText(freeBytes));
}

/** Complete sentences, for the Problems view. */
export function askingProblemText(mark: AskingMark): string {
  const sentences = 'explanation' in mark ? mark.explanation.sentences : failureSentences(mark.failure);
  return sentences.join('\n');
}
