/** Memory of a device at one moment, in words: a table for a terminal, a list for Markdown. */
import { t, tCount } from '../text/translate.js';
import { byteText } from '../text/byteText.js';
import { countText } from '../text/numberText.js';
import { tableLines, type Column } from '../text/textTable.js';
import { sum } from '../report/lineSelection.js';
import type { HeldWay, OlderReport, PeakLine, PeakReport, ReportFrame } from '../report/report.js';
import { bucketParts } from '../report/bucketParts.js';
import type { Category } from '../attribution/category.js';
import type { Bucket } from '../attribution/owner.js';
import { bucketText, categoryText, fileAndLine, otherLinesText, placeText } from '../report/reportText.js';

/** Lines that are named. */
const MAX_LINES = 5;
/** Ways of one line that are named. */
const MAX_WAYS = 4;
/** Share of a line that a way holds to be named. */
const LEAST_WAY = 0.1;
/** Fewer equal blocks of one stack may be equal by chance. */
const REPEATED = 3;
/** Memory before recording is explained from this share of all on, and a use named from this share of it. */
const MIN_OLDER = 0.05;
const MIN_USE = 0.01;
/** Share of it without a use from which that is said. */
const LEAST_OPEN = 0.1;
/** More equal blocks of one stack than the layers of a model. */
const MORE_THAN_LAYERS = 1000;
/** Path parts that identify an installed package. */
const PACKAGES = /^.*[\\/](?:site|dist)-packages[\\/]/;

/** Lines of a terminal: a table that adds up, with notes on its lines. */
export function heldLines(peak: PeakReport, amountTitle: string, totalTitle: string, mostLines: number): string[] {
  const shown = peak.lines.slice(0, Math.max(MAX_LINES, mostLines === Infinity ? mostLines : 0));
  const rest = peak.lines.slice(shown.length);
  const others = rest.length + peak.otherLines.lines;
  const row = (bytes: number, blocks: string, use: string, place: string): string[] => [
    byteText(bytes),
    countText(bytes),
    blocks,
    use,
    place,
  ];
  const rows = [
    ...shown.map((line) => row(line.bytes, countText(line.blocks), usesText(line), placeText(line))),
    ...(others > 0
      ? [
          row(
            sum([...rest, peak.otherLines], ({ bytes }) => bytes),
            countText(sum([...rest, peak.otherLines], ({ blocks }) => blocks)),
            '',
            otherLinesText(others),
          ),
        ]
      : []),
    ...bucketParts(peak).map(([bucket, bytes]) => row(bytes, '', '', `(${heldBucketText(bucket, peak)})`)),
    row(peak.liveBytes, '', '', totalTitle),
  ];
  const columns: Column[] = [
    { title: amountTitle, align: '>' },
    { title: 'BYTES', align: '>' },
    { title: 'BLOCKS', align: '>' },
    { title: 'FOR', align: '<' },
    { title: 'LINE', align: '<' },
  ];
  const known = shown.slice(0, MAX_LINES);
  const ways = known.map((line) => noteOf(line)).filter((note) => note.length > 0);
  const notes = [...ways.flatMap(noteLines), ...known.flatMap((line) => blockTexts(line)), ...olderTexts(peak)];
  return [...tableLines(columns, rows), ...(notes.length === 0 ? [] : ['', ...notes])];
}

function noteOf(
  line: Pick<PeakLine, 'file' | 'line' | 'ways' | 'bytes'>,
  code: (text: string) => string = (text) => text,
): string[] {
  const [first, ...ways] = wayTexts(line, code);
  return first === '' ? [] : [`${code(fileAndLine(line))}: ${first}`, ...ways];
}

/** Lines of a terminal: ways follow their announcement. */
function noteLines([first, ...ways]: readonly string[]): string[] {
  return [first, ...ways.map((text) => `  ${text}`)];
}

/** A list in Markdown. @param code makes a code span of a recorded name */
export function heldMarkdown(peak: PeakReport, code: (text: string) => string): string[] {
  return [
    ...peak.lines.slice(0, MAX_LINES).flatMap((line) => {
      const amount = tCount(
        line.blocks,
        '{1} on {2}, 1 block ({3}).',
        '{1} on {2}, {0} blocks ({3}).',
        byteText(line.bytes),
        code(placeText(line)),
        usesText(line),
      );
      const [first, ...ways] = wayTexts(line, code);
      return [
        `- ${[amount, ...blockTexts(line, ''), first].filter((text) => text !== '').join(' ')}`,
        ...ways.map((text) => `  - ${text}`),
      ];
    }),
    ...bucketParts(peak).map(([bucket, bytes]) => `- ${byteText(bytes)} ${heldBucketText(bucket, peak)}.`),
    ...olderTexts(peak, code).map((text) => `- ${text}`),
  ];
}

/** Share of a line's memory from which its use is named. */
const LEAST_CATEGORY = 0.1;

/** The uses of a line's memory, the largest first. */
function usesText({ categories, bytes }: PeakLine): string {
  return categories
    .filter((one) => one.bytes >= LEAST_CATEGORY * bytes)
    .sort((a, b) => b.bytes - a.bytes)
    .map(({ category }) => categoryText(category))
    .join(', ');
}

/** Uses of memory that a model has many equal blocks of, and no pass collects. */
const OF_MODEL: ReadonlySet<Category> = new Set(['parameters', 'gradients', 'optimizerState']);

/** Facts on a line's blocks: older than a step, or more than a pass makes. @param place before each sentence */
function blockTexts(line: PeakLine, place = `${fileAndLine(line)}: `): string[] {
  const { fromEarlierSteps, categories, ways } = line;
  const most = Math.max(0, ...ways.map(({ equal }) => equal.blocks));
  const isOfModel = OF_MODEL.has([...categories].sort((a, b) => b.bytes - a.bytes).at(0)?.category ?? 'other');
  return [
    ...(fromEarlierSteps > 0
      ? [tCount(fromEarlierSteps, '1 block is left from an earlier step.', '{0} blocks are left from earlier steps.')]
      : []),
    ...(most >= MORE_THAN_LAYERS && !isOfModel
      ? [t('One pass does not make {0} equal blocks: look for what collects them.', countText(most))]
      : []),
  ].map((text) => place + text);
}

/** Names of library code that are listed, and their share of the bucket. */
const MAX_LIBRARIES = 3;
const LEAST_LIBRARY = 0.1;

function heldBucketText(bucket: Bucket, { libraries, buckets }: PeakReport): string {
  const named = bucket !== 'library' ? [] : libraries.filter(({ bytes }) => bytes >= LEAST_LIBRARY * buckets.library);
  if (named.length === 0) return bucketText(bucket);
  const list = named.slice(0, MAX_LIBRARIES).map(({ name, bytes }) => `${name} ${byteText(bytes)}`);
  return t('library: {0}', list.join(', '));
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

/** What is known of memory without a stack that is older than the trace, as one note. */
function olderTexts(peak: PeakReport, code: (text: string) => string = (text) => text): string[] {
  const all = peak.buckets.beforeRecording;
  const { older } = peak;
  const known = older.bytes;
  if (known < MIN_OLDER * peak.liveBytes || known === 0) return [];
  const uses = [
    [t('parameters {0}', byteText(older.parameterBytes)), older.parameterBytes],
    [t('optimizer state {0}', byteText(older.stateBytes)), older.stateBytes],
    [t('gradients of the previous step {0}', byteText(older.gradientBytes)), older.gradientBytes],
    [t('activations of the previous pass {0}', byteText(older.activationBytes)), older.activationBytes],
    [t('cuBLAS workspace {0}', byteText(older.workspaceBytes)), older.workspaceBytes],
  ] as const;
  const named = uses.filter(([, bytes]) => bytes >= MIN_USE * known).map(([text]) => text);
  const open = known - sum(uses, ([, bytes]) => bytes);
  // Without any stacks there is no recording that anything could be older than.
  const isBlind = peak.noStack === all;
  const title =
    peak.noStack > 0 && !isBlind
      ? t('before recording or without a stack')
      : bucketText(isBlind ? 'noStack' : 'beforeRecording');
  const amount = byteText(known);
  return [
    [
      named.length === 0
        ? t('{0}: {1}.', capitalized(title), amount)
        : t('{0}: {1}, of it {2}.', capitalized(title), amount, named.join(', ')),
      evidenceText(older),
      heldText(peak),
      freedText(older, known, code),
      open >= LEAST_OPEN * known && !isBlind ? t('Record from before the model is built to see its lines.') : '',
    ]
      .filter((text) => text !== '')
      .join(' '),
  ];
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** How the sizes of the weights are known. */
function evidenceText({ evidence }: OlderReport): string {
  switch (evidence) {
    case null:
      return '';
    case 'gradients':
      return t('The gradients in the trace have these sizes.');
    case 'optimizerState':
      return t('The optimizer state in the trace has these sizes.');
    case 'weightCopies':
      return t('Autocast’s copies in the trace have half of these sizes.');
  }
}

function heldText({ older: { held, equal, hasLayers, evidence }, isState }: PeakReport): string {
  const sizes = equal
    .filter(({ size, blocks }) => blocks > 1 && size * blocks >= MIN_USE * held.bytes)
    .map(({ size, blocks }) => `${countText(blocks)} × ${byteText(size)}`)
    .join(', ');
  if (sizes === '') return '';
  const blocks = countText(held.blocks);
  const text = isState
    ? t('{0} blocks: {1}.', blocks, sizes)
    : t('{0} blocks are never freed in the trace: {1}.', blocks, sizes);
  return hasLayers && evidence === null
    ? `${text} ${t('These numbers repeat as the weights of equal layers do.')}`
    : text;
}

/** Where memory of unknown use is freed. */
function freedText({ freed, activationBytes }: OlderReport, all: number, code: (text: string) => string): string {
  const bytes = sum(freed, (one) => one.bytes);
  if (bytes - activationBytes < LEAST_OPEN * all) return '';
  const [most] = freed;
  return most.by === null || most.bytes < bytes / 2
    ? t('{0} are freed later in the trace.', byteText(bytes))
    : t('{0} are freed later, most of it at {1}.', byteText(bytes), code(placeText(most.by)));
}
