/** The rows of the live list: owner lines and buckets, sorted, filtered and summed. */
import type { LiveLine, OwnerSums } from '../../src/protocol/timelineData.js';
import { basename, fileAndLine } from '../../src/core/text/pathText.js';
import { byLine } from '../parts/rowOrder.js';
import type { SourceLine } from '../model/viewState.js';
import type { TableData } from '../parts/tableData.js';
import { strings } from '../text/strings.js';

export type LiveRow =
  | { kind: 'line'; bytes: number; blocks: number; line: LiveLine; pointedOut: boolean }
  | { kind: 'library' | 'beforeRecording' | 'noStack'; bytes: number; blocks: number }
  /** Bytes of the curve that no row explains: only for a wrong answer. */
  | { kind: 'unexplained'; bytes: number; blocks: 0 };

/** A row of the list, or a sum of some. */
export type ListRow = LiveRow | { kind: 'sum'; name: string; bytes: number; blocks: number };

/** The name of a row without a line. */
export function bucketName(row: Exclude<ListRow, { kind: 'line' }>): string {
  return row.kind === 'sum' ? row.name : strings[row.kind];
}

/** All rows of an answer, the largest first, then by line, without empty buckets. @param total the sum of the rows */
export function ownerRows(
  sums: Pick<OwnerSums, 'lines' | 'buckets'>,
  total: number,
  highlight: SourceLine | null,
): LiveRow[] {
  const rows: LiveRow[] = sums.lines.map((line) => ({
    kind: 'line',
    bytes: line.bytes,
    blocks: line.blocks,
    line,
    pointedOut: highlight !== null && line.file === highlight.file && line.line === highlight.line,
  }));
  for (const kind of ['library', 'beforeRecording', 'noStack'] as const) {
    const { bytes, blocks } = sums.buckets[kind];
    if (bytes !== 0 || blocks !== 0) rows.push({ kind, bytes, blocks });
  }
  const unexplained = total - sumOf(rows).bytes;
  if (unexplained !== 0) rows.push({ kind: 'unexplained', bytes: unexplained, blocks: 0 });
  return rows.sort((a, b) => b.bytes - a.bytes || b.blocks - a.blocks || byRow(a, b));
}

/** For rows with equal lines: the innermost frame of each that no other row has at that position. */
export function tellApart(rows: readonly LiveRow[]): Map<LiveLine, string> {
  const alike = new Map<string, LiveLine[]>();
  for (const row of rows) {
    if (row.kind !== 'line' || row.line.frames === null) continue;
    const place = fileAndLine(row.line);
    alike.set(place, [...(alike.get(place) ?? []), row.line]);
  }
  const texts = new Map<LiveLine, string>();
  for (const lines of alike.values())
    for (const line of lines) {
      const others = lines.filter((other) => other !== line);
      const at = Math.max(...others.map((other) => firstDifference(line, other)));
      const frame = line.frames?.at(at);
      if (at >= 0 && frame !== undefined)
        texts.set(line, `${fileAndLine({ ...frame, file: basename(frame.file) })} ${frame.function}`);
    }
  return texts;
}

/** Position of the innermost frame in which two stacks differ, -1 if there is none. */
function firstDifference({ frames }: LiveLine, other: LiveLine): number {
  return (frames ?? []).findIndex(({ file, line, function: name }, at) => {
    const frame = other.frames?.at(at);
    return file !== frame?.file || line !== frame.line || name !== frame.function;
  });
}

/** The sum of rows. */
export function sumOf(rows: readonly LiveRow[]): { bytes: number; blocks: number } {
  let bytes = 0;
  let blocks = 0;
  for (const row of rows) {
    bytes += row.bytes;
    blocks += row.blocks;
  }
  return { bytes, blocks };
}

/** Orders by file, then by number; rows without a line come last. */
export function byRow(a: ListRow, b: ListRow): number {
  return byLine(a.kind === 'line' ? a.line : null, b.kind === 'line' ? b.line : null);
}

export function liveTable(rows: readonly ListRow[]): TableData {
  return {
    columns: ['file', 'line', 'function', 'bytes', 'blocks', 'stack'],
    rows: rows.map((row) => {
      if (row.kind !== 'line') return [bucketName(row), null, '', row.bytes, row.blocks, ''];
      const { file, line, function: name, frames, hiddenFrames } = row.line;
      const stack = (frames ?? []).map((frame) => `${fileAndLine(frame)} ${frame.function}`).join(' ← ');
      const hidden = hiddenFrames === 0 ? '' : ` (${strings.hiddenNative(hiddenFrames)})`;
      return [file, line, name, row.bytes, row.blocks, stack + hidden];
    }),
  };
}
