/** Places and rates in words. */
import { t } from '../text/translate.js';
import type { StepSource } from './report.js';

/** A rate: an amount per step. */
export function perStep(amount: string, steps: StepSource | null): string {
  switch (steps) {
    case null:
      return amount;
    case 'annotations':
    case 'recorder':
    case 'period':
      return t('{0}/step', amount);
    case 'snapshots':
      return t('{0}/snapshot', amount);
    case 'time':
      return t('{0}/second', amount);
  }
}

/** `train.py:12`, or the file alone where the line is not known. */
export function fileAndLine({ file, line }: { file: string; line: number }): string {
  return line > 0 ? `${file}:${line}` : file;
}

/** Where a line is, in one piece that editors and terminals make a link of. */
export function placeText(place: { file: string; line: number; function: string }): string {
  return `${fileAndLine(place)} (${place.function})`;
}
