/** Memory of a device at one moment: a table, and what is known of its lines. */
import { t, tCount } from '../text/translate.js';
import { byteText, countText } from '../text/numberText.js';
import { sum } from '../report/lineSelection.js';
import type { HeldWay, OlderReport, PeakLine, PeakReport, ReportFrame } from '../report/report.js';
import { bucketParts } from '../report/bucketParts.js';
import type { Category } from '../attribution/categories/category.js';
import type { Bucket } from '../attribution/owner.js';
import { bucketText, categoryText, otherLinesText } from './words.js';
import { fileAndLine, placeText } from '../text/pathText.js';
import { item, left, list, right, table, type Block, type Item } from './document.js';

/** Maximum number of lines that are named. */
const MAX_LINES = 5;
/** Maximum number of ways of one line that are named. */
const MAX_WAYS = 4;
/** Share of a line that a way holds to be named. */
const MIN_WAY = 0.1;
/** Fewer equal blocks of one stack may be equal by chance. */
const REPEATED = 3;
/** Memory before recording is explained from this share of all on, and a use named from this share of it. */
const MIN_OLDER = 0.05;
const MIN_USE = 0.01;
/** Share of it without a use from which that is said. */
const MIN_OPEN = 0.1;
/** More equal blocks of one stack than the layers of a model. */
const MORE_THAN_LAYERS = 1000;
/** Path parts that identify an installed package. */
const PACKAGES = /^.*[\\/](?:site|dist)-packages[\\/]/;

/** A table that adds up, and notes on its lines. @param name prints a recorded name */
export function heldBlocks(
  peak: PeakReport,
  amountTitle: string,
  totalTitle: string,
  maxLines: number,
  name: (text: string) => string,
): Block[] {
  const shown = peak.lines.slice(0, Math.max(MAX_LINES, maxLines === Infinity ? maxLines : 0));
  const rest = [...peak.lines.slice(shown.length), peak.otherLines];
  const others = rest.length - 1 + peak.otherLines.lines;
  const row = (bytes: number, blocks: string, use: string, place: string): string[] => [
    ...[byteText(bytes), countText(bytes), blocks, use, place],
  ];
  const restBytes = sum(rest, ({ bytes }) => bytes);
  const restBlocks = countText(sum(rest, ({ blocks }) => blocks));
  const known = shown.slice(0, MAX_LINES);
  return [
    ...table(
      [...[amountTitle, t('bytes'), t('blocks')].map(right), ...[t('for'), t('line')].map(left)],
      [
        ...shown.map((line) => row(line.bytes, countText(line.blocks), usesText(line), name(placeText(line)))),
        ...(others === 0 ? [] : [row(restBytes, restBlocks, '', otherLinesText(others))]),
        ...bucketParts(peak).map(([bucket, bytes]) => row(bytes, '', '', `(${heldBucketText(bucket, peak, name)})`)),
        row(peak.liveBytes, '', '', totalTitle),
      ],
    ),
    ...list(
      ...known.map((line) => waysOf(line, name)),
      ...known.flatMap((line) => blockTexts(line, name)),
      olderText(peak, name),
    ),
  ];
}

/** Share of a line's memory from which its use is named. */
const MIN_CATEGORY = 0.1;

/** The uses of a line's memory, the largest first. */
function usesText({ categories, bytes }: PeakLine): string {
  return categories
    .filter((one) => one.bytes >= MIN_CATEGORY * bytes)
    .sort((a, b) => b.bytes - a.bytes)
    .map(({ category }) => categoryText(category))
    .join(', ');
}

/** Uses of memory that a model has many equal blocks of, and no pass collects. */
const OF_MODEL: ReadonlySet<Category> = new Set(['parameters', 'gradients', 'optimizerState']);

/** Facts on a line's blocks: older than a step, or more than a pass makes. */
function blockTexts(line: PeakLine, name: (text: string) => string): string[] {
  const { fromEarlierSteps, categories, ways } = line;
  const max = Math.max(0, ...ways.map(({ equal }) => equal.blocks));
  const isOfModel = OF_MODEL.has([...categories].sort((a, b) => b.bytes - a.bytes).at(0)?.category ?? 'other');
  const place = name(fileAndLine(line));
  return [
    fromEarlierSteps === 0
      ? ''
      : tCount(
          fromEarlierSteps,
          '{1}: 1 block is left from an earlier step.',
          '{1}: {0} blocks are left from earlier steps.',
          place,
        ),
    max < MORE_THAN_LAYERS || isOfModel
      ? ''
      : t('{1}: one pass does not make {0} equal blocks: look for what collects them.', countText(max), place),
  ];
}

/** Names of library code that are listed, and their share of the bucket. */
const MAX_LIBRARIES = 3;
const MIN_LIBRARY = 0.1;

function heldBucketText(bucket: Bucket, { libraries, buckets }: PeakReport, name: (text: string) => string): string {
  const large = bucket === 'library' ? libraries.filter(({ bytes }) => bytes >= MIN_LIBRARY * buckets.library) : [];
  const parts = large.slice(0, MAX_LIBRARIES).map((library) => `${name(library.name)} ${byteText(library.bytes)}`);
  return parts.length === 0 ? bucketText(bucket) : t('library: {0}', parts.join(', '));
}

/** How a line came by its memory, with its ways below where there are several; null where nothing is worth a word. */
function waysOf({ ways, bytes, ...line }: PeakLine, name: (text: string) => string): Item | null {
  const place = name(fileAndLine(line));
  const shown = ways.filter((way) => way.bytes >= MIN_WAY * bytes).slice(0, MAX_WAYS);
  if (shown.length < 2) {
    const equal = shown.map((way) => equalText(way, bytes)).join('');
    const through = shown.at(0)?.through ?? null;
    if (through === null) return equal === '' ? null : item(t('{0}: {1} from one stack.', place, equal));
    const library = name(libraryText(through));
    return item(
      equal === ''
        ? t('{0}: {1} through {2}.', place, byteText(shown[0].bytes), library)
        : t('{0}: {1} from one stack, through {2}.', place, equal, library),
    );
  }
  const rest = ways.filter((way) => !shown.includes(way));
  const amount = byteText(sum(rest, (way) => way.bytes));
  return item(
    tCount(ways.length, '{1}: 1 way:', '{1}: {0} ways:', place),
    ...shown.map((way) => wayText(way, name)),
    rest.length === 0 ? null : tCount(rest.length, '{1} in 1 other way', '{1} in {0} other ways', amount),
  );
}

function wayText(way: HeldWay, name: (text: string) => string): string {
  const equal = equalText(way, way.bytes);
  const amount = equal === '' ? byteText(way.bytes) : `${byteText(way.bytes)} (${equal})`;
  const through = way.through === null ? null : name(libraryText(way.through));
  const caller = way.caller === null ? null : name(placeText(way.caller));
  if (through === null) return caller === null ? t('{0} directly', amount) : t('{0} from {1}', amount, caller);
  return caller === null
    ? t('{0} through {1}', amount, through)
    : t('{0} through {1} from {2}', amount, through, caller);
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
function olderText(peak: PeakReport, name: (text: string) => string): string {
  const all = peak.buckets.beforeRecording;
  const { older } = peak;
  const known = older.bytes;
  if (known < MIN_OLDER * peak.liveBytes || known === 0) return '';
  const uses = [
    [t('parameters {0}', byteText(older.parameterBytes)), older.parameterBytes],
    [t('optimizer state {0}', byteText(older.stateBytes)), older.stateBytes],
    [t('gradients of the previous step {0}', byteText(older.gradientBytes)), older.gradientBytes],
    [t('activations of the previous pass {0}', byteText(older.activationBytes)), older.activationBytes],
    [t('cuBLAS workspace {0}', byteText(older.workspaceBytes)), older.workspaceBytes],
  ] as const;
  const used = uses.filter(([, bytes]) => bytes >= MIN_USE * known).map(([text]) => text);
  const open = known - sum(uses, ([, bytes]) => bytes);
  // Without any stacks there is no recording that anything could be older than.
  const isBlind = peak.noStack === all;
  const amount = isBlind
    ? t('No stack recorded: {0}.', byteText(known))
    : peak.noStack > 0
      ? t('Before recording or without a stack: {0}.', byteText(known))
      : t('Before recording: {0}.', byteText(known));
  return [
    amount,
    used.length === 0 ? '' : t('Of it {0}.', used.join(', ')),
    evidenceText(older),
    ...heldTexts(peak),
    freedText(older, known, name),
    open >= MIN_OPEN * known && !isBlind ? t('Record from before the model is built to see its lines.') : '',
  ]
    .filter(Boolean)
    .join(' ');
}

/** How the sizes of the weights are known. */
function evidenceText({ evidence }: OlderReport): string {
  if (evidence === null) return '';
  return {
    gradients: t('The gradients in the trace have these sizes.'),
    optimizerState: t('The optimizer state in the trace has these sizes.'),
    weightCopies: t('Autocast’s copies in the trace have half of these sizes.'),
  }[evidence];
}

function heldTexts({ older: { held, equal, hasLayers, evidence }, isState }: PeakReport): string[] {
  const sizes = equal
    .filter(({ size, blocks }) => blocks > 1 && size * blocks >= MIN_USE * held.bytes)
    .map(({ size, blocks }) => `${countText(blocks)} × ${byteText(size)}`)
    .join(', ');
  if (sizes === '') return [];
  const blocks = countText(held.blocks);
  return [
    isState ? t('{0} blocks: {1}.', blocks, sizes) : t('{0} blocks are never freed in the trace: {1}.', blocks, sizes),
    ...(hasLayers && evidence === null ? [t('These numbers repeat as the weights of equal layers do.')] : []),
  ];
}

/** Where memory of unknown use is freed. */
function freedText({ freed, activationBytes }: OlderReport, all: number, name: (text: string) => string): string {
  const bytes = sum(freed, (one) => one.bytes);
  if (bytes - activationBytes < MIN_OPEN * all) return '';
  const [most] = freed;
  return most.by === null || most.bytes < bytes / 2
    ? t('{0} are freed later in the trace.', byteText(bytes))
    : t('{0} are freed later, most of it at {1}.', byteText(bytes), name(placeText(most.by)));
}
