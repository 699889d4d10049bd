/** The highest points of a run in words, for a terminal and for Markdown. */
import { countText } from '../text/numberText.js';
import { say, sayCount } from '../text/say.js';
import { byteText } from '../text/byteText.js';
import { sum } from '../report/lineSelection.js';
import type { PeakLine, PeakReport } from '../report/report.js';
import { bucketParts } from '../report/bucketParts.js';
import { bucketWord, fileAndLine, otherLinesText, peakSentence, placeText } from '../report/reportWords.js';
import { tableLines, type Column } from '../text/textTable.js';

/** Lines of the peak that are named. */
const MOST_LINES = 5;

const COLUMNS: readonly Column[] = [
  { title: 'AT PEAK', align: '>' },
  { title: 'BYTES', align: '>' },
  { title: 'BLOCKS', align: '>' },
  { title: 'LINE', align: '<' },
];

/** Lines of a terminal, each table adding up to its peak; none where nothing was held. */
export function peakLines(peaks: readonly PeakReport[], mostLines: number): string[] {
  const high = peaks.filter(isHigh);
  return [
    ...devicesText(high).flatMap((text) => ['', `  ${text}`]),
    ...high.flatMap((peak) => linesOf(peak, mostLines)),
    ...adviceOf(high).flatMap((text) => ['', `  ${text}`]),
  ];
}

function linesOf(peak: PeakReport, mostLines: number): string[] {
  const shown = peak.lines.slice(0, Math.max(MOST_LINES, mostLines === Infinity ? mostLines : 0));
  const rest = peak.lines.slice(shown.length);
  const row = (bytes: number, blocks: string, place: string): string[] => [
    byteText(bytes),
    countText(bytes),
    blocks,
    place,
  ];
  const rows = [
    ...shown.map((line) => row(line.bytes, countText(line.blocks), placeText(line))),
    ...(rest.length > 0
      ? [
          row(
            sum(rest, (line) => line.bytes),
            countText(sum(rest, (line) => line.blocks)),
            otherLinesText(rest.length),
          ),
        ]
      : []),
    ...bucketParts(peak).map(([bucket, bytes]) => row(bytes, '', `(${bucketWord(bucket)})`)),
    row(peak.liveBytes, '', say('highest point')),
  ];
  return ['', peakSentence(peak), '', ...tableLines(COLUMNS, rows), ...factLines(shown.slice(0, MOST_LINES))].map(
    (text) => (text === '' ? '' : `  ${text}`),
  );
}

/** Each fact once, behind the lines that it is of. */
function factLines(lines: readonly PeakLine[]): string[] {
  const places = new Map<string, string[]>();
  for (const line of lines) {
    for (const fact of line.facts) places.set(fact, [...(places.get(fact) ?? []), fileAndLine(line)]);
  }
  const texts = [...places].map(([fact, of]) => `${of.join(', ')}: ${fact}`);
  return texts.length === 0 ? [] : ['', ...texts];
}

/**
 * A list in Markdown for each peak.
 * @param code makes a code span of a recorded name
 */
export function peakMarkdown(peaks: readonly PeakReport[], code: (text: string) => string): string[] {
  const high = peaks.filter(isHigh);
  return [
    ...devicesText(high).flatMap((text) => ['', text]),
    ...high.flatMap((peak) => markdownOf(peak, code)),
    ...adviceOf(high).flatMap((text) => ['', text]),
  ];
}

function markdownOf(peak: PeakReport, code: (text: string) => string): string[] {
  const shown = peak.lines.slice(0, MOST_LINES);
  const said = new Map(facts(shown));
  return [
    '',
    peakSentence(peak),
    '',
    ...shown.map((line) => {
      const place = code(placeText(line));
      const amount = sayCount(
        line.blocks,
        '{1} on {2}, 1 block.',
        '{1} on {2}, {0} blocks.',
        byteText(line.bytes),
        place,
      );
      return `- ${amount} ${said.get(line) ?? ''}`;
    }),
  ].map((text) => text.trimEnd());
}

/** Devices of which one holds so many times as much as the next are not in balance. */
const UNBALANCED = 2;

function devicesText(peaks: readonly PeakReport[]): string[] {
  if (peaks.length < 2 || peaks[0].liveBytes < UNBALANCED * peaks[1].liveBytes) return [];
  const [first, ...others] = peaks;
  const rest = others.map(({ device, liveBytes }) => say('device {0} {1}', device, byteText(liveBytes)));
  return [
    say(
      'Devices are not in balance: device {0} peaks at {1}, {2}.',
      first.device,
      byteText(first.liveBytes),
      rest.join(', '),
    ),
  ];
}

/** Said once in a report: of the device that held most. */
function adviceOf(peaks: readonly PeakReport[]): readonly string[] {
  return peaks.at(0)?.advice ?? [];
}

/** A device may have been named without ever holding anything. */
function isHigh({ liveBytes }: PeakReport): boolean {
  return liveBytes > 0;
}

function facts(lines: readonly PeakLine[]): [PeakLine, string][] {
  return lines.filter((line) => line.facts.length > 0).map((line) => [line, line.facts.join(' ')]);
}
