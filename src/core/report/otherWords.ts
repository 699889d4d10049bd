/** Trends and reference cycles in words, one line each: for the command line, for Markdown and for the editor's views. */
import { byteText, signedByteText } from './byteText.js';
import type { CycleReport, CycleTensorReport, TrendReport, TrendSeriesReport } from './report.js';
import { placeText, plural } from './reportWords.js';

/** `120 rows over time, without lines`. */
export function trendSentence({ rows, startUs, endUs }: TrendReport): string {
  const seconds = startUs === null || endUs === null ? null : (endUs - startUs) / 1e6;
  return `${plural(rows, 'row')} ${seconds === null ? 'without times' : `over ${seconds.toFixed(3)} s`}, without lines`;
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
  return [
    `${device === null ? '' : `device ${device}, `}${name}: ${byteText(firstBytes)} at first`,
    `${byteText(lastBytes)} at last`,
    ...(growthBytes === 0 ? [] : [signedByteText(growthBytes)]),
    `peak ${byteText(peakBytes)}`,
    ...(rate === 0 ? [] : [`${signedByteText(rate)} per row`]),
  ].join(', ');
}

/** `2 tensors kept among 11 objects that only the garbage collector freed`. */
export function cycleSentence({ tensors, objects }: CycleReport): string {
  return `${plural(tensors, 'tensor')} kept among ${plural(objects, 'object')} that only the garbage collector could free`;
}

/** What was kept, by line and chain: equal ones are one text. */
export function keptTexts({ kept }: CycleReport): string[] {
  const counts = new Map<string, number>();
  for (const tensor of kept) {
    const text = keptText(tensor);
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return [...counts].map(([text, count]) => (count === 1 ? text : `${text} (${count} times)`));
}

function keptText({ line, text, isCycle }: CycleTensorReport): string {
  const place = line === null ? 'a tensor of an unknown line' : placeText(line);
  return `${place}: ${isCycle ? 'in the cycle' : 'held by'} ${text}`;
}
