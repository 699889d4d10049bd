/** The peak of a device, and what holds it. */
import { bucketParts } from '../report/bucketParts.js';
import { sum } from '../report/lineSelection.js';
import type { PeakReport, RunReport } from '../report/report.js';
import { placeText } from '../text/pathText.js';
import { deviceName } from '../text/deviceName.js';
import { byteText, countText } from '../text/numberText.js';
import { t } from '../text/translate.js';
import { bucketText, categoriesText, otherLinesText } from './words.js';

/** For narrow places. */
export function peakShort({ isState, liveBytes }: PeakReport): string {
  return isState ? t('{0} live', byteText(liveBytes)) : t('peak {0}', byteText(liveBytes));
}

/** Height, step and pass of a peak. */
export function heightText(peak: PeakReport): string {
  const { step, isTruncated } = peak;
  const [device, amount, pass] = [deviceName(peak.device), byteText(peak.liveBytes), passText(peak)];
  if (peak.isState) return t('Held on {0}: {1}.', device, amount);
  if (isTruncated)
    return pass === null
      ? t('Peak of {0} in the recorded part: {1}.', device, amount)
      : t('Peak of {0} in the recorded part: {1} {2}.', device, amount, pass);
  if (step === null)
    return pass === null ? t('Peak of {0}: {1}.', device, amount) : t('Peak of {0}: {1} {2}.', device, amount, pass);
  return pass === null
    ? t('Peak of {0}: {1} in step {2}.', device, amount, countText(step))
    : t('Peak of {0}: {1} in step {2} {3}.', device, amount, countText(step), pass);
}

/** The event of a peak, the line that allocates there, its module, and the categories of all that is live. @param code prints a recorded name */
export function eventSentence(peak: PeakReport, code: (text: string) => string): string {
  const { event, at, module } = peak;
  const categories = categoriesText(peak.categories);
  if (peak.isState) return t('At the snapshot: {0}.', categories);
  if (event < 0) return t('Before the trace begins: {0}.', categories);
  const ordinal = countText(event);
  if (at === null) return t('After event {0}: {1}.', ordinal, categories);
  const place = code(placeText(at));
  return module === null
    ? t('After event {0}, at {1}: {2}.', ordinal, place, categories)
    : t('After event {0}, at {1} in module {2}: {3}.', ordinal, place, code(module), categories);
}

/** The part of a pass, as an adverbial; null if unknown. */
export function passText({ phase }: Pick<PeakReport, 'phase'>): string | null {
  if (phase === null) return null;
  return {
    forward: t('in the forward pass'),
    backward: t('in the backward pass'),
    optimizer: t('in the optimizer’s step'),
    evaluation: t('in the evaluation'),
  }[phase];
}

/** Maximum number of parts of the memory that are named in one sentence. */
const MAX_PARTS = 3;
/** Share of all from which a part is named beside the largest. */
const MIN_PART = 0.01;

/** The largest parts of a peak, with their places. */
export function peakParts(peak: PeakReport, code: (text: string) => string): string {
  const libraries = peak.libraries.map(({ name, bytes }) => [bytes, t('{0} (library)', code(name))] as const);
  const known = sum(libraries, ([bytes]) => bytes);
  return largestText([
    ...peak.lines.map((line) => [line.bytes, code(placeText(line))] as const),
    [peak.otherLines.bytes, otherLinesText(peak.otherLines.lines)],
    ...libraries,
    ...bucketParts(peak).map(
      ([bucket, bytes]) => [bucket === 'library' ? bytes - known : bytes, `(${bucketText(bucket)})`] as const,
    ),
  ]);
}

/** The memory that is live in the last snapshot, and its largest parts. */
export function endParts(run: RunReport, code: (text: string) => string): { total: number; largest: string } {
  const parts = [
    ...run.lines.map((line) => [line.liveBytes, code(placeText(line))] as const),
    [run.otherLines.liveBytes, otherLinesText(run.otherLines.lines)] as const,
    ...bucketParts(run).map(([bucket, bytes]) => [bytes, `(${bucketText(bucket)})`] as const),
  ];
  return { total: sum(parts, ([bytes]) => bytes), largest: largestText(parts) };
}

/** The largest parts of a memory, with their places. */
function largestText(parts: readonly (readonly [bytes: number, place: string])[]): string {
  const all = sum(parts, ([bytes]) => bytes);
  return parts
    .filter(([bytes]) => bytes > 0)
    .sort(([a], [b]) => b - a)
    .filter(([bytes], i) => i === 0 || bytes >= MIN_PART * all)
    .slice(0, MAX_PARTS)
    .map(([bytes, place]) => `${byteText(bytes)} ${place}`)
    .join(', ');
}
