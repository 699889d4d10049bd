/** Lines that requested memory that was not there. */
import { byteText } from '../../core/text/byteText.js';
import { failureText, lastFailure } from '../../core/report/outOfMemory.js';
import type { OutOfMemoryReport, Report } from '../../core/report/report.js';
import type { Translator } from '../text/translator.js';

export interface AskingMark {
  readonly file: string;
  /** 1-based. */
  readonly line: number;
  readonly mapped: boolean;
  /** The last failure of the run whose line it is. */
  readonly failure: OutOfMemoryReport;
}

/** One mark per run that ran out of memory and whose stack names a line. */
export function askingMarks(report: Report): AskingMark[] {
  return report.runs.flatMap(({ outOfMemory }) => {
    const failure = lastFailure(outOfMemory);
    if (failure?.asked == null) return [];
    const { file, line, mapped } = failure.asked;
    return [{ file, line, mapped, failure }];
  });
}

/** `✖ requested 384 MiB, 112 MiB were free`. */
export function askingLensText({ failure }: AskingMark, l10n: Translator): string {
  const asked = byteText(failure.askedBytes);
  return failure.deviceFreeBytes === null
    ? l10n.t('✖ requested {0}, out of memory', asked)
    : l10n.t('✖ requested {0}, {1} were free', asked, byteText(failure.deviceFreeBytes));
}

/** The complete sentence, for the Problems view. */
export function askingProblemText({ failure }: AskingMark): string {
  return failureText(failure);
}
