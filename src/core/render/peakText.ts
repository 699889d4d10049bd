/** The peaks of a run in words, for a terminal and for Markdown. */
import { PINNED_HOST } from '../model/units.js';
import { t } from '../text/translate.js';
import { byteText } from '../text/byteText.js';
import { lastFailure } from '../report/outOfMemory.js';
import type { PeakReport, RunReport } from '../report/report.js';
import { categoriesText, isLoneSnapshot, peakParts, peakPlace, peakSentence } from '../report/reportText.js';
import { heldLines, heldMarkdown } from './heldText.js';

/** Lines of a terminal: a table for the highest peak, one for each if all is requested; none where nothing was held. */
export function peakLines(run: RunReport, mostLines: number): string[] {
  const high = highPeaks(run);
  return [
    ...gap(adviceOf(run, high)),
    ...gap(devicesText(high)),
    ...otherPeaks(run, high).flatMap((peak) =>
      peak === high[0] || mostLines === Infinity
        ? [
            ...['', captionOf(peak, run, (text) => text), ''],
            ...heldLines(peak, peak.isState ? 'LIVE' : 'AT PEAK', peak.isState ? t('total') : t('peak'), mostLines),
          ]
        : ['', lowerText(peak, (text) => text)],
    ),
  ].map((text) => (text === '' ? '' : `  ${text}`));
}

/** A list in Markdown for each peak. @param code makes a code span of a recorded name */
export function peakMarkdown(run: RunReport, code: (text: string) => string): string[] {
  const high = highPeaks(run);
  return [
    ...gap([...adviceOf(run, high), ...devicesText(high)].map((text) => `- ${text}`)),
    ...otherPeaks(run, high).flatMap((peak) =>
      peak === high[0]
        ? ['', captionOf(peak, run, code), '', ...heldMarkdown(peak, code)]
        : ['', lowerText(peak, code)],
    ),
  ];
}

/** The peak of a device other than that of the highest peak. */
function lowerText(peak: PeakReport, code: (text: string) => string): string {
  return `${peakSentence(peak, code)} ${t('Largest: {0}.', peakParts(peak, code))}`;
}

function gap(texts: readonly string[]): string[] {
  return texts.length === 0 ? [] : ['', ...texts];
}

/** Memory at out of memory is already described, so a peak near it is left out. */
const SAME = 0.95;

function otherPeaks({ outOfMemory }: RunReport, peaks: readonly PeakReport[]): PeakReport[] {
  const held = lastFailure(outOfMemory)?.held ?? null;
  return peaks.filter(({ device, liveBytes }) => device !== held?.device || held.liveBytes < SAME * liveBytes);
}

/** The first sentence of a lone snapshot's report has the height of its first peak. */
function captionOf(peak: PeakReport, run: RunReport, code: (text: string) => string): string {
  if (!isLoneSnapshot(run) || peak !== highPeaks(run).at(0)) return peakSentence(peak, code);
  if (peak.isState) return `${t('At the snapshot')}: ${categoriesText(peak.categories)}.`;
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

/** Once in a report: for the device with the highest peak, unless out of memory has its own. */
function adviceOf({ outOfMemory }: RunReport, peaks: readonly PeakReport[]): readonly string[] {
  return lastFailure(outOfMemory)?.held == null ? (peaks.at(0)?.advice ?? []) : [];
}

/** A device may never have held anything. The state of a run's last snapshot is in the table of its lines. */
function highPeaks(run: RunReport): PeakReport[] {
  return run.peaks.filter(({ liveBytes, isState }) => liveBytes > 0 && (!isState || isLoneSnapshot(run)));
}
