/** The highest point of a run in words, for a terminal and for Markdown. */
import { countText } from '../text/countText.js';
import { say, sayCount } from '../text/say.js';
import { byteText } from './byteText.js';
import { sum } from './lineSelection.js';
import type { PeakLine, PeakReport } from './report.js';
import { bucketParts } from './bucketParts.js';
import { bucketWord, fileAndLine, otherLinesText, peakSentence, placeText } from './reportWords.js';
import { tableLines, type Column } from './textTable.js';

/** Lines of the peak that are named. */
const MOST_LINES = 5;

const COLUMNS: readonly Column[] = [
  { title: 'AT PEAK', align: '>' },
  { title: 'BYTES', align: '>' },
  { title: 'BLOCKS', align: '>' },
  { title: 'LINE', align: '<' },
];

/** Lines of a terminal, each table adding up to the peak; none where there is no peak. */
export function peakLines(peak: PeakReport | null, mostLines: number): string[] {
  if (peak === null) return [];
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
  return [
    '',
    peakSentence(peak),
    '',
    ...tableLines(COLUMNS, rows),
    ...facts(shown.slice(0, MOST_LINES)).flatMap(([line, sentence]) => ['', `${fileAndLine(line)}: ${sentence}`]),
  ].map((text) => (text === '' ? '' : `  ${text}`));
}

/**
 * A list in Markdown.
 * @param code makes a code span of a recorded name
 */
export function peakMarkdown(peak: PeakReport | null, code: (text: string) => string): string[] {
  if (peak === null) return [];
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

function facts(lines: readonly PeakLine[]): [PeakLine, string][] {
  return lines.filter((line) => line.facts.length > 0).map((line) => [line, line.facts.join(' ')]);
}
