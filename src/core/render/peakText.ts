/** The peaks of a run in words, for a terminal and for Markdown. */
import { PINNED_HOST } from '../model/units.js';
import { t } from '../text/translate.js';
import { byteText } from '../text/byteText.js';
import { lastFailure } from '../report/outOfMemory.js';
import type { PeakReport, RunReport } from '../report/report.js';
import { categoriesText, isLoneSnapshot, peakPlace, peakSentence } from '../report/reportText.js';
import { heldLines, heldMarkdown } from './heldText.js';

/** Lines of a terminal, each table adding up to its peak; none where nothing was held. */
export function peakLines(run: RunReport, mostLines: number): string[] {
  const high = run.peaks.filter(isHigh);
  return [
    ...devicesText(high).flatMap((text) => ['', text]),
    ...otherPeaks(run, high).flatMap((peak) => [
      ...['', captionOf(peak, run, (text) => text), ''],
      ...heldLines(peak, 'AT PEAK', t('peak'), mostLines),
    ]),
    ...adviceOf(high).flatMap((text) => ['', text]),
  ].map((text) => (text === '' ? '' : `  ${text}`));
}

/** A list in Markdown for each peak. @param code makes a code span of a recorded name */
export function peakMarkdown(run: RunReport, code: (text: string) => string): string[] {
  const high = run.peaks.filter(isHigh);
  return [
    ...devicesText(high).flatMap((text) => ['', text]),
    ...otherPeaks(run, high).flatMap((peak) => ['', captionOf(peak, run, code), '', ...heldMarkdown(peak, code)]),
    ...adviceOf(high).flatMap((text) => ['', text]),
  ];
}

/** Memory at out of memory is already described, so a peak near it is left out. */
const SAME = 0.95;

function otherPeaks({ outOfMemory }: RunReport, peaks: readonly PeakReport[]): PeakReport[] {
  const held = lastFailure(outOfMemory)?.held ?? null;
  return peaks.filter(({ device, liveBytes }) => device !== held?.device || held.liveBytes < SAME * liveBytes);
}

/** The first sentence of a lone snapshot's report has the height of its first peak. */
function captionOf(peak: PeakReport, run: RunReport, code: (text: string) => string): string {
  if (!isLoneSnapshot(run) || peak !== run.peaks.find(isHigh)) return peakSentence(peak, code);
  return `${peakPlace(peak, code)}: ${categoriesText(peak.categories)}.`;
}

/** Devices of which one holds this many times as much as the next are not in balance. */
const UNBALANCED = 2;

function devicesText(all: readonly PeakReport[]): string[] {
  const peaks = all.filter(({ device }) => device !== PINNED_HOST);
  if (peaks.length < 2 || peaks[0].liveBytes < UNBALANCED * peaks[1].liveBytes) return [];
  const [first, ...others] = peaks;
  const rest = others.map(({ device, liveBytes }) => t('device {0} {1}', device, byteText(liveBytes)));
  return [
    t(
      'Devices are not in balance: device {0} peaks at {1}, {2}.',
      first.device,
      byteText(first.liveBytes),
      rest.join(', '),
    ),
  ];
}

/** Once in a report: for the device with the highest peak. */
function adviceOf(peaks: readonly PeakReport[]): readonly string[] {
  return peaks.at(0)?.advice ?? [];
}

/** A device may have been named without ever holding anything. */
function isHigh({ liveBytes }: PeakReport): boolean {
  return liveBytes > 0;
}
