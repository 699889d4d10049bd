/** Memory of a device at one moment, in words: a table for a terminal, a list for Markdown. */
import { groupBy } from '../maps.js';
import { t, tCount } from '../text/translate.js';
import { byteText } from '../text/byteText.js';
import { countText } from '../text/numberText.js';
import { tableLines, type Column } from '../text/textTable.js';
import { sum } from '../report/lineSelection.js';
import type { HeldWay, LineReport, PeakLine, PeakReport, ReportFrame, RunReport } from '../report/report.js';
import { SPLIT_SHARE, waysOf, type HeldStack } from '../report/ways.js';
import { bucketParts } from '../report/bucketParts.js';
import { bucketText, fileAndLine, liveBytes, otherLinesText, placeText } from '../report/reportText.js';

/** Lines that are named. */
const MAX_LINES = 5;
/** Ways of one line that are named. */
const MAX_WAYS = 4;
/** Share of a line that a way holds to be named. */
const LEAST_WAY = 0.1;
/** Fewer equal blocks of one stack may be equal by chance. */
const REPEATED = 3;
/** Memory before recording is explained from this share of all on. */
const LEAST_OLDER = 0.1;
/** Path parts that identify an installed package. */
const PACKAGES = /^.*[\\/](?:site|dist)-packages[\\/]/;

/** Lines of a terminal: a table that adds up, with notes on its lines. */
export function heldLines(peak: PeakReport, amountTitle: string, totalTitle: string, mostLines: number): string[] {
  const shown = peak.lines.slice(0, Math.max(MAX_LINES, mostLines === Infinity ? mostLines : 0));
  const rest = peak.lines.slice(shown.length);
  const others = rest.length + peak.otherLines.lines;
  const row = (bytes: number, blocks: string, place: string): string[] => [
    byteText(bytes),
    countText(bytes),
    blocks,
    place,
  ];
  const rows = [
    ...shown.map((line) => row(line.bytes, countText(line.blocks), placeText(line))),
    ...(others > 0
      ? [
          row(
            sum([...rest, peak.otherLines], ({ bytes }) => bytes),
            countText(sum([...rest, peak.otherLines], ({ blocks }) => blocks)),
            otherLinesText(others),
          ),
        ]
      : []),
    ...bucketParts(peak).map(([bucket, bytes]) => row(bytes, '', `(${bucketText(bucket)})`)),
    row(peak.liveBytes, '', totalTitle),
  ];
  const columns: Column[] = [
    { title: amountTitle, align: '>' },
    { title: 'BYTES', align: '>' },
    { title: 'BLOCKS', align: '>' },
    { title: 'LINE', align: '<' },
  ];
  const known = shown.slice(0, MAX_LINES);
  const ways = known.map((line) => noteOf(line)).filter((note) => note.length > 0);
  const notes = [...ways.flatMap(noteLines), ...sharedFacts(known), ...olderTexts(peak)];
  return [...tableLines(columns, rows), ...(notes.length === 0 ? [] : ['', ...notes])];
}

/** The largest lines of a snapshot without a trace, with their ways, as lists. */
export function liveNotes(run: RunReport, code?: (text: string) => string): string[][] {
  const all = liveBytes(run.snapshots[run.snapshots.length - 1]);
  return run.lines
    .filter((line) => line.liveBytes >= SPLIT_SHARE * all)
    .map((line) => noteOf({ ...line, bytes: line.liveBytes, ways: waysOf(line, heldStacks(line)) }, code))
    .filter((note) => note.length > 0);
}

function heldStacks({ stacks }: LineReport): HeldStack[] {
  return stacks.map(({ liveBytes: bytes, ...stack }) => ({ ...stack, bytes }));
}

function noteOf(
  line: Pick<PeakLine, 'file' | 'line' | 'ways' | 'bytes'>,
  code: (text: string) => string = (text) => text,
): string[] {
  const [first, ...ways] = wayTexts(line, code);
  return first === '' ? [] : [`${code(fileAndLine(line))}: ${first}`, ...ways];
}

/** Lines of a terminal: ways follow their announcement. */
export function noteLines([first, ...ways]: readonly string[]): string[] {
  return [first, ...ways.map((text) => `  ${text}`)];
}

/** A list in Markdown. @param code makes a code span of a recorded name */
export function heldMarkdown(peak: PeakReport, code: (text: string) => string): string[] {
  return [
    ...peak.lines.slice(0, MAX_LINES).flatMap((line) => {
      const amount = tCount(
        line.blocks,
        '{1} on {2}, 1 block.',
        '{1} on {2}, {0} blocks.',
        byteText(line.bytes),
        code(placeText(line)),
      );
      const [first, ...ways] = wayTexts(line, code);
      return [
        `- ${[amount, ...line.facts, first].filter((text) => text !== '').join(' ')}`,
        ...ways.map((text) => `  - ${text}`),
      ];
    }),
    ...bucketParts(peak).map(([bucket, bytes]) => `- ${byteText(bytes)} ${bucketText(bucket)}.`),
    ...olderTexts(peak, code).map((text) => `- ${text}`),
  ];
}

/** Each fact once, behind the lines that it is of. */
function sharedFacts(lines: readonly PeakLine[]): string[] {
  const told = lines.flatMap((line) => line.facts.map((fact) => ({ fact, place: fileAndLine(line) })));
  return [...groupBy(told, ({ fact }) => fact)].map(
    ([fact, of]) => `${of.map(({ place }) => place).join(', ')}: ${fact}`,
  );
}

/** The first sentence on a line's memory, or empty, and its ways. */
function wayTexts(
  { ways, bytes }: Pick<PeakLine, 'ways' | 'bytes'>,
  code: (text: string) => string,
): [string, ...string[]] {
  const shown = ways.filter((way) => way.bytes >= LEAST_WAY * bytes).slice(0, MAX_WAYS);
  if (shown.length < 2) {
    const equal = shown.map((way) => equalText(way, bytes)).join('');
    const through = shown.at(0)?.through ?? null;
    if (equal === '') return [''];
    return [
      through === null
        ? t('{0} from one stack.', equal)
        : t('{0} from one stack, through {1}.', equal, code(libraryText(through))),
    ];
  }
  const rest = ways.filter((way) => !shown.includes(way));
  return [
    tCount(ways.length, '1 way:', '{0} ways:'),
    ...shown.map((way) =>
      [byteText(way.bytes) + viaText(way, code), equalText(way, way.bytes)].filter((text) => text !== '').join(', '),
    ),
    ...(rest.length === 0
      ? []
      : [tCount(rest.length, '{1} in 1 other way', '{1} in {0} other ways', byteText(sum(rest, (way) => way.bytes)))]),
  ];
}

function viaText({ through, caller }: HeldWay, code: (text: string) => string): string {
  return [
    through === null ? '' : ` ${t('through {0}', code(libraryText(through)))}`,
    caller === null ? '' : ` ${t('from {0}', code(placeText(caller)))}`,
    through === null && caller === null ? ` ${t('directly')}` : '',
  ].join('');
}

/** `24 × 866 MiB` if equal blocks are most of the memory, else nothing. */
function equalText({ equal: { size, blocks } }: HeldWay, bytes: number): string {
  return blocks >= REPEATED && size * blocks >= bytes / 2 ? `${countText(blocks)} × ${byteText(size)}` : '';
}

/** A library's place, from its package on. */
function libraryText(frame: ReportFrame): string {
  return placeText({ ...frame, file: frame.file.replace(PACKAGES, '') });
}

/** The explained part of older memory. */
function olderTexts(peak: PeakReport, code: (text: string) => string = (text) => text): string[] {
  const { parameterBytes, stateBytes, freed } = peak.older;
  const all = peak.buckets.beforeRecording - peak.noStack;
  if (all < LEAST_OLDER * peak.liveBytes) return [];
  const freedBytes = sum(freed, ({ bytes }) => bytes);
  const open = all - parameterBytes - stateBytes - freedBytes;
  const [most] = freed;
  return [
    ...(parameterBytes === 0
      ? []
      : [
          stateBytes === 0
            ? t('Before recording: {0} have the sizes of the gradients (parameters).', byteText(parameterBytes))
            : t(
                'Before recording: {0} have the sizes of the gradients (parameters), {1} these sizes again (optimizer state).',
                byteText(parameterBytes),
                byteText(stateBytes),
              ),
        ]),
    ...(freedBytes < LEAST_OLDER * all
      ? []
      : [
          most.by === null || most.bytes < freedBytes / 2
            ? t('Before recording: {0} are freed later in the trace.', byteText(freedBytes))
            : t(
                'Before recording: {0} are freed later, most of it at {1}.',
                byteText(freedBytes),
                code(placeText(most.by)),
              ),
        ]),
    ...(open < LEAST_OLDER * all ? [] : [t('Before recording: the trace does not explain {0}.', byteText(open))]),
  ];
}
