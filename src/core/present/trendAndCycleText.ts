/** Trends and reference cycles in words, one line each: for the command line, for Markdown and for the editor's views. */
import { byteText, countText, decimalText, signedByteText } from '../text/numberText.js';
import { t, tCount } from '../text/translate.js';
import type { CycleReport, CycleTensorReport, TrendReport, TrendSeriesReport } from '../report/report.js';
import { placeText } from '../text/pathText.js';

/** `120 rows over 3.500 s, without lines`. */
export function trendSentence({ rows, startUs, endUs }: TrendReport): string {
  return startUs === null || endUs === null
    ? tCount(rows, '1 row without times, without lines', '{0} rows without times, without lines')
    : tCount(
        rows,
        '1 row over {1} s, without lines',
        '{0} rows over {1} s, without lines',
        decimalText((endUs - startUs) / 1e6, 3),
      );
}

/** `Peak: 1.9 GiB after 0.512 s (activation 1.3 GiB, parameter 382 MiB).`; none without a sum. */
export function trendPeakTexts({ peak, startUs }: TrendReport): string[] {
  if (peak === null) return [];
  const parts = peak.parts
    .filter(({ bytes }) => bytes > 0)
    .sort((a, b) => b.bytes - a.bytes)
    .map(({ name, bytes }) => `${name} ${byteText(bytes)}`)
    .join(', ');
  return [
    peak.timeUs === null || startUs === null
      ? t('Peak: {0} ({1}).', byteText(peak.bytes), parts)
      : t('Peak: {0} after {1} s ({2}).', byteText(peak.bytes), decimalText((peak.timeUs - startUs) / 1e6, 3), parts),
  ];
}

/** `allocated: 1.0 MiB at first, 3.0 MiB at last, +2.0 MiB, peak 4.0 MiB, +2.0 KiB per row`; `device 1, used: …`. */
export function trendSeriesText({
  name,
  device,
  firstBytes,
  lastBytes,
  growthBytes,
  peakBytes,
  bytesPerRow,
}: TrendSeriesReport): string {
  const rate = Math.round(bytesPerRow ?? 0);
  const facts = [
    t('{0} at first', byteText(firstBytes)),
    t('{0} at last', byteText(lastBytes)),
    ...(growthBytes === 0 ? [] : [signedByteText(growthBytes)]),
    t('peak {0}', byteText(peakBytes)),
    ...(rate === 0 ? [] : [t('{0} per row', signedByteText(rate))]),
  ];
  const of = device === null ? name : `${t('device {0}', device)}, ${name}`;
  return `${of}: ${facts.join(', ')}`;
}

/** `2 tensors held among 11 objects that only the garbage collector could free`. */
export function cycleSentence({ tensors, objects }: CycleReport): string {
  return objects === 1
    ? tCount(
        tensors,
        '1 tensor held by 1 object that only the garbage collector could free',
        '{0} tensors held by 1 object that only the garbage collector could free',
      )
    : tCount(
        tensors,
        '1 tensor held among {1} objects that only the garbage collector could free',
        '{0} tensors held among {1} objects that only the garbage collector could free',
        countText(objects),
      );
}

/** The held tensors, by line and chain: equal ones are one text. */
export function cycleTexts({ kept }: CycleReport): string[] {
  const counts = new Map<string, number>();
  for (const tensor of kept) {
    const text = cycleText(tensor);
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return [...counts].map(([text, count]) => (count === 1 ? text : t('{0} ({1} times)', text, countText(count))));
}

function cycleText({ line, text, isCycle }: CycleTensorReport): string {
  const place = line === null ? t('a tensor of an unknown line') : placeText(line);
  return isCycle ? t('{0}: in the cycle {1}', place, text) : t('{0}: held by {1}', place, text);
}
