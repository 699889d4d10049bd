/** Lines that requested memory that was not there. */
import { lastFailure } from '../../core/report/peak/outOfMemory.js';
import type { OomExplanation } from '../../core/oom/explanation.js';
import { isSameFailure, type MessageOrigin } from '../../core/oom/sameFailure.js';
import type { Microseconds } from '../../core/model/units.js';
import type { OutOfMemoryReport, Report } from '../../core/report/report.js';

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
