/** What happened when memory ran out, in words: the first that a report says, in a terminal and in Markdown. */
import { byteText } from '../text/byteText.js';
import { say, sayCount } from '../text/say.js';
import { callersOf, failureText, fragmentationText, lastFailure } from '../report/outOfMemory.js';
import type { OutOfMemoryReport, PeakLine, RunReport } from '../report/report.js';
import { placeText } from '../report/reportWords.js';

/** Lines that are named of those which held memory then. */
const MOST_LINES = 5;
/** Callers of the line that asked. */
const MOST_CALLERS = 4;

/** Lines of a terminal, and an empty one after them; none where no allocation failed. */
export function outOfMemoryLines({ outOfMemory }: RunReport): string[] {
  const failure = lastFailure(outOfMemory);
  if (failure === null) return [];
  return [
    failureText(failure),
    ...factsOf(failure, outOfMemory.length - 1).map((text) => `  ${text}`),
    ...holders(failure, (text) => text).map((text) => `    ${text}`),
    '',
  ];
}

/**
 * A part of a Markdown document; empty where no allocation failed.
 * @param code makes a code span of a recorded name
 */
export function outOfMemoryMarkdown({ outOfMemory }: RunReport, code: (text: string) => string): string[] {
  const failure = lastFailure(outOfMemory);
  if (failure === null) return [];
  return [
    `**${code(failureText(failure))}**`,
    '',
    ...factsOf(failure, outOfMemory.length - 1).map((text) => `- ${code(text)}`),
    ...holders(failure, code).map((text) => `  - ${text}`),
    '',
  ];
}

function factsOf(failure: OutOfMemoryReport, earlier: number): string[] {
  const { held } = failure;
  const callers = callersOf(failure).slice(0, MOST_CALLERS).map(placeText);
  return [
    fragmentationText(failure) ?? '',
    callers.length > 0 ? say('Called from {0}.', callers.join(' ← ')) : '',
    earlier > 0 ? sayCount(earlier, '1 allocation failed before.', '{0} allocations failed before.') : '',
    held === null || held.lines.length === 0 ? '' : say('Largest on device {0} then:', held.device),
  ].filter((text) => text !== '');
}

function holders({ held }: OutOfMemoryReport, code: (text: string) => string): string[] {
  return (held?.lines ?? [])
    .slice(0, MOST_LINES)
    .map((line: PeakLine) =>
      sayCount(
        line.blocks,
        '{1} on {2}, 1 block',
        '{1} on {2}, {0} blocks',
        byteText(line.bytes),
        code(placeText(line)),
      ),
    );
}
