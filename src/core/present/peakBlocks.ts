/** The peaks of a run. */
import { PINNED_HOST } from '../model/units.js';
import { eventSentence, heightText, peakParts } from './peakText.js';
import { lastFailure } from '../report/peak/outOfMemory.js';
import { isLoneSnapshot } from '../report/snapshotReport.js';
import type { PeakReport, RunReport } from '../report/report.js';
import { byteText } from '../text/numberText.js';
import { t } from '../text/translate.js';
import { list, text, type Block } from './document.js';
import { heldBlocks } from './heldBlocks.js';
import type { ShortNames } from './shortNames.js';

/** What lowers the highest peak. */
export function adviceBlocks(run: RunReport, { text: short }: ShortNames): Block[] {
  return list(...adviceOf(run, highPeaks(run)).map(short));
}

/** A table for the highest peak, and one for each if all is requested; none where nothing was held. */
export function peakBlocks(run: RunReport, maxLines: number, { name }: ShortNames): Block[] {
  const high = highPeaks(run);
  return [
    ...text(...devicesText(high)),
    ...otherPeaks(run, high).flatMap((peak) =>
      peak === high[0] || maxLines === Infinity
        ? [
            // The first sentence of a lone snapshot's report has the height of its first peak.
            ...text(peak === high[0] && isLoneSnapshot(run) ? '' : heightText(peak), eventSentence(peak, name)),
            ...heldBlocks(
              peak,
              peak.isState ? t('live') : t('at peak'),
              peak.isState ? t('total') : t('peak'),
              maxLines,
              name,
            ),
          ]
        : text(heightText(peak), eventSentence(peak, name), t('Largest: {0}.', peakParts(peak, name))),
    ),
  ];
}

/** Memory at out of memory is already described, so a peak near it is left out. */
const SAME = 0.95;

function otherPeaks({ outOfMemory }: RunReport, peaks: readonly PeakReport[]): PeakReport[] {
  const held = lastFailure(outOfMemory)?.held ?? null;
  return peaks.filter(({ device, liveBytes }) => device !== held?.device || held.liveBytes < SAME * liveBytes);
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
