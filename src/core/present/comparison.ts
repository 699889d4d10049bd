/** Two snapshots side by side. */
import type { Bytes } from '../model/units.js';
import { comparedBucketParts } from '../report/bucketParts.js';
import { addCells, emptyCell } from '../report/compare/compareCells.js';
import type { CompareCell, CompareReport } from '../report/report.js';
import { warningTexts } from './warningTexts.js';
import { bucketText, deviceTexts, otherLinesText } from './words.js';
import { placeText } from '../text/pathText.js';
import { named } from '../text/names.js';
import { byteText, countText, signedByteText } from '../text/numberText.js';
import { t } from '../text/translate.js';
import { answer, item, left, list, right, table, text, type Block, type Document } from './document.js';
import { compareSentences, fixBlocks } from './fixText.js';
import { warnings } from './runDocument.js';
import { snapshotName } from './shortText.js';

/** What a line grew by. @param path the earlier snapshot */
export function grownSince(growth: Bytes, path: string): string {
  return t('{0} since {1}', signedByteText(growth), snapshotName(path));
}

/** The fate of the leak, if the snapshots are of two runs, and growth by line. */
export function compareDocuments(report: CompareReport, maxLines: number): Document[] {
  const { a, b, fix } = report;
  const result = answer(compareSentences(report, named).join(' '));
  const growth = [
    ...list(item(`A: ${named(a.path)}`, ...deviceTexts(a)), item(`B: ${named(b.path)}`, ...deviceTexts(b))),
    ...growthTable(report, maxLines),
    ...text(...unknownTexts(report)),
    ...warnings(warningTexts([a, b])),
  ];
  const heading = t('GPU memory growth');
  return fix === null
    ? [{ heading, name: '', blocks: [result, ...growth] }]
    : [
        { heading: t('Is the leak gone?'), name: '', blocks: [result, ...fixBlocks(fix)] },
        { heading, name: '', blocks: growth },
      ];
}

/** What is not known of the surviving blocks. */
function unknownTexts({ a, b, reused, buckets }: CompareReport): string[] {
  const isTraced = a.events > 0 && b.events > 0;
  return [
    ...(buckets.library.flow !== null
      ? []
      : isTraced
        ? [t('Surviving blocks are unknown: the two traces do not overlap.')]
        : [t('Surviving blocks are unknown: one snapshot has no trace.')]),
    ...(reused
      ? [
          t(
            'The traces do not overlap: survivors are matched by address, size and stack, and an address may have been reused.',
          ),
        ]
      : []),
  ];
}

/** A table that adds up. */
function growthTable(report: CompareReport, maxLines: number): Block[] {
  const hasFlow = report.buckets.library.flow !== null;
  const moved = report.lines.filter((line) => line.growthBytes !== 0 || line.blocksA !== line.blocksB);
  const shown = new Set(moved.slice(0, maxLines));
  const rest = report.lines.filter((line) => !shown.has(line));
  const others = rest.length + report.otherLines.lines;
  const rows: (readonly [cell: CompareCell, place: string])[] = [
    ...[...shown].map((line) => [line, named(placeText(line))] as const),
    ...(others === 0 ? [] : [[sumOf([...rest, report.otherLines]), otherLinesText(others)] as const]),
    ...comparedBucketParts(report).map(([bucket, cell]) => [cell, `(${bucketText(bucket)})`] as const),
  ];
  const columns = [
    ...[t('growth'), t('bytes'), t('in A'), t('in B'), t('blocks A'), t('blocks B')].map(right),
    ...(hasFlow ? [t('survived'), t('new'), t('freed')].map(right) : []),
    left(t('line')),
  ];
  return table(
    columns,
    [...rows, [sumOf(rows.map(([cell]) => cell)), t('total')] as const].map(([cell, place]) => [
      signedByteText(cell.growthBytes),
      (cell.growthBytes > 0 ? '+' : '') + countText(cell.growthBytes),
      byteText(cell.bytesA),
      byteText(cell.bytesB),
      countText(cell.blocksA),
      countText(cell.blocksB),
      ...(hasFlow ? flowTexts(cell) : []),
      place,
    ]),
  );
}

function sumOf(cells: readonly CompareCell[]): CompareCell {
  return cells.reduce((all, cell) => addCells(all, cell), emptyCell(true));
}

function flowTexts({ flow }: CompareCell): string[] {
  return flow === null
    ? ['', '', '']
    : [flow.survived, flow.allocated, flow.freed].map(({ blocks }) => countText(blocks));
}
