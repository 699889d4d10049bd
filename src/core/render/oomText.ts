/** Out-of-memory errors in words: the first part of a report, in a terminal and in Markdown. */
import { byteText } from '../text/byteText.js';
import { t, tCount } from '../text/translate.js';
import {
  callersOf,
  failureText,
  fragmentationText,
  lastFailure,
  replayedFailureText,
  withoutLeaksText,
} from '../report/outOfMemory.js';
import type { OutOfMemoryReport, RunReport } from '../report/report.js';
import { passText, placeText } from '../report/reportText.js';
import { heldLines, heldMarkdown } from './heldText.js';

/** Callers of the requesting line. */
const MAX_CALLERS = 4;

/** Lines of a terminal, and an empty one after them; none where no allocation failed. */
export function outOfMemoryLines({ outOfMemory }: RunReport, mostLines: number): string[] {
  const failure = lastFailure(outOfMemory);
  if (failure === null) return [];
  const { held } = failure;
  return [
    failureText(failure),
    ...factsOf(failure, outOfMemory.length - 1, (text) => text).map((text) => `  ${text}`),
    ...(held?.advice ?? []).map((text) => `  ${text}`),
    ...(held === null || held.lines.length === 0
      ? []
      : [
          '',
          ...heldLines(held, t('LIVE THEN'), t('total'), mostLines).map((text) => (text === '' ? '' : `  ${text}`)),
        ]),
    '',
  ];
}

/**
 * Part of a Markdown document, empty without a failed allocation.
 * @param code makes a code span of a recorded name
 * @param fullCode the same, with its folder
 */
export function outOfMemoryMarkdown(
  { outOfMemory }: RunReport,
  code: (text: string) => string,
  fullCode: (text: string) => string,
): string[] {
  const failure = lastFailure(outOfMemory);
  if (failure === null) return [];
  const { held } = failure;
  return [
    `**${failureText(failure, fullCode)}**`,
    '',
    ...[...factsOf(failure, outOfMemory.length - 1, code), ...(held?.advice ?? [])].map((text) => `- ${text}`),
    ...(held === null || held.lines.length === 0
      ? []
      : ['', t('Largest on device {0} at that time:', held.device), '', ...heldMarkdown(held, code)]),
    '',
  ];
}

function factsOf(failure: OutOfMemoryReport, earlier: number, code: (text: string) => string): string[] {
  const { device, capacityBytes, reservedBytes, deviceFreeBytes, held } = failure;
  const callers = callersOf(failure)
    .slice(0, MAX_CALLERS)
    .map((frame) => code(placeText(frame)));
  const pass = held === null ? null : passText(held);
  return [
    withoutLeaksText(failure) ?? '',
    fragmentationText(failure) ?? '',
    replayedFailureText(failure, code) ?? '',
    capacityBytes !== null
      ? t('Device {0} has {1} in total.', device, byteText(capacityBytes))
      : reservedBytes !== null && deviceFreeBytes !== null
        ? t('Device {0} had {1} for PyTorch.', device, byteText(reservedBytes + deviceFreeBytes))
        : '',
    held?.module == null ? '' : t('Module: {0}.', code(held.module)),
    callers.length > 0
      ? pass === null
        ? t('Called from {0}.', callers.join(' ← '))
        : t('Requested {0}, called from {1}.', pass, callers.join(' ← '))
      : '',
    earlier > 0 ? tCount(earlier, '1 allocation failed before.', '{0} allocations failed before.') : '',
  ].filter((text) => text !== '');
}
