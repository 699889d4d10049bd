/** The allocation that failed: the first part of a report. */
import { causeText, failureHolderTexts, failureText, replayedFailureText, withoutLeaksText } from './failed.js';
import { passText } from './peakText.js';
import { callersOf, lastFailure } from '../report/peak/outOfMemory.js';
import { placeText } from '../text/pathText.js';
import type { OutOfMemoryReport, RunReport } from '../report/report.js';
import { byteText } from '../text/numberText.js';
import { named } from '../text/names.js';
import { t, tCount } from '../text/translate.js';
import { answer, list, type Block } from './document.js';
import { heldBlocks } from './heldBlocks.js';
import type { ShortNames } from './shortNames.js';

/** Maximum number of callers of the requesting line. */
const MAX_CALLERS = 4;

/** None where no allocation failed. */
export function failedBlocks({ outOfMemory }: RunReport, maxLines: number, names: ShortNames): Block[] {
  const failure = lastFailure(outOfMemory);
  if (failure === null) return [];
  const { held } = failure;
  return [
    // The line that requested memory is named in full.
    answer(failureText(failure, named)),
    ...list(...factsOf(failure, outOfMemory.length - 1, names.name), ...(held?.advice ?? []).map(names.text)),
    ...(held === null || held.lines.length === 0
      ? []
      : heldBlocks(held, t('live then'), t('total'), maxLines, names.name)),
  ];
}

function factsOf(failure: OutOfMemoryReport, earlier: number, name: (text: string) => string): (string | null)[] {
  const { device, capacityBytes, reservedBytes, deviceFreeBytes, held } = failure;
  const callers = callersOf(failure)
    .slice(0, MAX_CALLERS)
    .map((frame) => name(placeText(frame)));
  const pass = held === null ? null : passText(held);
  return [
    ...failureHolderTexts(failure, name),
    withoutLeaksText(failure),
    causeText(failure),
    replayedFailureText(failure, name),
    capacityBytes !== null
      ? t('Device {0} has {1} in total.', device, byteText(capacityBytes))
      : reservedBytes !== null && deviceFreeBytes !== null
        ? t('Device {0} had {1} for PyTorch.', device, byteText(reservedBytes + deviceFreeBytes))
        : '',
    held?.module == null ? '' : t('Module: {0}.', name(held.module)),
    callers.length > 0
      ? pass === null
        ? t('Called from {0}.', callers.join(' ← '))
        : t('Requested {0}, called from {1}.', pass, callers.join(' ← '))
      : '',
    earlier > 0 ? tCount(earlier, '1 allocation failed before.', '{0} allocations failed before.') : '',
  ];
}
